// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/draws.hpp>
#include <evenkey/capacity/spread.hpp>
#include <evenkey/shard_policy/placement.hpp>

#include <concepts>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace evenkey::capacity {

/// Which part of the rows changes its shard when N shards become M: `moved_fraction(16, 32, Jump{})`.
///
/// Use it before choosing a placement: from 16 to 20, `Modulo` moves 80 %, `Jump` 20 %. With a new
/// generation in the key every row moves, whatever this says.
/// Units: 0 … 1, of ids that the hash spreads evenly. Exact for `Modulo` (all residues of the least
/// common multiple) and `Jump`; for a placement of your own, from 65,536 hashes with a fixed seed.
/// Errors: `std::invalid_argument` where N or M is 0.
template <placement Placement = Modulo>
constexpr double moved_fraction(std::uint32_t from, std::uint32_t to, Placement = {}) {
  if (from == 0 || to == 0) throw std::invalid_argument("evenkey: there is at least one shard, N or M is 0");
  const std::uint32_t fewer = from < to ? from : to, more = from < to ? to : from;
  if constexpr (std::same_as<Placement, Modulo>) {
    // Of the residues modulo lcm(N, M), those below both stay.
    return 1 -
           static_cast<double>(fewer) / static_cast<double>(std::lcm(std::uint64_t{from}, std::uint64_t{to}));
  } else if constexpr (std::same_as<Placement, Jump>) {
    return static_cast<double>(more - fewer) / static_cast<double>(more);
  } else {
    constexpr int sample = 65'536;
    detail::Draws hashes(85);
    int moved = 0;
    for (int i = 0; i < sample; ++i) {
      const std::uint64_t hash = hashes.next();
      if (Placement::place(hash, from) != Placement::place(hash, to)) ++moved;
    }
    return static_cast<double>(moved) / sample;
  }
}

/// The same of the ids there are, for any two policies; no ids: 0.
///
/// Shape: `measure_moved(ShardPolicy<16>{}, ShardPolicy<32>{}, ids)`, or policies made at run time.
template <detail::places_ids From, detail::places_ids To, detail::range_of_ids Ids>
double measure_moved(const From& from, const To& to, Ids&& ids) {
  std::uint64_t moved = 0, all = 0;
  for (auto&& element : ids) {
    const auto id = static_cast<std::string_view>(element);
    ++all;
    if (from.shard_of(id) != to.shard_of(id)) ++moved;
  }
  return all == 0 ? 0 : static_cast<double>(moved) / static_cast<double>(all);
}

}  // namespace evenkey::capacity
