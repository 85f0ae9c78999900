// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>

namespace evenkey {

/// The order in which a listing gives its items.
enum class Order : std::uint8_t {
  /// One order over all shards: by sort key, then by primary key; descending is the exact reverse.
  by_sort_key,
  /// Shard after shard, each in the store's own order: constant memory, any number of equal sort keys, no
  /// sort key
  /// needed. For sweeps and exports.
  by_shard
};

/// What a read does when a partition fails.
enum class OnFailure : std::uint8_t {
  /// Throw `fan_out_error`, which names every partition that failed; nothing is returned.
  raise,
  /// Return what the other partitions gave, with `failures`; `complete()` is false.
  collect
};

/// How many queries one call keeps under way at once, unless it says otherwise.
inline constexpr std::size_t default_max_concurrency = 16;

/// How many items of one equal sort key a read holds to put them in order, unless it says otherwise.
inline constexpr std::size_t default_max_tie_run = 10'000;

/// How `enumerate` lists an index. The order of members is API.
struct EnumerateOptions {
  /// The most items to return; 0 means all.
  std::size_t limit = 0;
  Order order = Order::by_sort_key;
  Direction direction = Direction::ascending;
  OnFailure on_failure = OnFailure::raise;
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// The longest run of equal sort keys that is put in order, at least 1; a longer one is a `tie_run_error`.
  std::size_t max_tie_run = default_max_tie_run;
  /// No request starts after it; it is passed on in each request.
  std::optional<Deadline> deadline = {};
  /// No request starts after a stop is requested; it is passed on in each request.
  std::stop_token stop = {};
};

/// How `find` reads one id's rows. The order of members is API.
struct FindOptions {
  /// The most items to return; 0 means all.
  std::size_t limit = 0;
  Direction direction = Direction::ascending;
  OnFailure on_failure = OnFailure::raise;
  std::size_t max_tie_run = default_max_tie_run;
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};
};

/// How `find_many` reads the rows of several ids. The order of members is API.
struct FindManyOptions {
  Direction direction = Direction::ascending;
  OnFailure on_failure = OnFailure::raise;
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  std::size_t max_tie_run = default_max_tie_run;
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};
};

namespace detail {

inline void require_positive(std::size_t value, const char* message) {
  if (value == 0) throw std::invalid_argument(message);
}

inline void check_concurrency(std::size_t max_concurrency) {
  require_positive(max_concurrency,
                   "evenkey: max_concurrency is 0, so no query could ever start; give at least 1");
}

inline void check_tie_run(std::size_t max_tie_run) {
  require_positive(max_tie_run, "evenkey: max_tie_run is 0, so no item could be returned; give at least 1");
}

}  // namespace detail
}  // namespace evenkey
