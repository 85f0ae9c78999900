// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

namespace lab {

/// How the web service answers list pages that poll.
enum class ListPages : std::uint8_t {
  read_each,  ///< as in ADR-0085: each page asks the index for each of its tenants
  coalesced   ///< one query for a tenant serves all pages for a while: evenkey::Coalescer
};

/// When the sweeps start.
enum class Sweeps : std::uint8_t {
  on_the_minute,  ///< as in ADR-0085: all at once
  staggered       ///< each at an offset of its own within the minute: evenkey::stagger_offsets
};

/// What eases the traffic, apart from shards.
struct Remedies {
  ListPages list_pages = ListPages::read_each;
  Sweeps sweeps = Sweeps::on_the_minute;

  friend constexpr bool operator==(const Remedies&, const Remedies&) = default;
};

/// As on the command line, and in JSON.
constexpr std::string_view name_of(Remedies remedies) {
  const bool staggered = remedies.sweeps == Sweeps::staggered;
  if (remedies.list_pages == ListPages::read_each) return staggered ? "stagger" : "none";
  return staggered ? "coalesce+stagger" : "coalesce";
}

}  // namespace lab
