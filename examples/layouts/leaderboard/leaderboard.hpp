// SPDX-License-Identifier: BSL-1.0
#pragma once

// A leaderboard: players by score, the best first, where very many have the same score.
//
//   table   id (S), score (N), board_pk
//   index   `players-by-score`: board_pk (S), score (N): the score itself is the sort key; projects all
//   keys    board_pk = BOARD#{shard}, shard = XXH3-64(id) % 8       BOARD#5
//           score    a number, so that 9 comes before 10 and -3 before 0
//
//   request   what it costs, for players of up to 1 KB
//   top k     8 queries or a few more; read units of about k players, at least 4
//   next      the same: a page costs what it holds, however far down
//   place     8 counts, which read (and pay for) every player above
//   change    1 write unit of the table, 2 of the index: an entry whose sort key changes goes and comes
//
// N = 8: a score change writes its partition twice, so one bears 500 a second, and 8 bear 4,000, or 2,800 at
// 70 %. Listings are few and pay 4 read units at least.
//
// Order: by score, then by id, both descending; exact, also between pages. DynamoDB gives equal scores in any
// order, so where a page ends within a tie, **all of the tie is read**: 500 players of score 0 are 500
// entries. A tie of more than `max_tie_run` (10,000) players is refused. Where most have the same score, list
// only what is above it (`range`), or make scores differ: score × 2^20 + a number that breaks ties.
//
// While scores change: a player who passes the place where a page ended is seen on both pages (fallen) or on
// none (risen) of this listing. That is so in every paged list; drop ids that were shown, and begin again at
// the top to see who rose.
#include <evenkey/composite_key.hpp>
#include <evenkey/key.hpp>
#include <evenkey/read/count.hpp>
#include <evenkey/read/read_page.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leaderboard {

struct Player {
  std::string id;
  std::int64_t score;
  std::string board_pk;
  bool operator==(const Player&) const = default;
};

/// @tparam StoreKey the store's start key
template <class StoreKey>
struct PlayersByScore {
  static constexpr std::string_view name = "players-by-score";
  using PartitionKey = evenkey::ShardedKey<"BOARD", evenkey::ShardPolicy<8>>;
  using SortKey = evenkey::NumberKey;
  using Item = Player;
  using StartKey = StoreKey;
  static std::int64_t sort_key(const Player& player) { return player.score; }
  static std::string_view primary_key(const Player& player) { return player.id; }
  static std::string_view shard_by(const Player& player) { return player.id; }
  static std::string_view partition_key(const Player& player) { return player.board_pk; }
};

/// The board, over any store that has:
///   `StartKey`                         and `query(request)`: one page of the index
///   `void put(players)`
///   `bool set_score(id, from, to)`     where it is still `from`
template <class Store>
class Board {
 public:
  using Index = PlayersByScore<typename Store::StartKey>;
  using Page = evenkey::ReadResult<Player>;

  explicit Board(Store& store) : store_(store) {}

  void enter(std::vector<Player> players) {
    for (Player& player : players)
      player.board_pk = Index::PartitionKey::of(player.id);
    store_.put(players);
  }

  /// The best `limit`, or those that follow a token; with a token where there are more.
  Page top(std::size_t limit, std::string_view token = {},
           std::size_t max_tie_run = evenkey::default_max_tie_run) {
    return evenkey::read_page(
        Index{}, query(),
        {.limit = limit, .direction = evenkey::Direction::descending, .max_tie_run = max_tie_run}, token);
  }

  /// How many have a better score, and one: 1 for the best, and for all that are as good.
  std::size_t place_of(std::int64_t score) {
    return evenkey::count(Index{}, query(), {.range = evenkey::SortKeyCondition::greater(score)}).count + 1;
  }

  /// Under the condition that the score is what was read, so that no change is lost and a request that is
  /// sent twice counts once; `ADD` would count it twice.
  /// @returns false where somebody changed it meanwhile: read again
  bool change_score(std::string_view id, std::int64_t from, std::int64_t to) {
    return store_.set_score(std::string(id), from, to);
  }

 private:
  auto query() {
    return [this](const evenkey::QueryRequest<typename Store::StartKey>& request) {
      return store_.query(request);
    };
  }

  Store& store_;
};

}  // namespace leaderboard
