// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/lease/lease_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkey {

/// What the hosts of a shared backfill have made of a segment.
enum class SegmentState : std::uint8_t {
  not_begun,  ///< no host has taken it yet
  free,       ///< it was begun, and nobody holds it
  held,       ///< a host holds it; one that died is shown until another has taken it
  finished    ///< it needs no host any more
};

/// The name that is shown: `not_begun`.
constexpr std::string_view segment_state_name(SegmentState state) noexcept {
  switch (state) {
    case SegmentState::not_begun:
      return "not_begun";
    case SegmentState::free:
      return "free";
    case SegmentState::held:
      return "held";
    case SegmentState::finished:
      break;
  }
  return "finished";
}

/// One segment of a shared backfill, by its lease.
struct SegmentStanding {
  std::uint32_t segment = 0;                     ///< its number
  SegmentState state = SegmentState::not_begun;  ///< what hosts have made of it
  std::string host = {};                         ///< that holds it; empty: none
  /// One more with every host that took it; 0: none has.
  std::uint64_t token = 0;
  /// One more with every write under that token: a host whose beat grows is alive.
  std::uint64_t beat = 0;
};

/// How far a backfill is, by what it stored; pages under way are not in it.
struct BackfillStanding {
  BackfillCounts counts = {};       ///< of all runs and hosts together
  std::uint64_t failed = 0;         ///< rows that are to be tried again
  std::uint32_t segments = 0;       ///< into how many the scan is cut
  std::uint32_t segments_read = 0;  ///< that were read to their end
  bool finished = false;            ///< every row was looked at, and none is left to move
  /// Of a backfill that hosts share, each segment in order; else empty.
  std::vector<SegmentStanding> leases = {};
};

namespace detail {

inline void add_standing(const Checkpoint& checkpoint, BackfillStanding& standing) {
  const auto members = BackfillCounts::members();
  for (std::size_t i = 0; i < members.size(); ++i)
    standing.counts.*members[i] += checkpoint.counts[i];
  standing.failed += checkpoint.failures.size();
  for (const CheckpointPlace& place : checkpoint.places)
    if (place.at == CheckpointPlace::At::end) ++standing.segments_read;
}

inline SegmentStanding standing_of(std::uint32_t segment, const LeaseRecord& record) {
  const SegmentState state = record.state == LeaseRecord::State::finished ? SegmentState::finished
                             : record.owner.empty()                       ? SegmentState::free
                                                                          : SegmentState::held;
  return {segment, state, record.owner, record.token, record.beat};
}

}  // namespace detail

/// How far a backfill is that one host runs, by its checkpoint.
///
/// Use it for a dashboard, or before an abort: it reads what the run stored, and changes nothing.
/// Shape: the checkpoint's store → how far it is; nothing where there is no checkpoint yet.
/// Errors: a text that is no checkpoint of this version → `checkpoint_error`; what the store throws.
/// Threads: beside the run, by a store of its own.
/// Source: docs/format/checkpoint.md.
inline std::optional<BackfillStanding> backfill_standing(CheckpointStore& store) {
  const std::optional<std::string> text = store.load();
  if (!text) return std::nullopt;
  const detail::Checkpoint checkpoint = detail::read_checkpoint(*text);
  BackfillStanding standing;
  standing.segments = checkpoint.plan.segments;
  detail::add_standing(checkpoint, standing);
  standing.finished = standing.failed == 0 && standing.segments_read == standing.segments;
  return standing;
}

/// How far a backfill is that several hosts share, and which of them holds what, by their leases.
///
/// Use it for a dashboard, or before an abort, to know which hosts to end: it reads what hosts stored, and
/// changes nothing.
/// Shape: the lease store and the `total_segments` of the hosts → how far they are. A host is alive if the
/// beat of what it holds grows from one call to the next within the leases' duration.
/// Order: segments from 0 on, each as it was when it was read: no picture of one moment.
/// Cost: one `load` a segment.
/// Errors: a text that is no lease of this version, or one of another number of segments →
/// `checkpoint_error`; what the store throws.
/// Threads: beside the hosts, by a store that takes calls meanwhile.
/// Source: docs/format/lease.md.
template <lease_store Store>
BackfillStanding backfill_standing(Store& leases, std::uint32_t total_segments) {
  BackfillStanding standing;
  standing.segments = total_segments;
  std::uint32_t finished = 0;
  for (std::uint32_t segment = 0; segment < total_segments; ++segment) {
    const std::optional<std::string> text = leases.load(segment);
    if (!text) {
      standing.leases.push_back({segment});
      continue;
    }
    const detail::LeaseRecord record = detail::read_lease(*text);
    standing.leases.push_back(detail::standing_of(segment, record));
    if (record.state == detail::LeaseRecord::State::finished) ++finished;
    if (record.checkpoint.empty()) continue;
    const detail::Checkpoint checkpoint = detail::read_checkpoint(record.checkpoint);
    if (checkpoint.plan.segments != total_segments)
      throw checkpoint_error("evenkey: the lease of segment " + std::to_string(segment) + " is one of " +
                             std::to_string(checkpoint.plan.segments) + " segments, and " +
                             std::to_string(total_segments) + " were said");
    detail::add_standing(checkpoint, standing);
  }
  standing.finished = total_segments != 0 && finished == total_segments;
  return standing;
}

}  // namespace evenkey
