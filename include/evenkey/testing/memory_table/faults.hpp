// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/request_log.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkey::testing {

/// One thing that goes wrong with a request.
struct Fault {
  /// What goes wrong.
  enum class Action : std::uint8_t { none, throttle, error, time_out_after_applying, empty_page, exception };
  Action action = Action::none;  ///< what goes wrong
  /// The error's name, where the action is an error.
  std::string error_name = {};
  /// Added to the request's latency, whatever the action.
  VirtualClock::duration latency{0};
  /// What throws, where the action is an exception.
  std::function<void()> thrower = {};

  /// As it would have gone: a place holder in a script.
  static Fault none() { return {}; }
  /// A throttling error whose reason is a hot partition. Nothing is consumed or applied.
  static Fault throttle() { return {.action = Action::throttle}; }
  /// A `dynamodb_error` of that name, such as `InternalServerError` or `RequestTimeout`. Nothing is applied.
  static Fault error(std::string name) { return {.action = Action::error, .error_name = std::move(name)}; }
  /// A `RequestTimeout` for a request that was carried out, consumed its units, and changed what it changes.
  static Fault time_out_after_applying() { return {.action = Action::time_out_after_applying}; }
  /// A query or scan answers a page without items but with a `last_evaluated_key`; others are not touched.
  static Fault empty_page() { return {.action = Action::empty_page}; }
  /// The request takes longer, and goes well.
  static Fault delay(VirtualClock::duration latency) { return {.latency = latency}; }
  /// Throws a copy of the value, which need not be an exception. Nothing is applied.
  template <class T>
  static Fault exception(T value) {
    return {.action = Action::exception, .thrower = [value] { throw value; }};
  }
};

/// Which requests a fault meets. What is left empty matches all.
///
/// With an `index_name`, it meets queries of that index, and writes that touch it: in `partition_key`, if
/// given.
struct RequestMatch {
  std::optional<RequestKind> kind = std::nullopt;  ///< Query, PutItem …
  std::string index_name = {};                     ///< of an index
  std::string partition_key = {};                  ///< of that index, or of the base table
  std::string primary_key = {};                    ///< of the item
  std::string caller = {};                         ///< the tag of the request
  /// So many matching requests go well first: `.skip = k - 1, .times = 1` fails the k-th.
  std::uint64_t skip = 0;
  /// So many then fail; all, unless said otherwise.
  std::uint64_t times = (std::numeric_limits<std::uint64_t>::max)();
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

/// What the rules say to one request. The first rule with an action decides; all latencies add up.
class FaultRules {
 public:
  bool empty() const noexcept { return rules_.empty(); }
  void clear() noexcept { rules_.clear(); }
  void add(RequestMatch match, std::vector<Fault> script) {
    rules_.push_back({std::move(match), std::move(script), 0});
  }

  Fault meet(const RequestInfo& request) {
    return meet(request, [](const RequestMatch&) { return true; });
  }
  /// Put to each index partition that a write touches; rules that name no index have met the write itself.
  Fault meet_index_write(const RequestInfo& request) {
    return meet(request, [](const RequestMatch& match) { return !match.index_name.empty(); });
  }

 private:
  struct Rule {
    RequestMatch match;
    std::vector<Fault> script;
    std::uint64_t seen;
  };

  template <class Applies>
  Fault meet(const RequestInfo& request, Applies applies) {
    Fault met;
    for (Rule& rule : rules_) {
      if (!applies(rule.match) || !matches(rule.match, request)) continue;
      const std::uint64_t nth = rule.seen++;
      if (nth < rule.match.skip || nth - rule.match.skip >= rule.match.times) continue;
      const Fault& fault =
          rule.script[static_cast<std::size_t>((nth - rule.match.skip) % rule.script.size())];
      const auto latency = met.latency + fault.latency;
      if (met.action == Fault::Action::none) met = fault;
      met.latency = latency;
    }
    return met;
  }

  static bool matches(const RequestMatch& match, const RequestInfo& request) {
    const auto same = [](const std::string& wanted, std::string_view is) {
      return wanted.empty() || wanted == is;
    };
    return (!match.kind || *match.kind == request.kind) && same(match.index_name, request.index_name) &&
           same(match.partition_key, request.partition_key) && same(match.primary_key, request.primary_key) &&
           same(match.caller, request.caller);
  }

  std::vector<Rule> rules_;
};

}  // namespace evenkey::testing::detail
