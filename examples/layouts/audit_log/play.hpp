// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "audit_log.hpp"
#include "check.hpp"

namespace audit_log {

/// A store, with a count of the pages that were asked of it.
template <class Store>
class Counted {
 public:
  using StartKey = typename Store::StartKey;
  explicit Counted(Store& store) : store_(store) {}
  auto query(const evenkey::QueryRequest<StartKey>& request) {
    ++pages_;
    return store_.query(request);
  }
  bool put_new(const Event& event) { return store_.put_new(event); }
  std::size_t pages() const { return pages_; }

 private:
  Store& store_;
  std::atomic<std::size_t> pages_ = 0;  // shards are asked by several threads
};

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

  // Globex came long ago and did nothing since: its page ends between two days, with a token of no place
  // within one. Neither that nor acme's is taken for anybody else, and nothing is asked.
  const std::vector<ShardsFrom> since_may{{today - std::chrono::days(60), 1}};
  const EventPage none = AuditLog<Store>(store, {"globex", since_may}).newest(5, today);
  check(none.events.empty() && none.requests == 31 && !none.next_token.empty(), "31 days are looked at");
  Counted<Store> counted(store);
  AuditLog<Counted<Store>> initech(counted, {"initech", since_may}), globex(counted, {"globex", since_may});
  const auto refused = [&](const std::string& given) {
    try {
      initech.newest(50, today, given);
      return false;
    } catch (const evenkey::token_error&) {
      return counted.pages() == 0;
    }
  };
  check(refused(first.next_token), "another tenant's token is refused before any request");
  check(refused(none.next_token), "so is one that names a day alone");
  std::string other_day = none.next_token;
  other_day.replace(0, 10, "2026-07-07");
  check(refused(other_day) && refused("2026-07-07~") && refused("~"), "and one that nobody gave out");
  check(globex.newest(50, today, none.next_token).next_token.empty(), "its own tenant's goes on");
  check(counted.pages() == 30, "a request for each day that was left");
}

}  // namespace audit_log
