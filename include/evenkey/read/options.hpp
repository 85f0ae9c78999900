// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/concurrency_limit.hpp>
#include <evenkey/read/retry.hpp>
#include <evenkey/read/token_seal.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string_view>

namespace evenkey {

/// The order in which a listing gives its items.
enum class Order : std::uint8_t {
  /// One order over all shards: by sort key, then by primary key; descending is the exact reverse.
  by_sort_key,
  /// Shard after shard, each in the store's own order: constant memory, any number of equal sort keys, no
  /// sort key needed. For sweeps and exports.
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
  Order order = Order::by_sort_key;            ///< merged by sort key, or shard after shard
  Direction direction = Direction::ascending;  ///< ascending, or its exact reverse
  /// Whether a partition that fails is an error or a part of the answer.
  OnFailure on_failure = OnFailure::raise;
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// The longest run of equal sort keys that is put in order, at least 1; a longer one is a `tie_run_error`.
  std::size_t max_tie_run = default_max_tie_run;
  /// Only items in this range of the sort key.
  SortKeyCondition range = {};
  /// No request starts after it; it is passed on in each request.
  std::optional<Deadline> deadline = {};
  /// No request starts after a stop is requested; it is passed on in each request.
  std::stop_token stop = {};
  /// A cap on requests under way that several reads share; null: none.
  ConcurrencyLimit* shared_limit = nullptr;
  /// Off by default, because clients retry themselves.
  RetryOptions retry = {};
};

/// How `read_page`, `find_page` and `stream` read. The order of members is API; those that `EnumerateOptions`
/// has too mean the same.
struct PageOptions {
  /// The most items to return; 0 means all.
  std::size_t limit = 0;
  Order order = Order::by_sort_key;            ///< merged by sort key, or shard after shard
  Direction direction = Direction::ascending;  ///< ascending, or its exact reverse
  OnFailure on_failure = OnFailure::raise;     ///< throw where a partition fails, or say so
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// A budget in read capacity units; 0 means none. It is checked before each request, so that only requests
  /// then under way exceed it; and it yields to progress: a read goes on until its token can move.
  double max_read_units = 0;
  /// The longest run of equal sort keys that is put in order, at least 1; a longer one is a `tie_run_error`.
  std::size_t max_tie_run = default_max_tie_run;
  /// Only items in this range of the sort key.
  SortKeyCondition range = {};
  /// What else the answer depends on, such as the text of a server-side filter: a token of another tag is
  /// refused.
  std::string_view tag = {};
  /// Signs or encrypts tokens; null: they show their keys to whoever holds them.
  const TokenSeal* seal = nullptr;
  std::optional<Deadline> deadline = {};     ///< no request starts after it
  std::stop_token stop = {};                 ///< no request starts after a stop is requested
  ConcurrencyLimit* shared_limit = nullptr;  ///< a cap that several reads share; null: none
  RetryOptions retry = {};                   ///< off by default: clients retry themselves
};

/// How `find` reads one id's rows. The order of members is API; those that `EnumerateOptions` has too mean
/// the same.
struct FindOptions {
  /// The most items to return; 0 means all.
  std::size_t limit = 0;
  Direction direction = Direction::ascending;     ///< ascending, or its exact reverse
  OnFailure on_failure = OnFailure::raise;        ///< throw where a partition fails, or say so
  std::size_t max_tie_run = default_max_tie_run;  ///< of equal sort keys; beyond: `tie_run_error`
  /// Only the id's rows in this range; its values are whole sort keys, the id included.
  SortKeyCondition range = {};
  std::optional<Deadline> deadline = {};     ///< no request starts after it
  std::stop_token stop = {};                 ///< no request starts after a stop is requested
  ConcurrencyLimit* shared_limit = nullptr;  ///< a cap that several reads share; null: none
  RetryOptions retry = {};                   ///< off by default: clients retry themselves
};

/// How `find_many` reads the rows of several ids. The order of members is API; those that `EnumerateOptions`
/// has too mean the same.
struct FindManyOptions {
  Direction direction = Direction::ascending;  ///< ascending, or its exact reverse
  OnFailure on_failure = OnFailure::raise;     ///< throw where a partition fails, or say so
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  std::size_t max_tie_run = default_max_tie_run;  ///< of equal sort keys; beyond: `tie_run_error`
  /// How many rows an id has, on average. Where many of the ids fall into one shard, reading the whole shard
  /// can be cheaper than asking for each. 0: not known, each id is asked for.
  std::size_t expected_rows_per_id = 0;
  /// How many rows a shard has, on average, those of ids that are not asked for included; 0: not known, each
  /// id is asked for. A shard is read as a whole where that costs fewer read units than its ids one by one, or
  /// as many and they are two or more: by these numbers, and rows of 1 KiB. They change the cost alone, never
  /// the answer: a shard that has more rows than expected is read to its end.
  std::size_t expected_rows_per_shard = 0;
  std::optional<Deadline> deadline = {};     ///< no request starts after it
  std::stop_token stop = {};                 ///< no request starts after a stop is requested
  ConcurrencyLimit* shared_limit = nullptr;  ///< a cap that several reads share; null: none
  RetryOptions retry = {};                   ///< off by default: clients retry themselves
};

/// How `count` counts. The order of members is API; those that `EnumerateOptions` has too mean the same.
struct CountOptions {
  OnFailure on_failure = OnFailure::raise;  ///< throw where a partition fails, or say so
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// Only items in this range of the sort key.
  SortKeyCondition range = {};
  std::optional<Deadline> deadline = {};     ///< no request starts after it
  std::stop_token stop = {};                 ///< no request starts after a stop is requested
  ConcurrencyLimit* shared_limit = nullptr;  ///< a cap that several reads share; null: none
  RetryOptions retry = {};                   ///< off by default: clients retry themselves
};

namespace detail {

inline void require_positive(std::size_t value, const char* message) {
  if (value == 0) throw std::invalid_argument(message);
}

/// Refuses options out of range, before any request.
template <class Options>
void check_options(const Options& options) {
  check_retry_options(options.retry);
  if constexpr (requires { options.max_concurrency; })
    require_positive(options.max_concurrency,
                     "evenkey: max_concurrency is 0, so no query could ever start; give at least 1");
  if constexpr (requires { options.max_tie_run; })
    require_positive(options.max_tie_run,
                     "evenkey: max_tie_run is 0, so no item could be returned; give at least 1");
  if constexpr (requires { options.max_read_units; }) {
    if (!(options.max_read_units >= 0))
      throw std::invalid_argument("evenkey: max_read_units is negative or no number; give 0 for no budget");
  }
}

}  // namespace detail
}  // namespace evenkey
