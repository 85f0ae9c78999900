// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read.hpp>
#include <evenkey/read/engine.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

// The one place where tests touch the engine itself: every order in which answers can come.
namespace support {

/// Walks through all sequences of choices, depth first: `while (all.next()) run(all);`, where the run asks
/// `choose(n)` whenever n things could happen next.
class AllSchedules {
 public:
  /// Turns to the next sequence; false when there is none.
  bool next() {
    if (!started_) {
      started_ = true;
    } else {
      while (!path_.empty() && path_.back().taken + 1 == path_.back().choices)
        path_.pop_back();
      if (path_.empty()) return false;
      ++path_.back().taken;
    }
    depth_ = 0;
    ++count_;
    return true;
  }

  std::size_t choose(std::size_t choices) {
    if (depth_ == path_.size()) path_.push_back({0, choices});
    return path_[depth_++].taken;
  }

  /// How many sequences were begun.
  std::size_t count() const { return count_; }

 private:
  struct Choice {
    std::size_t taken;
    std::size_t choices;
  };
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  std::size_t count_ = 0;
  bool started_ = false;
};

/// How a read ended, in either mode.
template <class Item>
struct ReadEnd {
  std::vector<Item> items;
  std::vector<evenkey::Failure> failures;
  std::size_t requests = 0;
  std::size_t duplicates_dropped = 0;
  std::exception_ptr fatal;  // what pop threw
  bool stuck = false;        // not finished, with nothing under way and nothing to ask

  bool complete() const { return failures.empty() && !fatal && !stuck; }
};

template <class Index>
using EnginePtr = std::unique_ptr<evenkey::detail::ReadEngine<Index>>;

/// An engine as `enumerate` makes it.
template <class Index>
EnginePtr<Index> enumerating_engine(const Index& index, const evenkey::EnumerateOptions& options) {
  evenkey::detail::ReadSettings settings = evenkey::detail::settings_of(options);
  if (options.order == evenkey::Order::by_shard) settings.merges_at_once = 1;
  auto engine = std::make_unique<evenkey::detail::ReadEngine<Index>>(index, settings);
  evenkey::detail::add_listing(*engine, options.order, options.range);
  return engine;
}

/// An engine as `find_many` makes it.
template <class Index>
EnginePtr<Index> finding_engine(const Index& index, const std::vector<std::string_view>& ids,
                                evenkey::OnFailure on_failure) {
  evenkey::detail::ReadSettings settings;
  settings.on_failure = on_failure;
  auto engine = std::make_unique<evenkey::detail::ReadEngine<Index>>(index, settings);
  for (const std::string_view id : ids)
    evenkey::detail::add_find(*engine, id);
  return engine;
}

/// Drives an engine to its end on one thread. `choose(n)` says which of the n requests under way is answered
/// next; after `cancel_after` answers the read is cancelled.
template <class Index, class Query, class Choose>
ReadEnd<typename Index::Item> drive(evenkey::detail::ReadEngine<Index>& engine, Query& query,
                                    std::size_t max_concurrency, Choose choose,
                                    std::optional<std::size_t> cancel_after = std::nullopt) {
  using Request = typename evenkey::detail::ReadEngine<Index>::Request;
  ReadEnd<typename Index::Item> end;
  std::vector<Request> under_way;
  const auto pop_all = [&] {
    try {
      while (auto item = engine.pop()) {
        engine.give();
        end.items.push_back(std::move(*item));
      }
    } catch (...) {
      end.fatal = std::current_exception();
    }
  };
  for (std::size_t answers = 0;; ++answers) {
    if (cancel_after == answers) {
      engine.cancel(std::make_exception_ptr(evenkey::stopped_error("cancelled by the test")));
      pop_all();
    }
    while (!end.fatal && under_way.size() < max_concurrency) {
      auto request = engine.next_request();
      if (!request) break;
      under_way.push_back(std::move(*request));
    }
    if (under_way.empty()) break;
    const std::size_t chosen = choose(under_way.size());
    const Request request = std::move(under_way[chosen]);
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(chosen));
    std::optional<evenkey::Page<typename Index::Item, typename Index::StartKey>> page;
    std::exception_ptr error;
    try {
      page.emplace(query(request.query));
    } catch (...) {
      error = std::current_exception();
    }
    if (page) {
      engine.on_page(request.lane, std::move(*page));
    } else {
      engine.on_failure(request.lane, error);
    }
    if (!end.fatal) pop_all();
  }
  end.stuck = !end.fatal && !engine.finished();
  end.failures = engine.failures();
  end.requests = engine.cost().requests;
  end.duplicates_dropped = engine.cost().duplicates_dropped;
  if (engine.settings().on_failure == evenkey::OnFailure::raise && !end.failures.empty()) end.items.clear();
  return end;
}

}  // namespace support
