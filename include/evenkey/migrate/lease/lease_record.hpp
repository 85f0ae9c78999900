// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/record_text.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace evenkey::detail {

/// What is stored of a segment's lease.
/// Source: docs/format/lease.md.
struct LeaseRecord {
  /// The fencing token: one more with every host that takes the segment. It never goes back.
  std::uint64_t token = 0;
  /// One more with every write under one token.
  std::uint64_t beat = 0;
  /// Empty: nobody holds it.
  std::string owner = {};
  /// How long it is good after it was last written.
  std::chrono::milliseconds duration{0};
  /// The segment needs no host any more.
  enum class State : std::uint8_t { open, finished } state = State::open;
  /// Of this one segment; empty: it was not begun.
  std::string checkpoint = {};
};

/// No lease is longer: a duration that cannot be added to a time would free a segment that another holds.
inline constexpr std::chrono::milliseconds most_lease_duration = std::chrono::hours(24 * 365);

inline constexpr std::string_view lease_kind = "evenkey-lease/1";  // stored: do not change

inline std::string write_lease(const LeaseRecord& record) {
  return RecordWriter(lease_kind)
      .line("token", std::to_string(record.token))
      .line("beat", std::to_string(record.beat))
      .line("owner", record.owner)
      .line("duration_ms", std::to_string(record.duration.count()))
      .line("state", record.state == LeaseRecord::State::open ? "open" : "finished")
      .line("checkpoint", record.checkpoint)
      .finish();
}

/// Errors: `checkpoint_error` for any text that `write_lease` does not give.
inline LeaseRecord read_lease(std::string_view text) {
  RecordReader reader(lease_kind, text);
  LeaseRecord record;
  // What is no number, or none that fits, is another text when it is written again.
  const auto number = [&](std::string_view name, auto& value) {
    const std::string digits = reader.line(name);
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), value);
  };
  number("token", record.token);
  number("beat", record.beat);
  record.owner = reader.line("owner");
  std::int64_t duration = 0;
  number("duration_ms", duration);
  record.duration = std::chrono::milliseconds(duration);
  const bool can_last = record.duration.count() >= 0 && record.duration <= most_lease_duration;
  if (reader.line("state") == "finished") record.state = LeaseRecord::State::finished;
  record.checkpoint = reader.line("checkpoint");
  if (!reader.done() || !can_last || write_lease(record) != text)
    throw checkpoint_error("evenkey: the lease of a segment is damaged, or was not made by this version");
  return record;
}

}  // namespace evenkey::detail
