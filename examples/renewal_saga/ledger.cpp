// SPDX-License-Identifier: BSL-1.0
#include "ledger.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lab {
namespace {

/// The least number of attempts that at least that share of the requests did not exceed.
template <class Histogram>
std::uint32_t percentile(const Histogram& requests_by_attempts, std::uint64_t percent) {
  const std::uint64_t all =
      std::accumulate(requests_by_attempts.begin(), requests_by_attempts.end(), std::uint64_t{0});
  std::uint64_t so_far = 0;
  for (std::size_t attempts = 0; attempts < requests_by_attempts.size(); ++attempts) {
    so_far += requests_by_attempts[attempts];
    if (so_far > 0 && so_far * 100 >= all * percent) return static_cast<std::uint32_t>(attempts);
  }
  return 0;
}

}  // namespace

Second& Ledger::Book::at(Time now) {
  const std::size_t second = second_of(now);
  if (second >= seconds.size()) {
    seconds.resize(second + 1);
    requests.resize(second + 1);
  }
  ++requests[second];
  return seconds[second];
}

void Ledger::answered(Account account, Time now, Units units) {
  in_both(account, [&](Book& book) {
    Second& second = book.at(now);
    second.rcu += units.read;
    second.wcu += units.write;
  });
}

void Ledger::throttled(Account account, Time now) {
  in_both(account, [&](Book& book) { ++book.at(now).throttled; });
}

void Ledger::settled(Account account, std::uint32_t attempts) {
  in_both(account, [&](Book& book) { ++book.settled.at(attempts); });
}

void Ledger::gave_up(Account account, std::uint32_t attempts) {
  settled(account, attempts);
  in_both(account, [&](Book& book) { ++book.errors; });
}

void Ledger::fill(Figures& figures, const Book& book) {
  figures.errors = book.errors;
  figures.attempts_p50 = percentile(book.settled, 50);
  figures.attempts_p99 = percentile(book.settled, 99);
  figures.attempts_max = percentile(book.settled, 100);
  for (const std::uint32_t requests : book.requests)
    figures.requests += requests;
  for (const Second& second : book.seconds) {
    figures.throttled += second.throttled;
    figures.read_units += second.rcu;
    figures.write_units += second.wcu;
    figures.peak_rcu = (std::max)(figures.peak_rcu, second.rcu);
    figures.peak_wcu = (std::max)(figures.peak_wcu, second.wcu);
  }
}

Side Ledger::summary() const {
  Side side;
  for (std::size_t caller = 0; caller < caller_count; ++caller) {
    CallerFigures& figures = side.by_caller[caller];
    fill(figures, callers_[caller]);
    figures.calls = callers_[caller].calls;
    figures.failed_calls = callers_[caller].failed_calls;
    side.failed_calls += figures.failed_calls;
  }
  std::size_t length = 0;
  for (const Book& book : partitions_)
    length = (std::max)(length, book.seconds.size());
  Book all;
  all.seconds.resize(length);
  all.requests.resize(length);
  for (const Book& book : partitions_) {
    PartitionFigures figures;
    fill(figures, book);
    figures.seconds = book.seconds;
    figures.seconds.resize(length);
    side.partitions.push_back(std::move(figures));
    all.errors += book.errors;
    for (std::size_t attempts = 0; attempts < book.settled.size(); ++attempts)
      all.settled[attempts] += book.settled[attempts];
    for (std::size_t second = 0; second < book.seconds.size(); ++second) {
      all.requests[second] += book.requests[second];
      all.seconds[second].rcu += book.seconds[second].rcu;
      all.seconds[second].wcu += book.seconds[second].wcu;
      all.seconds[second].throttled += book.seconds[second].throttled;
    }
  }
  fill(side.total, all);
  side.seconds_throttled = static_cast<std::uint64_t>(std::count_if(
      all.seconds.begin(), all.seconds.end(), [](const Second& second) { return second.throttled > 0; }));
  return side;
}

}  // namespace lab
