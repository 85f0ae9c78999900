// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/read/base64url.hpp>
#include <evenkey/read/page_token.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The place of a check that was not whole. It lives as long as the check: it is versioned and refused where
// it does not fit, but a later version of evenkey need not understand it.
namespace evenkey::detail {

inline std::uint64_t ticks_of(std::chrono::system_clock::time_point time) {
  return static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::microseconds>(time).time_since_epoch().count());
}
/// Errors: a time that the system's clock cannot hold, which `ticks_of` never gave → `token_error`.
inline std::chrono::system_clock::time_point time_of(std::uint64_t ticks) {
  using std::chrono::duration_cast, std::chrono::microseconds;
  using Time = std::chrono::system_clock::time_point;
  const microseconds since_1970(static_cast<std::int64_t>(ticks));
  if (since_1970 < duration_cast<microseconds>((Time::min)().time_since_epoch()) ||
      since_1970 > duration_cast<microseconds>((Time::max)().time_since_epoch()))
    TokenReader::damaged();
  return Time(duration_cast<Time::duration>(since_1970));
}

[[noreturn]] inline void refuse_walk_token(const char* why) {
  throw token_error(std::string("evenkey: this token of a check ") + why + "; start again without a token");
}

/// Each lane: 0 not begun, 1 and the start key, 2 ended.
template <class StartKey>
void write_lanes(TokenWriter& writer, const std::vector<WalkLane<StartKey>>& lanes) {
  writer.u32(lanes.size());
  for (const WalkLane<StartKey>& lane : lanes) {
    writer.byte(lane.ended ? 2 : lane.next ? 1 : 0);
    if (!lane.ended && lane.next) writer.text(encode_start_key(*lane.next));
  }
}

/// @param lanes as many as this run has
template <class StartKey>
void read_lanes(TokenReader& reader, std::vector<WalkLane<StartKey>>& lanes) {
  if (reader.u32() != lanes.size()) refuse_walk_token("is of another number of segments or partitions");
  for (WalkLane<StartKey>& lane : lanes) {
    const std::uint8_t state = reader.byte();
    if (state > 2) TokenReader::damaged();
    lane.ended = state == 2;
    lane.next.reset();
    if (state != 1) continue;
    lane.next = decode_start_key<StartKey>(reader.text());
    if (!lane.next) TokenReader::damaged();
  }
}

/// The bytes before the checksum; refuses what has none that fits.
inline std::string_view checked_bytes(std::string_view bytes) {
  if (bytes.size() < 8) TokenReader::damaged();
  const std::string_view covered = bytes.substr(0, bytes.size() - 8);
  TokenReader checksum(bytes.substr(covered.size()));
  if (checksum.u64() != Xxh3_64{}(covered)) TokenReader::damaged();
  return covered;
}
inline std::string with_checksum(TokenWriter&& writer) {
  writer.u64(Xxh3_64{}(writer.bytes()));
  return std::move(writer).take();
}

inline constexpr std::uint8_t drift_token_kind = 'D';
inline constexpr std::uint8_t drift_token_version = 1;

template <class StartKey>
std::string write_drift_token(const DriftReport& report, const std::vector<WalkLane<StartKey>>& lanes) {
  if constexpr (!has_start_key_traits<StartKey>) {
    return {};
  } else {
    TokenWriter writer;
    writer.byte(drift_token_kind);
    writer.byte(drift_token_version);
    writer.u64(Xxh3_64{}(report.migration));
    writer.u64(ticks_of(report.started));
    for (const std::size_t count :
         {report.requests, report.scanned, report.in_place, report.on_source, report.misplaced,
          report.foreign, report.unindexed, report.stranded, report.regressed})
      writer.u64(count);
    writer.u64(std::bit_cast<std::uint64_t>(report.consumed_read_units));
    writer.u32(report.samples.size());
    for (const std::string& sample : report.samples)
      writer.text(sample);
    write_lanes(writer, lanes);
    return to_base64url(with_checksum(std::move(writer)));
  }
}

/// Errors: `token_error`.
template <class StartKey>
void read_drift_token(std::string_view token, const std::string& migration, DriftReport& report,
                      std::vector<WalkLane<StartKey>>& lanes) {
  const std::optional<std::string> bytes = from_base64url(token);
  if (!bytes) TokenReader::damaged();
  TokenReader reader(checked_bytes(*bytes));
  if (reader.byte() != drift_token_kind) refuse_walk_token("is not of a drift check");
  if (reader.byte() != drift_token_version) refuse_walk_token("is of another version of evenkey");
  if (reader.u64() != Xxh3_64{}(migration)) refuse_walk_token("is of another migration");
  report.started = time_of(reader.u64());
  for (std::size_t* const count :
       {&report.requests, &report.scanned, &report.in_place, &report.on_source, &report.misplaced,
        &report.foreign, &report.unindexed, &report.stranded, &report.regressed})
    *count = static_cast<std::size_t>(reader.u64());
  report.consumed_read_units = std::bit_cast<double>(reader.u64());
  for (std::uint32_t left = reader.u32(); left != 0; --left)
    report.samples.emplace_back(reader.text());
  read_lanes(reader, lanes);
  reader.end();
}

}  // namespace evenkey::detail
