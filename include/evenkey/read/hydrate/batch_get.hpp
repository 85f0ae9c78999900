// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <vector>

namespace evenkey {

/// DynamoDB's `ConsistentRead`. An index has none: only reads of the base table can be strong.
enum class Consistency : std::uint8_t { eventual, strong };

/// The most keys that one BatchGetItem takes.
inline constexpr std::size_t most_keys_of_a_batch = 100;

/// What evenkey asks of a batch-get functor: the items of these keys of the base table, once.
///
/// Shape: from 1 to 100 keys, no two alike; they live until the functor has answered.
/// Source: AWS API reference, BatchGetItem.
template <class Key>
struct BatchGetRequest {
  std::span<const Key> keys;                        ///< at most 100, no two alike
  Consistency consistency = Consistency::eventual;  ///< what the caller asked for
  /// For a client that can give up in time.
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};  ///< for a client that can be stopped
};

/// What the store answered. A key that is neither answered nor unprocessed has no item.
///
/// Order: none.
template <class Item, class Key>
struct BatchGetAnswer {
  std::vector<Item> items = {};  ///< in any order, as DynamoDB answers
  /// What the store left over, for want of capacity or because 16 MB were full: evenkey asks again, so the
  /// functor should not.
  std::vector<Key> unprocessed_keys = {};
  double consumed_read_units = 0;  ///< read capacity units
};

namespace detail {

template <class Answer>
constexpr bool is_batch_get_answer = false;
template <class Item, class Key>
constexpr bool is_batch_get_answer<BatchGetAnswer<Item, Key>> = true;

template <class BatchGet, class Key>
using BatchAnswerOf =
    std::remove_cvref_t<std::invoke_result_t<BatchGet&, const BatchGetRequest<std::type_identity_t<Key>>&>>;

template <class Answer>
struct RowOfAnswer;
template <class Item, class Key>
struct RowOfAnswer<BatchGetAnswer<Item, Key>> {
  using type = Item;
};

template <class Entry, class KeyOf>
using TableKeyOf = std::remove_cvref_t<std::invoke_result_t<const KeyOf&, const Entry&>>;

}  // namespace detail

/// The user's functor that reads items of the base table by their keys: it asks the store once.
///
/// Errors: it may throw anything.
/// Threads: called by the thread that hydrates.
template <class BatchGet, class Key>
concept batch_get_functor = std::invocable < BatchGet&,
        const BatchGetRequest<Key>
& > &&detail::is_batch_get_answer<detail::BatchAnswerOf<BatchGet, Key>>;

/// A key of the base table that can be told from others by its bytes: text, or what has `start_key_traits`.
template <class Key>
concept table_key = detail::has_start_key_traits<Key>;

}  // namespace evenkey
