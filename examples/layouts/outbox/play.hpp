// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "check.hpp"
#include "outbox.hpp"

namespace outbox {

/// The layout at work, on any store; the same lines on each. Errors: what is not so → `std::runtime_error`.
template <class Store>
void play(Store& store, std::ostream& out) {
  using namespace std::chrono_literals;
  const Time noon = std::chrono::sys_days(std::chrono::year(2026) / 7 / 8) + 12h;
  Topic<Store> invoices(store, "invoices"), payments(store, "payments");

  // 60 invoices, one each second, and two payments, which no dispatcher of invoices ever sees.
  for (int i = 0; i < 60; ++i)
    check(invoices.publish("m-" + std::to_string(i), "invoice", noon + i * 1s), "a new message is taken");
  check(!invoices.publish("m-7", "again", noon + 1h), "an id is taken once");
  payments.publish("p-0", "payment", noon - 1h);
  payments.publish("p-1", "payment", noon);

  const auto oldest = invoices.oldest(5, noon + 5min);
  out << "oldest:";
  for (const Message& message : oldest)
    out << ' ' << message.id;
  out << ", the first on " << oldest.front().outbox_pk << "\n";
  for (std::size_t i = 0; i < oldest.size(); ++i)
    check(oldest[i].id == "m-" + std::to_string(i), "the oldest come first, over all shards");

  // Three dispatchers at once, until each finds nothing that is free. Claims hold: each message once.
  std::mutex mutex;
  std::map<std::string, int> effects;
  const auto run = [&](const char* dispatcher) {
    Topic<Store> mine(store, "invoices");
    const auto effect = [&](const Message& message) {
      const std::lock_guard lock(mutex);
      ++effects[message.id];
    };
    while (mine.dispatch(4, dispatcher, noon + 5min, 30s, effect) != 0) {
    }
  };
  std::vector<std::future<void>> dispatchers;
  for (const char* name : {"ann", "bob", "eve"})
    dispatchers.push_back(std::async(std::launch::async, run, name));
  for (std::future<void>& dispatcher : dispatchers)
    dispatcher.get();
  const bool once =
      std::all_of(effects.begin(), effects.end(), [](const auto& each) { return each.second == 1; });
  out << effects.size() << " dispatched by three, " << invoices.waiting().size() << " wait\n";
  check(once, "nothing is dispatched twice while claims hold");
  check(effects.size() == 60 && invoices.waiting().empty(), "nothing is left behind");

  // Claimed ones stay in the index, but do not stand in the way of those behind them.
  const Time later = noon + 1h;
  for (const char* id : {"n-0", "n-1", "n-2"})
    invoices.publish(id, "invoice", later);
  const auto listed = invoices.oldest(3, later);
  const std::string anns = invoices.claim(listed[0], "ann", later, 30s);
  check(!anns.empty() && invoices.claim(listed[0], "bob", later, 30s).empty(), "one of two gets it");
  check(invoices.oldest(1, later).front().id == listed[1].id, "the oldest that is free");

  // Ann does its work and is slower than the claim: bob takes the message, and it is dispatched twice.
  const std::string bobs = invoices.claim(listed[0], "bob", later + 31s, 30s);
  check(!bobs.empty(), "a claim that ran out is free");
  check(!invoices.finish(listed[0], anns), "the first is told that it was too late");
  check(invoices.finish(listed[0], bobs), "the second ends it");
  check(invoices.claim(listed[0], "eve", later + 5min, 30s).empty(), "a list of before revives nothing");
  out << listed[0].id << " was dispatched twice, and ann was told\n";

  out << invoices.waiting().size() << " invoices and " << payments.waiting().size() << " payments wait\n";
  check(invoices.waiting().size() == 2 && payments.waiting().size() == 2, "topics are apart");
}

}  // namespace outbox
