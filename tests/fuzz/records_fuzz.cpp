// SPDX-License-Identifier: BSL-1.0
//
// Phase, layout and lease records: any text is refused, or read as values of which it is the only text.
#include <evenkey/migrate/layout_record.hpp>
#include <evenkey/migrate/lease/segment_lease.hpp>
#include <evenkey/migrate/phase_record.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/fuzz.hpp"

namespace {

using namespace evenkey;
using fuzz::require;

void phase_record(std::string_view text) {
  const fuzz::LinearMemory linear(text.size());
  const auto record = parse_phase_record(text);
  if (record) require(encode_phase_record(*record) == text, "a phase record has one text");
}

void layout_record(std::string_view text) {
  const fuzz::LinearMemory linear(text.size());
  const auto layout = parse_layout_record(text);
  if (layout) require(encode_layout_record(*layout) == text, "a layout record has one text");
}

struct OneLease {
  std::string text;
  std::optional<std::string> load(std::uint32_t) const { return text; }
  bool replace(std::uint32_t, const std::optional<std::string>& from, const std::string& to) {
    if (from != text) return false;
    text = to;
    return true;
  }
};
struct Clock {
  std::chrono::steady_clock::time_point time{std::chrono::hours(10'000)};
  std::chrono::steady_clock::time_point now() const { return time; }
};

void lease(std::string_view text) try {
  {
    const fuzz::LinearMemory linear(text.size());
    const detail::LeaseRecord record = detail::read_lease(text);
    require(detail::write_lease(record) == text, "a lease has one text");
  }
  // Who finds such a lease waits for it, or takes it.
  OneLease store{std::string(text)};
  Clock clock;
  LeaseOptions options;
  options.host = "h";
  detail::LeaseTaker taker(store, clock, options);
  using Taker = decltype(taker);
  std::optional<Taker::Lease> taken;
  for (int look = 0; look < 3; ++look) {
    if (taker.take(0, taken) == Taker::Answer::taken) {
      taken->check();
      require(detail::read_lease(store.text).token == taken->token(),
              "the lease that is stored is the one taken");
      break;
    }
    clock.time += std::chrono::hours(1);
  }
} catch (const checkpoint_error&) {
}

/// Values as records hold them must come back.
void write_and_read(fuzz::Input& input) {
  PhaseRecord record;
  record.version = input.number() % 10'000'000'000'000'000'000U;
  record.phase = static_cast<Phase>(input.below(4));
  record.changed_at = std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds(static_cast<std::int64_t>(input.number() % 253'402'300'799'999U)));
  record.migration = input.text();
  record.changed_by = input.text();
  require(parse_phase_record(encode_phase_record(record)) == record,
          "a phase record is read as it was written");

  const std::string layout(input.text());
  require(parse_layout_record(encode_layout_record(layout)) == layout, "a layout is read as it was written");

  detail::LeaseRecord lease;
  lease.token = input.number();
  lease.beat = input.number();
  lease.owner = input.text();
  lease.duration = std::chrono::milliseconds(10 + input.number() % 1'000'000);
  lease.checkpoint = input.rest();
  const detail::LeaseRecord read = detail::read_lease(detail::write_lease(lease));
  require(read.token == lease.token && read.beat == lease.beat && read.owner == lease.owner &&
              read.duration == lease.duration && read.checkpoint == lease.checkpoint,
          "a lease is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t how = input.below(3);
  if (how == 2) {
    write_and_read(input);
    return 0;
  }
  std::string text(input.rest());
  if (how == 1) text += "checksum: " + detail::hex64(Xxh3_64{}(text)) + "\n";
  phase_record(text);
  layout_record(text);
  lease(text);
  return 0;
}
