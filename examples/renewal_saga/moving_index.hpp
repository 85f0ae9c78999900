// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/advance.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/record_store.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/migrate/watch.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/result.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "saga.hpp"
#include "stage.hpp"

namespace lab {

using evenkey::Phase;

/// Which way rows move: to the shards, or back to the constant key.
enum class Way : std::uint8_t { forward, back };

/// A phase of one of the two ways: what an instance runs in.
struct Standing {
  Way way = Way::forward;
  Phase phase = Phase::source;

  friend bool operator==(const Standing&, const Standing&) = default;
};
/// `dual_read`, and on the way back `back: dual_read`.
std::string name_of(Standing standing);

using Query = std::function<evenkey::Page<Saga>(const evenkey::QueryRequest<std::string>&)>;
using Scan = std::function<evenkey::Page<Saga>(const evenkey::ScanRequest<std::string>&)>;
using Restamp = std::function<evenkey::RestampResult(const evenkey::Restamp<Saga>&)>;

/// GSI4 on the move, both ways: the one place where the lab calls evenkey's migration.
class MovingIndex {
 public:
  using Legacy = ConstantKeySagas::PartitionKey;
  using Forward = evenkey::Migration<ShardedSagas, Legacy>;
  using Back = evenkey::Migration<ShardedSagas, evenkey::DynamicShardedKey, Legacy>;
  using Rows = evenkey::ReadResult<Saga>;

  MovingIndex(std::uint32_t shards, evenkey::Visibility visibility, const StageClock& clock);

  // --- what instances do, each in its own phase ---
  std::string created_key(Standing standing, std::string_view person) const;
  Rows find(Standing standing, std::string_view person, Query query) const;
  /// The rows of those whose queries failed are missing; `failures` names them.
  Rows find_many(Standing standing, const std::vector<std::string_view>& persons, Query query) const;
  Rows enumerate(Standing standing, Query query) const;
  /// Errors: `evenkey::phase_error` where the shared record does not allow it.
  void check_phase(Standing standing) const;

  // --- what the operator does ---
  evenkey::Advance advance(Standing from, Phase to, const evenkey::Evidence& evidence) const;
  evenkey::Advance would_advance(Standing from, Phase to, const evenkey::Evidence& evidence) const;
  evenkey::BackfillReport backfill(Way way, Scan scan, Restamp restamp,
                                   const evenkey::BackfillOptions& options) const;
  evenkey::DriftReport check_drift(Way way, Scan scan) const;
  evenkey::ParityReport check_parity(Standing standing, Scan scan, Query query) const;
  evenkey::WatchReport watch_source(Way way, Query query, Restamp restamp,
                                    const evenkey::WatchOptions& options) const;

  const Forward& forward() const noexcept { return forward_; }
  bool is_sharded(std::string_view partition_key) const {
    return forward_.destination().parse(partition_key).has_value();
  }
  const StageClock& clock() const noexcept { return clock_; }

 private:
  template <class Act>
  decltype(auto) on(Way way, Act act) const {
    return way == Way::forward ? act(forward_) : act(back_);
  }

  Forward forward_;
  Back back_;
  StageClock clock_;
  mutable evenkey::MemoryRecordStore record_;
};

/// The tools keep below that many read units a second, so that they are no burden to the application.
inline constexpr double tools_read_units = 100;

}  // namespace lab
