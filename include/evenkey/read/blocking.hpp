// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/result.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// Drives an engine to its end with blocking calls of the query functor, from the calling thread and as many
/// helpers as the read can use, and gathers the items. Returns or throws only when every call has ended.
template <class Index, class Query>
class BlockingDriver {
 public:
  using Item = typename Index::Item;

  BlockingDriver(ReadEngine<Index>& engine, Query& query, std::size_t max_concurrency)
      : engine_(engine), query_(query), most_helpers_((std::min)(max_concurrency, engine.width()) - 1) {}

  ReadResult<Item> run() {
    {
      // Helpers join here, before anything they use goes away.
      std::vector<std::jthread> helpers;
      helpers_ = &helpers;
      work();
    }
    if (fatal_) std::rethrow_exception(fatal_);
    return finish();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!fatal_) {
      cancel_if_due();
      auto request = engine_.next_request();
      if (!request) {
        if (in_flight_ == 0) break;
        changed_.wait(lock);
        continue;
      }
      ++in_flight_;
      add_helper();
      lock.unlock();
      Outcome outcome = ask(request->query);
      lock.lock();
      --in_flight_;
      take_in(request->lane, std::move(outcome));
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  struct Outcome {
    Page<Item, typename Index::StartKey> page;
    std::exception_ptr error;
  };

  // The one place where what the functor throws is caught; it may be anything.
  Outcome ask(const QueryRequest<typename Index::StartKey>& request) noexcept {
    Outcome outcome;
    try {
      outcome.page = std::invoke(query_, request);
    } catch (...) {
      outcome.error = std::current_exception();
    }
    return outcome;
  }

  void take_in(std::size_t lane, Outcome&& outcome) noexcept {
    try {
      if (outcome.error) {
        engine_.on_failure(lane, std::move(outcome.error));
      } else {
        engine_.on_page(lane, std::move(outcome.page));
      }
      while (auto item = engine_.pop())
        items_.push_back(std::move(*item));
    } catch (...) {
      if (!fatal_) fatal_ = std::current_exception();  // a tie run too long, or no memory
    }
  }

  void cancel_if_due() {
    const ReadSettings& settings = engine_.settings();
    if (settings.stop.stop_requested()) {
      engine_.cancel(
          std::make_exception_ptr(stopped_error("evenkey: a stop was requested before the read was done")));
    } else if (settings.deadline && std::chrono::steady_clock::now() >= *settings.deadline) {
      engine_.cancel(
          std::make_exception_ptr(deadline_error("evenkey: the deadline passed before the read was done")));
    }
  }

  // Helpers start one by one as requests leave, so a read of one page starts none.
  void add_helper() {
    if (helpers_->size() >= most_helpers_ || helpers_->size() >= in_flight_) return;
    try {
      helpers_->emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      most_helpers_ = helpers_->size();  // no more threads to be had: go on with those there are
    }
  }

  ReadResult<Item> finish() {
    ReadResult<Item> result;
    result.failures = engine_.failures();
    if (engine_.settings().on_failure == OnFailure::raise && !result.failures.empty())
      throw fan_out_error(engine_.index().name, engine_.partition_reads(), std::move(result.failures));
    result.items = std::move(items_);
    result.requests = engine_.requests();
    result.scanned_count = engine_.scanned_count();
    result.consumed_read_units = engine_.consumed_read_units();
    result.duplicates_dropped = engine_.duplicates_dropped();
    return result;
  }

  ReadEngine<Index>& engine_;
  Query& query_;
  std::mutex mutex_;  // guards all below, and the engine
  std::condition_variable changed_;
  std::vector<std::jthread>* helpers_ = nullptr;
  std::size_t most_helpers_;
  std::size_t in_flight_ = 0;
  std::vector<Item> items_;
  std::exception_ptr fatal_;
};

template <class Index, class Query>
ReadResult<typename Index::Item> gather(ReadEngine<Index>& engine, Query& query,
                                        std::size_t max_concurrency) {
  if (engine.width() == 0) return {};
  return BlockingDriver<Index, Query>(engine, query, max_concurrency).run();
}

}  // namespace evenkey::detail
