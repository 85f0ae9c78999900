// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/read/crew.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/gather.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/read/read_page.hpp>
#include <evenkey/read/result.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

namespace detail {

/// All that a stream lives on. Requests under way refer to it, so it stays where it is.
template <class Index, class Query, class... Extras>
class StreamState {
 public:
  using Item = typename Index::Item;

  StreamState(const Index& index, Query query, const PageOptions& options, std::string_view token,
              Extras&&... extras)
      : pass_on_stop_(options.stop, RequestStop{stop_}),
        query_(std::move(query)),
        extras_(std::forward<Extras>(extras)...),
        keep_(std::apply([](auto&... each) { return predicate_of(each...); }, extras_)),
        tokens_(index, options, {}),
        engine_(index, settings(options)),
        caller_(std::apply(
            [&](auto&... each) { return make_caller<Index>(query_, run_options(options), each...); },
            extras_)),
        own_threads_(options.max_concurrency),
        crew_(engine_, caller_, executor(), options.max_concurrency) {
    ReadScope scope;
    scope.range = range_of<Index>(options.range);
    tokens_.begin(engine_, read_plan(engine_.index()), std::move(scope), token);
    crew_.widen();
    try {
      advance();
    } catch (...) {
      stop_.request_stop();  // what is under way is waited for by the members
      throw;
    }
  }
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState() { stop_.request_stop(); }

  std::optional<Item>& item() noexcept { return item_; }

  void advance() {
    item_.reset();
    crew_.run([this](Item&& item) {
      if (!keep_(std::as_const(item))) return Enough::no;
      engine_.give();
      item_.emplace(std::move(item));
      return Enough::yes;
    });
    if (item_) return;
    if (std::exchange(ended_, true)) return;
    caller_.report_finish(engine_);
    ReadResult<Item> account;
    settle_account(engine_, account);
  }

  // The engine may be at work for helpers: it is looked at under the crew's lock.
  std::vector<Failure> failures() {
    return crew_.locked([this] { return engine_.failures(); });
  }
  ReadCost cost() {
    return crew_.locked([this] { return engine_.cost(); });
  }
  std::string token() {
    return crew_.locked([this] { return tokens_.next(engine_, item_.has_value() || engine_.has_failed()); });
  }

 private:
  struct RequestStop {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  ReadSettings settings(const PageOptions& options) {
    ReadSettings settings = page_settings(options, tokens_);
    settings.stop = stop_.get_token();
    if (settings.ahead == ReadAhead::all) settings.ahead = ReadAhead::one_page;
    return settings;
  }

  using Caller = decltype(make_caller<Index>(std::declval<Query&>(), std::declval<const RunOptions&>(),
                                             std::declval<std::remove_reference_t<Extras>&>()...));
  using Given = decltype(executor_of(std::declval<std::remove_reference_t<Extras>&>()...));
  using Executor =
      std::conditional_t<std::is_null_pointer_v<Given>, ThreadPool, std::remove_pointer_t<Given>>;
  using Keep = decltype(predicate_of(std::declval<std::remove_reference_t<Extras>&>()...));

  Executor& executor() {
    if constexpr (std::is_null_pointer_v<Given>) {
      return own_threads_;
    } else {
      return *std::apply([](auto&... each) { return executor_of(each...); }, extras_);
    }
  }

  std::stop_source stop_;
  std::stop_callback<RequestStop> pass_on_stop_;
  Query query_;
  std::tuple<Extras...> extras_;
  Keep keep_;
  PageTokens<Index> tokens_;
  ReadEngine<Index> engine_;
  Caller caller_;
  ThreadPool own_threads_;
  Crew<Index, Caller, Executor> crew_;
  std::optional<Item> item_;
  bool ended_ = false;
};

}  // namespace detail

/// The items of an index as an input range that fetches pages while it is walked. Made by `stream`.
///
/// Shape: it owns its copy of the functor and the trailing arguments given as temporaries; those given by
/// name are referred to. Items can be moved out of `*it`. It can be walked once.
/// Cost: the page in use and at most one more for each partition are held.
/// Errors: as `enumerate`, from the call that meets them.
/// Threads: walked by one thread. Destroying it before its end asks the client to stop and waits for the
/// requests under way.
template <class Index, class Query, class... Extras>
class Stream {
  using State = detail::StreamState<Index, Query, Extras...>;

 public:
  /// The index's.
  using Item = typename Index::Item;

  /// One pass over the items; `end()` is `std::default_sentinel`.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    Item& operator*() const { return *state_->item(); }
    Item* operator->() const { return &*state_->item(); }
    iterator& operator++() {
      state_->advance();
      return *this;
    }
    void operator++(int) { state_->advance(); }
    friend bool operator==(const iterator& it, std::default_sentinel_t) {
      return !it.state_->item().has_value();
    }

   private:
    friend Stream;
    explicit iterator(State* state) : state_(state) {}
    State* state_ = nullptr;
  };

  /// For evenkey's own verbs.
  explicit Stream(std::unique_ptr<State> state) : state_(std::move(state)) {}

  /// Waits for the first pages. @pre called once
  iterator begin() { return iterator(state_.get()); }
  /// Where the iterator is at its end.
  std::default_sentinel_t end() const noexcept { return {}; }

  /// The partitions that failed so far, where failures are collected.
  std::vector<Failure> failures() const { return state_->failures(); }
  /// No partition has failed so far.
  bool complete() const { return failures().empty(); }
  /// What it has cost so far.
  ReadCost cost() const { return state_->cost(); }
  /// Where another stream goes on after the item that `begin()` stands at; empty where nothing is left. By
  /// shard it names the page that the item came from: its items come again.
  std::string token() const { return state_->token(); }

 private:
  std::unique_ptr<State> state_;
};

/// Lists a sharded index lazily, as a range: pages are fetched as the loop needs them, one ahead for each
/// partition.
///
/// Use it for lists that do not fit memory, or of which an unknown part is needed. While rows change under it
/// it promises what `enumerate` does, for as long as it is walked; an item may be as old as the page that it
/// came with, so a stream that is walked slowly shows up to two pages of each partition as they were.
///
/// Shape: index, query functor, options, a token to go on from, trailing arguments as `enumerate` → a
/// `Stream`. The first pages are asked at once, so that the first item is there after one page of each
/// partition.
/// Order: as `enumerate`.
/// Errors: a token of another query → `token_error`; else as `enumerate`.
/// Resume: as `read_page`.
/// Threads: blocks when an item has to come first; the functor is called from the walking thread and from at
/// most `max_concurrency - 1` others.
template <index_definition Index, query_of<Index> Query, read_extra... Extras>
Stream<Index, std::decay_t<Query>, Extras...> stream(const Index& index, Query&& query,
                                                     const PageOptions& options = {},
                                                     std::string_view token = {}, Extras&&... extras) {
  if (!index_with_order<Index> && options.order == Order::by_sort_key) detail::refuse_order<Index>();
  using State = detail::StreamState<Index, std::decay_t<Query>, Extras...>;
  return Stream<Index, std::decay_t<Query>, Extras...>(std::make_unique<State>(
      index, std::forward<Query>(query), options, token, std::forward<Extras>(extras)...));
}

}  // namespace evenkey
