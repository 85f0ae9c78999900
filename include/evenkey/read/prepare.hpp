// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/index.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/page_token.hpp>
#include <evenkey/read/settings.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// What the verbs turn into before they are driven: an engine with its merges, and the binding of its tokens.
// Blocking and asynchronous verbs share it, so that a read is the same however it is driven.
namespace evenkey::detail {

template <class Options>
ReadSettings settings_of(const Options& options) {
  check_options(options);
  ReadSettings settings;
  if constexpr (requires { options.limit; }) settings.limit = options.limit;
  if constexpr (requires { options.direction; }) settings.direction = options.direction;
  if constexpr (requires { options.max_tie_run; }) settings.max_tie_run = options.max_tie_run;
  if constexpr (requires { options.max_read_units; }) settings.max_read_units = options.max_read_units;
  settings.on_failure = options.on_failure;
  settings.deadline = options.deadline;
  settings.stop = options.stop;
  settings.ahead = settings.limit == 0 && settings.max_read_units <= 0 ? ReadAhead::all : ReadAhead::none;
  return settings;
}

template <class Index>
constexpr typename ReadEngine<Index>::Ties ties_of_index =
    index_with_order<Index> ? ReadEngine<Index>::Ties::by_primary_key : ReadEngine<Index>::Ties::as_stored;

/// The caller's range.
/// Errors: of another type than the index's sort key → `std::invalid_argument`; a value that DynamoDB refuses
/// → `key_error`.
template <class Index>
KeyRange range_of(const SortKeyCondition& range) {
  if (range.form() != SortKeyCondition::Form::none) {
    if constexpr (!index_with_order<Index>) {
      throw std::invalid_argument(
          "evenkey: an index without a sort key has no range of it; leave the range out");
    } else if (std::holds_alternative<std::string>(range.value()) ==
               std::same_as<typename Index::SortKey, NumberKey>) {
      throw sort_key_mismatch();
    }
  }
  return KeyRange(range);
}

/// One merge for every partition of the plan, in its order.
template <class Index>
void add_by_shard(ReadEngine<Index>& engine, const ReadPlan& plan, const ReadScope& scope) {
  for (std::size_t group = 0; group < plan.groups.size(); ++group)
    for (const PlannedPartition& partition : plan.groups[group].partitions)
      engine.add(ReadPlan{{PlannedGroup{{partition}}}, plan.visibility_wait}, scope,
                 ReadEngine<Index>::Ties::as_stored, group);
}

template <class Index>
[[noreturn]] void refuse_order() {
  throw std::invalid_argument(
      "evenkey: an index without a sort key has no order to merge by; list it with Order::by_shard");
}

/// All partitions of the index.
/// Errors: no sort key to merge by → `std::invalid_argument`.
template <class Index>
void add_listing(ReadEngine<Index>& engine, Order order, const SortKeyCondition& range) {
  ReadScope scope;
  scope.range = range_of<Index>(range);
  if (order == Order::by_shard) {
    add_by_shard(engine, read_plan(engine.index()), scope);
    return;
  }
  if constexpr (index_with_order<Index>) {
    engine.add(read_plan(engine.index()), std::move(scope), ReadEngine<Index>::Ties::by_primary_key);
  } else {
    refuse_order<Index>();
  }
}

/// The rows of one id.
/// Errors: an id that no row can have → `key_error`.
template <class Index>
ReadScope scope_of_id(const Index& index, std::string_view id, const SortKeyCondition& range) {
  ReadScope scope;
  scope.id = id;
  scope.range = KeyRange(find_condition(index, id));
  scope.range.intersect(range_of<Index>(range));
  return scope;
}

template <class Index>
void add_find(ReadEngine<Index>& engine, std::string_view id, const SortKeyCondition& range = {}) {
  engine.add(read_plan(engine.index(), id), scope_of_id(engine.index(), id, range), ties_of_index<Index>);
}

/// Gives a read of pages its beginning, from a token, and its end, as a token.
template <class Index>
class PageTokens {
 public:
  PageTokens(const Index& index, const PageOptions& options, std::string_view id)
      : by_shard_(options.order == Order::by_shard || !index_with_order<Index>), seal_(options.seal) {
    binding_.index = Xxh3_64{}(index.name);
    binding_.range = hash_range(options.range, id);
    binding_.tag = Xxh3_64{}(options.tag);
    binding_.order = by_shard_ ? Order::by_shard : Order::by_sort_key;
    binding_.direction = options.direction;
  }

  bool by_shard() const noexcept { return by_shard_; }

  /// Adds the merges, from the token's place on.
  /// Errors: `token_error`.
  void begin(ReadEngine<Index>& engine, const ReadPlan& plan, ReadScope scope, std::string_view token) {
    if (by_shard_) {
      std::string layout;
      std::size_t partitions = 0;
      for (const PlannedGroup& group : plan.groups)
        for (const PlannedPartition& partition : group.partitions) {
          layout.append(partition.partition_key).push_back('\0');
          ++partitions;
        }
      binding_.layout = Xxh3_64{}(layout);
      require_start_key_traits<typename Index::StartKey>();
      std::optional<ShardPosition<Index>> place;
      if (!token.empty()) place = read_shard_token<Index>(token, binding_, partitions, seal_);
      add_by_shard(engine, plan, scope);
      if (place) engine.resume_at(*std::move(place));
    } else {
      if (!token.empty()) {
        if (auto place = read_token<Index>(token, binding_, seal_)) engine.resume_after(*std::move(place));
      }
      engine.add(plan, std::move(scope), ties_of_index<Index>);
    }
  }

  /// The token of what is left; empty where nothing is.
  std::string next(const ReadEngine<Index>& engine, bool missing) const {
    if (!missing && engine.exhausted()) return {};
    return by_shard_ ? write_token<Index>(binding_, engine.shard_position(), seal_)
                     : write_token<Index>(binding_, engine.position(), seal_);
  }

 private:
  bool by_shard_;
  TokenBinding binding_;
  const TokenSeal* seal_;
};

}  // namespace evenkey::detail
