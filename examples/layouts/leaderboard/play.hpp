// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/ordered_merge.hpp>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "leaderboard.hpp"

namespace leaderboard {

inline std::vector<std::string> ids_of(const std::vector<Player>& players) {
  std::vector<std::string> ids;
  for (const Player& player : players)
    ids.push_back(player.id);
  return ids;
}

/// The layout at work, on any store; the same lines on each. Errors: what is not so → `std::runtime_error`.
template <class Store>
void play(Store& store, std::ostream& out) {
  Board<Store> board(store);

  // 60 with scores of their own, 300 who all have 700, 40 below, some of them negative.
  std::vector<Player> players;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t score = i < 60 ? 1000 + i * 7 : i < 360 ? 700 : 300 - i;
    players.push_back({"player-" + std::to_string(1000 + i * 37 % 400), score, ""});
  }
  board.enter(players);
  std::sort(players.begin(), players.end(), [](const Player& a, const Player& b) {
    return std::pair(a.score, a.id) > std::pair(b.score, b.id);
  });
  const std::vector<std::string> expected = ids_of(players);

  // The top 100: it ends within the tie, so the whole tie is read.
  const auto top = board.top(100);
  check(ids_of(top.items) == std::vector<std::string>(expected.begin(), expected.begin() + 100),
        "the top 100 in order of score and id");
  check(top.scanned_count >= 360, "of a tie that is cut all is read");
  out << "top 100: " << top.items.front().id << " with " << top.items.front().score << " to "
      << top.items.back().id << " with " << top.items.back().score << "\n";
  bool refused = false;
  try {
    board.top(100, "", 50);
  } catch (const evenkey::tie_run_error&) {
    refused = true;
  }
  check(refused, "a tie longer than max_tie_run is refused, not cut at random");
  check(board.top(50, "", 50).items.size() == 50, "above the tie it does not matter");

  // All pages: each player once.
  std::vector<std::string> listed;
  std::string token;
  std::size_t pages = 0;
  do {
    const auto page = board.top(100, token);
    for (const std::string& id : ids_of(page.items))
      listed.push_back(id);
    token = page.next_token;
    ++pages;
  } while (!token.empty());
  check(listed == expected, "all pages together are the whole board");
  out << listed.size() << " on " << pages << " pages, the last is " << players.back().id << " with "
      << players.back().score << "\n";

  check(board.place_of(players[10].score) == 11, "ten are better");
  check(board.place_of(700) == 61, "all of a tie have one place");

  // Scores change between two pages.
  const Player second = players[1], low = players[390];
  check(board.change_score(second.id, second.score, -500), "a change from what was read");
  check(!board.change_score(second.id, second.score, 9000), "not from what it no longer is");
  check(board.change_score(low.id, low.score, 5000), "up to the top");
  std::vector<std::string> rest;
  token = top.next_token;
  do {
    const auto page = board.top(100, token);
    for (const std::string& id : ids_of(page.items))
      rest.push_back(id);
    token = page.next_token;
  } while (!token.empty());
  check(rest.size() == 300 && rest.back() == second.id, "who fell past the page is seen again");
  check(std::find(rest.begin(), rest.end(), low.id) == rest.end(), "who rose past it is not seen");
  out << "the new first is " << board.top(1).items.front().id << ", place " << board.place_of(5000) << "\n";
  check(board.top(1).items.front().id == low.id, "a new listing shows who rose");
}

}  // namespace leaderboard
