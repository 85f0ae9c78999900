// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/drift_token.hpp>
#include <evenkey/migrate/parity/buckets.hpp>
#include <evenkey/migrate/parity/options.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/read/page_token.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey {

/// What readers of an index saw at one time, summed by bucket: small enough to be kept, and to be compared
/// with another that is made later. Made by `record_rows`.
///
/// Shape: 12 bytes a bucket; `bytes()` and `parse` are each other's reverse.
/// Source: docs/format/recording.md.
struct Recording {
  /// The rows whose ids hash to one number.
  struct Bucket {
    std::uint32_t rows = 0;    ///< how many
    std::uint64_t digest = 0;  ///< the sum of their digests
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };

  /// The layout that was read.
  std::string layout;
  /// What the digest is about, in the caller's words: recordings of other labels are not compared.
  std::string label;
  /// The part of the ids that is in it.
  double sample = 1;
  /// When it began; microseconds are kept.
  std::chrono::system_clock::time_point started{};
  Coverage coverage = Coverage::partial;  ///< whether all of it was read
  std::vector<Bucket> buckets;            ///< by the hash of the id

  /// How many rows were seen.
  std::size_t rows() const noexcept {
    std::size_t sum = 0;
    for (const Bucket& bucket : buckets)
      sum += bucket.rows;
    return sum;
  }

  /// As docs/format/recording.md has it, to be stored.
  std::string bytes() const;
  /// The recording of some bytes; nothing for any that `bytes` does not give.
  static std::optional<Recording> parse(std::string_view bytes);

  friend bool operator==(const Recording&, const Recording&) = default;
};

namespace detail {

inline constexpr std::uint64_t recording_magic = 0x65766b7265633031;  // "evkrec01": stored, do not change

}  // namespace detail

inline std::string Recording::bytes() const {
  detail::TokenWriter writer;
  writer.u64(detail::recording_magic);
  writer.byte(coverage == Coverage::whole ? 1 : 0);
  writer.u64(std::bit_cast<std::uint64_t>(sample));
  writer.u64(detail::ticks_of(started));
  writer.text(layout);
  writer.text(label);
  writer.u32(buckets.size());
  for (const Bucket& bucket : buckets) {
    writer.u32(bucket.rows);
    writer.u64(bucket.digest);
  }
  return detail::with_checksum(std::move(writer));
}

inline std::optional<Recording> Recording::parse(std::string_view bytes) try {
  detail::TokenReader reader(detail::checked_bytes(bytes));
  Recording recording;
  if (reader.u64() != detail::recording_magic) return std::nullopt;
  const std::uint8_t coverage = reader.byte();
  if (coverage > 1) return std::nullopt;
  recording.coverage = coverage == 1 ? Coverage::whole : Coverage::partial;
  recording.sample = std::bit_cast<double>(reader.u64());
  recording.started = detail::time_of(reader.u64());
  recording.layout = reader.text();
  recording.label = reader.text();
  const std::uint32_t count = reader.u32();
  if (count == 0 || count > detail::most_buckets || !(recording.sample > 0 && recording.sample <= 1))
    return std::nullopt;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t rows = reader.u32();
    recording.buckets.push_back({rows, reader.u64()});
  }
  reader.end();
  return recording;
} catch (const token_error&) {
  return std::nullopt;
}

/// Compares two recordings, such as one from before a migration with one from after.
///
/// Use it where the base table is not to be scanned, or for two indexes over the same rows. Rows that
/// were written between the two differ rightly: record rows that no longer change, by a `where(…)` on
/// both.
/// Shape: a `ParityReport` whose numbers are *at least*: of a bucket that differs it is known by how
/// many rows, or else that one or more are mismatched; none is named. It is whole if both are. Its
/// start is the earlier one's, so it is no evidence for the last step of a migration.
/// Errors: recordings of other labels, samples or numbers of buckets → `std::invalid_argument`.
inline ParityReport compare_recordings(const Recording& before, const Recording& after) {
  if (before.label != after.label || before.sample != after.sample ||
      before.buckets.size() != after.buckets.size())
    throw std::invalid_argument(
        "evenkey: these recordings cannot be compared: label, sample and number of buckets must be the same");
  ParityReport report;
  report.layout = after.layout;
  report.started = (std::min)(before.started, after.started);
  report.compared = before.rows();
  report.looks = 1;
  detail::UnnamedDifferences seen;
  for (std::size_t i = 0; i < before.buckets.size(); ++i)
    if (before.buckets[i] != after.buckets[i])
      seen.add(std::int64_t{before.buckets[i].rows} - std::int64_t{after.buckets[i].rows});
  report.missing = seen.missing;
  report.extra = seen.extra;
  report.mismatched = seen.mismatched;
  const bool whole = before.coverage == Coverage::whole && after.coverage == Coverage::whole;
  report.coverage = whole ? Coverage::whole : Coverage::partial;
  return report;
}

}  // namespace evenkey
