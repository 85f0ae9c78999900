// SPDX-License-Identifier: BSL-1.0
#include <evenkey/key.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "support/counting_new.hpp"

namespace {

using Saga = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;

}  // namespace

TEST_SUITE("key") {
  TEST_CASE("the counter of allocations counts") {
    CHECK(support::allocations_in([] { ::operator delete(::operator new(1)); }) == 1);
  }

  TEST_CASE("finding a key allocates nothing, whatever is known at compile time") {
    const std::string id = "0b9f2f6e-5d04-4c39-9a51-3f4de0de7d1a";
    const evenkey::DynamicShardedKey dynamic("RenewalSaga", 16);
    const auto bound = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<3>, evenkey::Text>::bind("invoices");
    std::size_t bytes = 0;
    CHECK(support::allocations_in([&] {
            bytes += Saga::of(id).size() + dynamic.of(id).size() + bound.of(id).size();
            bytes += Saga::at(evenkey::ShardId{2}).size() + dynamic.at(evenkey::ShardId{2}).size();
            bytes += Saga::parse("RenewalSaga#13")->value + dynamic.parse("RenewalSaga#13")->value;
            bytes += Saga::layout().size() + dynamic.layout().size();
            // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is what is tested
            const evenkey::DynamicShardedKey copy = dynamic;
            bytes += copy.size();
          }) == 0);
    CHECK(bytes > 0);
  }
}
