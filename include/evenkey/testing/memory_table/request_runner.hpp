// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/counters.hpp>
#include <evenkey/testing/memory_table/faults.hpp>
#include <evenkey/testing/memory_table/options.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::testing::detail {

/// What one request did, as far as it came.
struct Tally {
  std::size_t items = 0;
  std::size_t scanned = 0;
  double read_units = 0;
  double write_units = 0;
  double index_write_units = 0;
  VirtualClock::duration latency{0};
  bool condition_failed = false;
  bool answer_lost = false;
};

/// One request while it is carried out, under the lock.
struct Attempt {
  const RequestInfo& info;
  const Fault& fault;
  VirtualClock::time_point now;
  Tally& tally;
};

/// What is the same for every request: number, hook, latency, lock, faults, counters and log.
class RequestRunner {
 public:
  explicit RequestRunner(MemoryTableOptions table_options)
      : options(std::move(table_options)),
        clock(options.clock ? options.clock : std::make_shared<VirtualClock>()),
        log(options.log_capacity) {}

  /// `arrive(now)` is called under the lock before anything else and says where to count; `body(attempt)`
  /// carries the request out.
  template <class Arrive, class Body>
  auto run(RequestInfo info, const CallOptions& call, Arrive arrive, Body body) {
    const Flight flight(*this);
    info.number = numbers_.fetch_add(1, std::memory_order_relaxed) + 1;
    info.caller = call.caller.empty() ? CallerScope::current() : call.caller;
    info.time = clock->now();
    Tally tally;
    Meter* meter = nullptr;
    std::unique_lock lock(mutex, std::defer_lock);
    const auto finish = [&](RequestOutcome outcome) {
      if (!lock.owns_lock()) lock.lock();
      if (meter == nullptr) meter = &arrive(clock->now());
      end(info, call, tally, outcome, *meter);
    };
    try {
      if (options.before) options.before(info);
      if (options.latency) tally.latency = options.latency(info);
      lock.lock();
      Fault fault;
      if (!faults.empty()) {
        fault = faults.meet(info);
        tally.latency += fault.latency;
      }
      if (tally.latency > VirtualClock::duration::zero() && options.wait) {
        lock.unlock();
        options.wait(tally.latency);
        lock.lock();
      }
      const VirtualClock::time_point now = clock->now();
      meter = &arrive(now);
      tally.answer_lost = fault.action == Fault::Action::time_out_after_applying;
      fail_before(fault, info);
      auto answer = body(Attempt{info, fault, now, tally});
      if (tally.answer_lost)
        throw dynamodb_error("RequestTimeout", "no answer came, although the request was carried out",
                             info.kind);
      finish(tally.condition_failed ? RequestOutcome::condition_failed : RequestOutcome::answered);
      return answer;
    } catch (const store_error& error) {
      finish(error.kind() == ErrorKind::throttled ? RequestOutcome::throttled : RequestOutcome::failed);
      throw;
    } catch (...) {
      finish(RequestOutcome::failed);
      throw;
    }
  }

  /// Such as `IndexWriteKeyRangeThroughputExceeded` at `…:table/t/index/i`.
  ThrottlingReason hot_partition(std::string_view index_name, RequestKind kind) const {
    ThrottlingReason reason{index_name.empty() ? "Table" : "Index",
                            "arn:aws:dynamodb:memory:000000000000:table/"};
    reason.reason += is_write(kind) ? "Write" : "Read";
    reason.reason += "KeyRangeThroughputExceeded";
    reason.resource += options.table_name;
    if (!index_name.empty()) reason.resource.append("/index/").append(index_name);
    return reason;
  }

  dynamodb_error throttled(std::string_view index_name, RequestKind kind) const {
    return throttling_error(kind, {hot_partition(index_name, kind)});
  }
  dynamodb_error throttling_error(RequestKind kind, std::vector<ThrottlingReason> reasons) const {
    std::string message = "Throughput exceeds the current capacity of your table or index";
    for (const ThrottlingReason& reason : reasons)
      message += "; " + reason.reason + " at " + reason.resource;
    return {options.throttling_error, message, kind, std::move(reasons)};
  }

  /// What an injected fault does before the request is carried out. @param info says what it is put to
  void fail_before(const Fault& fault, const RequestInfo& info) const {
    switch (fault.action) {
      case Fault::Action::throttle:
        throw throttled(info.index_name, info.kind);
      case Fault::Action::error:
        throw dynamodb_error(fault.error_name, "injected", info.kind);
      case Fault::Action::exception:
        fault.thrower();
        break;
      case Fault::Action::none:
      case Fault::Action::time_out_after_applying:
      case Fault::Action::empty_page:
        break;
    }
  }

  std::uint64_t requests() const noexcept { return numbers_.load(std::memory_order_relaxed); }
  std::size_t in_flight() const noexcept { return in_flight_.load(std::memory_order_relaxed); }
  std::size_t peak_in_flight() const noexcept { return peak_in_flight_.load(std::memory_order_relaxed); }

  const MemoryTableOptions options;
  const std::shared_ptr<VirtualClock> clock;
  mutable std::mutex mutex;
  // Under the mutex:
  FaultRules faults;
  RequestLog log;
  std::map<std::string, Meter, std::less<>> callers;

 private:
  class Flight {
   public:
    explicit Flight(RequestRunner& runner) noexcept : runner_(runner) {
      const std::size_t now = runner_.in_flight_.fetch_add(1, std::memory_order_relaxed) + 1;
      std::size_t peak = runner_.peak_in_flight_.load(std::memory_order_relaxed);
      while (peak < now &&
             !runner_.peak_in_flight_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
      }
    }
    ~Flight() { runner_.in_flight_.fetch_sub(1, std::memory_order_relaxed); }
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

   private:
    RequestRunner& runner_;
  };

  static void count(Meter& meter, const RequestInfo& info, const Tally& tally, RequestOutcome outcome,
                    VirtualClock::time_point now) {
    const bool write = is_write(info.kind);
    const bool throttled = outcome == RequestOutcome::throttled;
    ++(write ? meter.counters.writes : meter.counters.reads);
    if (throttled) ++(write ? meter.counters.throttled_writes : meter.counters.throttled_reads);
    if (outcome == RequestOutcome::failed) ++meter.counters.failed;
    if (tally.read_units > 0) meter.read(tally.read_units, tally.items, now);
    if (tally.write_units > 0) meter.write(tally.write_units, now);
  }

  void end(const RequestInfo& info, const CallOptions& call, const Tally& tally, RequestOutcome outcome,
           Meter& meter) {
    const VirtualClock::time_point now = clock->now();
    count(meter, info, tally, outcome, now);
    if (!info.caller.empty()) {
      auto caller = callers.find(info.caller);
      if (caller == callers.end()) caller = callers.emplace(std::string(info.caller), Meter{}).first;
      count(caller->second, info, tally, outcome, now);
    }
    if (!log.enabled() && call.record == nullptr) return;
    RequestRecord record{info.number,
                         info.kind,
                         outcome,
                         std::string(info.index_name),
                         std::string(info.partition_key),
                         std::string(info.caller),
                         info.time,
                         tally.latency,
                         tally.items,
                         tally.scanned,
                         tally.read_units,
                         tally.write_units,
                         tally.index_write_units};
    if (call.record != nullptr) *call.record = record;
    if (log.enabled()) log.add(std::move(record));
  }

  std::atomic<std::uint64_t> numbers_{0};
  std::atomic<std::size_t> in_flight_{0};
  std::atomic<std::size_t> peak_in_flight_{0};
};

}  // namespace evenkey::testing::detail
