// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/migrate/drift_token.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/parity/buckets.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/read/page_token.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evenkey::detail {

inline constexpr std::uint8_t parity_token_kind = 'P';
inline constexpr std::uint8_t parity_token_version = 1;

/// The place of a first look: both sides' lanes, and the sums of what was read.
template <class TableStartKey, class StartKey>
struct ParityPlace {
  std::vector<WalkLane<TableStartKey>>& table;
  std::vector<WalkLane<StartKey>>& index;
  BucketDifferences& differences;
};

template <class TableStartKey, class StartKey>
std::string write_parity_token(const ParityReport& report, double sample,
                               const ParityPlace<TableStartKey, StartKey>& place) {
  if constexpr (!has_start_key_traits<StartKey> || !has_start_key_traits<TableStartKey>) {
    return {};
  } else {
    TokenWriter writer;
    writer.byte(parity_token_kind);
    writer.byte(parity_token_version);
    writer.u64(Xxh3_64{}(report.layout));
    writer.u64(std::bit_cast<std::uint64_t>(sample));
    writer.u64(ticks_of(report.started));
    for (const std::size_t count : {report.requests, report.compared, report.foreign, report.unindexed})
      writer.u64(count);
    writer.u64(std::bit_cast<std::uint64_t>(report.consumed_read_units));
    write_lanes(writer, place.table);
    write_lanes(writer, place.index);
    writer.u32(place.differences.size());
    const auto& buckets = place.differences.all();
    const auto is_empty = [](const auto& bucket) { return bucket.is_even() && bucket.table_rows == 0; };
    writer.u32(buckets.size() -
               static_cast<std::size_t>(std::count_if(buckets.begin(), buckets.end(), is_empty)));
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (is_empty(buckets[i])) continue;
      writer.u32(i);
      writer.u64(buckets[i].digest);
      writer.u32(std::bit_cast<std::uint32_t>(buckets[i].rows));
      writer.u32(buckets[i].table_rows);
    }
    return with_checksum(std::move(writer));
  }
}

/// Errors: `token_error`.
template <class TableStartKey, class StartKey>
void read_parity_token(std::string_view token, double sample, ParityReport& report,
                       const ParityPlace<TableStartKey, StartKey>& place) {
  TokenReader reader(checked_bytes(token));
  if (reader.byte() != parity_token_kind) refuse_walk_token("is not of a parity check");
  if (reader.byte() != parity_token_version) refuse_walk_token("is of another version of evenkey");
  if (reader.u64() != Xxh3_64{}(report.layout)) refuse_walk_token("is of another layout");
  if (reader.u64() != std::bit_cast<std::uint64_t>(sample)) refuse_walk_token("is of another sample");
  report.started = time_of(reader.u64());
  for (std::size_t* const count : {&report.requests, &report.compared, &report.foreign, &report.unindexed})
    *count = static_cast<std::size_t>(reader.u64());
  report.consumed_read_units = std::bit_cast<double>(reader.u64());
  read_lanes(reader, place.table);
  read_lanes(reader, place.index);
  if (reader.u32() != place.differences.size()) refuse_walk_token("is of another number of buckets");
  for (std::uint32_t left = reader.u32(); left != 0; --left) {
    const std::uint32_t i = reader.u32();
    if (i >= place.differences.size()) TokenReader::damaged();
    BucketDifferences::Bucket& bucket = place.differences[i];
    bucket.digest = reader.u64();
    bucket.rows = std::bit_cast<std::int32_t>(reader.u32());
    bucket.table_rows = reader.u32();
  }
  reader.end();
}

}  // namespace evenkey::detail
