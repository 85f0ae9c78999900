// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <exception>
#include <ostream>
#include <string>
#include <vector>

#include "audit_log.hpp"
#include "check.hpp"

namespace audit_log {

/// The layout at work, on any store; the same lines on each. Errors: what is not so → `std::runtime_error`.
template <class Store>
void play(Store& store, std::ostream& out) {
  using namespace std::chrono_literals;
  const auto july = [](unsigned day) { return Day(std::chrono::year(2026) / 7 / std::chrono::day(day)); };
  const Day today = july(8);

  // Acme grew: two shards, and eight from the eighth on. Umbrella is small, and has one.
  AuditLog<Store> acme(store, {"acme", {{july(4), 2}, {july(8), 8}}});
  AuditLog<Store> umbrella(store, {"umbrella", {{july(4), 1}}});

  // An event a second: 40 before midnight, 30 after, none on the sixth, 25 on the fifth; oldest first here.
  std::vector<std::string> ids;
  const auto write = [&](Time from, int count) {
    for (int i = 0; i < count; ++i) {
      ids.push_back("e-" + std::to_string(ids.size()));
      check(acme.append(ids.back(), from + i * 1s, "ann", "login"), "a new event is taken");
    }
  };
  write(july(5) + 9h, 25);
  write(july(7) + 23h + 59min + 20s, 40);
  write(july(8) + 0s, 30);
  check(!acme.append("e-3", july(8) + 1h, "ann", "login"), "an id is taken once");
  for (int i = 0; i < 3; ++i)
    umbrella.append("u-" + std::to_string(i), july(7) + 23h + i * 1h, "eve", "export");

  // The newest 50: the 30 of today, and 20 of yesterday, which has another N.
  const EventPage first = acme.newest(50, today);
  check(first.events.size() == 50, "a page is full where there is more");
  check(first.events.front().id == ids[94] && first.events.back().id == ids[45],
        "the newest, across midnight");
  out << "first page: " << first.events.front().audit_sk << " to " << first.events.back().audit_sk << "\n";

  const EventPage second = acme.newest(50, today, first.next_token);
  out << "then " << second.events.size() << ", the last is " << second.events.back().audit_sk << "\n";
  check(second.next_token.empty(), "nothing is before the tenant came");
  std::vector<Event> all = first.events;
  all.insert(all.end(), second.events.begin(), second.events.end());
  check(all.size() == ids.size(), "every event is on one of the pages");
  for (std::size_t i = 0; i < all.size(); ++i)
    check(all[i].id == ids[ids.size() - 1 - i], "each once, newest first");

  // A page that ends at midnight, and one that is small: the same events.
  std::vector<std::string> paged;
  std::string token;
  do {
    const EventPage page = acme.newest(15, today, token);
    for (const Event& event : page.events)
      paged.push_back(event.id);
    token = page.next_token;
  } while (!token.empty());
  check(std::vector<std::string>(ids.rbegin(), ids.rend()) == paged, "whatever the size of pages");

  const EventPage theirs = umbrella.newest(50, today);
  out << "umbrella has " << theirs.events.size() << ", for " << theirs.requests << " requests\n";
  check(theirs.events.size() == 3 && theirs.events.front().id == "u-2", "tenants are apart");
  check(theirs.requests == 5, "one request a day");

  bool refused = false;
  try {
    umbrella.newest(50, today, first.next_token);
  } catch (const std::exception&) {
    refused = true;
  }
  check(refused, "another tenant's token is refused");
}

}  // namespace audit_log
