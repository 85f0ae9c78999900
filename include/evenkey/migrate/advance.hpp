// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase.hpp>
#include <evenkey/migrate/reports.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkey {

/// What allows the last step of a migration. A member that is empty is evidence that is missing.
struct Evidence {
  /// A whole drift report that is clean.
  std::optional<DriftReport> drift = {};
  /// A whole parity report of what readers of the destination see, that is identical.
  std::optional<ParityReport> parity = {};
  /// Since when no instance of an earlier phase lives: no writer, its last retry included, and no read that
  /// it began.
  std::optional<std::chrono::system_clock::time_point> writers_drained_at = {};
};

/// The answer to a step of a migration: allowed, or the reasons why not.
class Advance {
 public:
  /// Whether the step may be taken, or was.
  bool allowed() const noexcept { return reasons_.empty(); }
  /// Every reason, a sentence each, that says what to do.
  const std::vector<std::string>& reasons() const& noexcept { return reasons_; }
  /// Of an answer that is no longer needed, as in a loop over it.
  std::vector<std::string> reasons() && noexcept { return std::move(reasons_); }

  /// Adds a reason against the step.
  void refuse(std::string reason) { reasons_.push_back(std::move(reason)); }

 private:
  std::vector<std::string> reasons_;
};

namespace detail {

/// What evidence is held against.
struct EvidenceCheck {
  std::string migration;
  std::string layout;  // of the destination
  std::chrono::milliseconds visibility_lag;

  void check(const Evidence& evidence, Advance& answer) const {
    if (!evidence.writers_drained_at) {
      answer.refuse(
          "writers_drained_at is missing: say since when no writer of an earlier phase lives, its last retry "
          "included");
    }
    if (!evidence.drift) {
      answer.refuse("the drift report is missing: run check_drift");
    } else {
      check_head(evidence, *evidence.drift, "drift", answer);
      if (evidence.drift->migration != migration)
        answer.refuse("the drift report is of another migration: " + evidence.drift->migration +
                      "; this one is " + migration);
      if (evidence.drift->on_source != 0)
        answer.refuse(std::to_string(evidence.drift->on_source) +
                      " rows are on the source: run backfill with a later writers_drained_at, or without "
                      "its checkpoint, then check_drift again");
      if (evidence.drift->stranded != 0)
        answer.refuse(
            std::to_string(evidence.drift->stranded) +
            " rows on the source have no sharding id and would vanish with it: give them one, or take "
            "their key away, then check_drift again");
      if (evidence.drift->misplaced != 0)
        answer.refuse(std::to_string(evidence.drift->misplaced) +
                      " rows are in a shard that their id does not hash to: find who stamped them, mend "
                      "them, then check_drift again");
    }
    if (!evidence.parity) {
      answer.refuse("the parity report is missing: run check_parity on at(Phase::destination)");
    } else {
      check_head(evidence, *evidence.parity, "parity", answer);
      if (evidence.parity->layout != layout)
        answer.refuse("the parity report is of another layout: " + evidence.parity->layout +
                      "; the destination is " + layout);
      const std::size_t differing = evidence.parity->missing + evidence.parity->extra +
                                    evidence.parity->mismatched + evidence.parity->misplaced;
      if (differing != 0)
        answer.refuse(std::to_string(differing) +
                      " rows differ between table and index: look at the parity report's samples");
    }
  }

 private:
  void check_head(const Evidence& evidence, const ReportHead& head, const std::string& kind,
                  Advance& answer) const {
    if (!head.whole())
      answer.refuse("the " + kind +
                    " report is not whole: a sample or a stopped run is for watching, not for "
                    "this step");
    // Never by adding to the caller's time: "never drained", the largest there is, would overflow to the past.
    if (evidence.writers_drained_at && (head.started < *evidence.writers_drained_at ||
                                        head.started - visibility_lag < *evidence.writers_drained_at))
      answer.refuse("the " + kind +
                    " report began before the writers were gone and their last rows visible: run it again");
  }
};

/// Whether a step from one phase to another is one that may be taken at all.
inline void check_step(Phase from, Phase to, Advance& answer) {
  if (from == to) {
    answer.refuse("the migration is in " + std::string(phase_name(from)) + " already");
  } else if (to < from) {
    answer.refuse("a migration does not go backwards: take reversed(), entered at " +
                  std::string(phase_name(mirror(from))) +
                  ", where readers and writers use the same "
                  "partitions as in " +
                  std::string(phase_name(from)) + " now");
  } else if (distance(from, to) > 1) {
    answer.refuse("from " + std::string(phase_name(from)) + " to " + std::string(phase_name(to)) +
                  " skips a phase: readers of one would miss what writers of the other create; go to " +
                  std::string(phase_name(static_cast<Phase>(static_cast<int>(from) + 1))) + " first");
  }
}

}  // namespace detail
}  // namespace evenkey
