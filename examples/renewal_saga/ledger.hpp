// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assumptions.hpp"
#include "callers.hpp"
#include "clock.hpp"
#include "figures.hpp"

namespace lab {

/// Where a request counts.
struct Account {
  Caller caller;
  std::uint32_t partition;
};

/// What one attempt consumed of the index.
struct Units {
  double read = 0;
  double write = 0;
};

/// Writes down every attempt, by caller, partition and second.
class Ledger {
 public:
  explicit Ledger(std::uint32_t partitions) : partitions_(partitions) {}

  void call(Caller caller) { ++callers_[number_of(caller)].calls; }
  void call_failed(Caller caller) { ++callers_[number_of(caller)].failed_calls; }

  void answered(Account account, Time now, Units units);
  void throttled(Account account, Time now);
  /// No more attempts will be made of a request.
  void settled(Account account, std::uint32_t attempts);
  void gave_up(Account account, std::uint32_t attempts);

  /// All but what only the table knows: rows and keys, and what only the simulation knows: answers.
  Side summary() const;

 private:
  struct Book {
    std::uint64_t calls = 0;
    std::uint64_t failed_calls = 0;
    std::uint64_t errors = 0;
    std::array<std::uint64_t, assumed.attempts + 1> settled{};  // requests by their number of attempts
    std::vector<Second> seconds;
    std::vector<std::uint32_t> requests;  // by second

    Second& at(Time now);
  };

  template <class Act>
  void in_both(Account account, Act act) {
    act(callers_[number_of(account.caller)]);
    act(partitions_[account.partition]);
  }
  static void fill(Figures& figures, const Book& book);

  std::array<Book, caller_count> callers_;
  std::vector<Book> partitions_;
};

}  // namespace lab
