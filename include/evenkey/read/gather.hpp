// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/crew.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/executor.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/request_caller.hpp>
#include <evenkey/read/result.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// How a read makes its requests, whatever it reads.
struct RunOptions {
  std::size_t max_concurrency = 1;
  ConcurrencyLimit* shared_limit = nullptr;
  RetryOptions retry = {};
};

template <class Options>
RunOptions run_options(const Options& options) {
  RunOptions run{1, options.shared_limit, options.retry};
  if constexpr (requires { options.max_concurrency; }) run.max_concurrency = options.max_concurrency;
  // Within a query functor of a read that shares the cap: helpers would wait for the permit that this thread
  // holds.
  if (run.shared_limit != nullptr && run.shared_limit->is_held_by_this_thread()) run.max_concurrency = 1;
  return run;
}

/// The caller that serves one read, made of its trailing arguments.
template <class Index, class Query, class... Extras>
auto make_caller(Query& query, const RunOptions& run, Extras&... extras) {
  static_assert(at_most_one_each<std::remove_cvref_t<Extras>...>,
                "evenkey: a read takes one where(…), one observer, one executor, one classifier and one "
                "clock; join two into one");
  auto& observer = observer_of(extras...);
  using Observer = std::remove_reference_t<decltype(observer)>;
  using Classifier = decltype(classifier_of(extras...));
  auto& clock = clock_of(extras...);
  using WaitClock = std::remove_reference_t<decltype(clock)>;
  return RequestCaller<Index, Query, Observer, Classifier, WaitClock>(
      query, observer, classifier_of(extras...), clock, run.shared_limit, run.retry);
}

/// Closes the account of a read: what it cost, what failed.
/// Errors: `fan_out_error` where failures are not collected.
template <class Index>
void settle_account(const ReadEngine<Index>& engine, ReadResult<typename Index::Item>& result) {
  static_cast<ReadCost&>(result) = engine.cost();
  result.failures = engine.failures();
  if (engine.settings().on_failure == OnFailure::raise && !result.failures.empty())
    throw fan_out_error(engine.index().name, engine.partition_reads(), std::move(result.failures));
}

/// Runs an engine to its end: of the items that are `wanted`, `put(item)` takes each that the predicate
/// keeps; `result` takes the account.
/// Errors: as the verbs say; returns or throws only when every request has ended.
template <class Index, class Query, class Wanted, class Put, class... Extras>
void gather_into(ReadEngine<Index>& engine, Query& query, const RunOptions& run,
                 ReadResult<typename Index::Item>& result, Wanted wanted, Put put, Extras&... extras) {
  using Item = typename Index::Item;
  auto caller = make_caller<Index>(query, run, extras...);
  const auto keep = predicate_of(extras...);
  const auto sink = [&](Item&& item) {
    if (wanted(std::as_const(item)) && keep(std::as_const(item))) {
      engine.give();
      put(std::move(item));
    }
    return Enough::no;
  };
  if constexpr (std::is_null_pointer_v<decltype(executor_of(extras...))>) {
    ThreadPool own(run.max_concurrency);
    Crew crew(engine, caller, own, run.max_concurrency);
    crew.run(sink);
  } else {
    Crew crew(engine, caller, *executor_of(extras...), run.max_concurrency);
    crew.run(sink);
  }
  caller.report_finish(engine);
  settle_account(engine, result);
}

/// Runs an engine to its end and gathers what it gives.
/// Errors: as the verbs say.
template <class Index, class Query, class... Extras>
ReadResult<typename Index::Item> gather(ReadEngine<Index>& engine, Query& query, const RunOptions& run,
                                        Extras&... extras) {
  using Item = typename Index::Item;
  ReadResult<Item> result;
  const auto put = [&](Item&& item) {
    std::vector<Item>& items = result.items;
    // Room for all that is here by now, instead of moving the answer again and again.
    if (items.size() == items.capacity())
      items.reserve((std::max)(2 * items.size(), items.size() + 1 + engine.items_held()));
    items.push_back(std::move(item));
  };
  gather_into(engine, query, run, result, KeepAll{}, put, extras...);
  return result;
}

}  // namespace evenkey::detail
