// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <all_headers.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What one translation unit sees of evenkey: where its constants lie and what its functions answer. The probe
// has internal linkage, so that each unit that includes it compiles one of its own.
struct Sightings {
  std::vector<const void*> addresses;
  std::vector<std::string> answers;
};

namespace {

template <std::uint32_t N>
void look_at_shards(Sightings& seen) {
  using Policy = evenkey::ShardPolicy<N>;
  using Key = evenkey::ShardedKey<"RenewalSaga", Policy>;
  using Family = evenkey::ShardedKeyFamily<Policy, evenkey::Literal<"OUTBOX">, evenkey::Text>;
  seen.addresses.push_back(Key::all().data());
  seen.addresses.push_back(Key::of("person-42").data());
  seen.addresses.push_back(Policy::fingerprint().data());
  seen.answers.emplace_back(Key::layout());
  for (const std::string_view key : Key::all())
    seen.answers.emplace_back(key);
  const evenkey::DynamicShardedKey listed("RenewalSaga", N);
  for (const std::string_view key : listed.all())
    seen.answers.emplace_back(key);
  const auto bound = Family::bind("tenant");
  seen.answers.emplace_back(bound.of("person-42"));
}

Sightings look() {
  Sightings seen;
  look_at_shards<1>(seen);
  look_at_shards<10>(seen);
  look_at_shards<256>(seen);
  seen.addresses.push_back(evenkey::version_string);
  seen.addresses.push_back(evenkey::UnshardedKey<"RenewalSaga">::value().data());
  using SortKey = evenkey::CompositeKey<evenkey::EscapedText, evenkey::Number<4>, evenkey::Timestamp>;
  using namespace std::chrono;
  seen.answers.push_back(SortKey::encode("a#b", 7U, sys_days(2026y / July / 8) + 12h));
  return seen;
}

}  // namespace
