// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output.hpp"
#include "state_store.hpp"
#include "target.hpp"

namespace evenkey_cli {

/// What a backfill of this migration has done so far, by its checkpoint or by the leases of its hosts.
Json standing_json(const StatePlace& state, const std::string& migration);

/// The hosts that hold leases; one that died is among them until another takes its segment.
std::vector<std::string> holders(ItemLeases leases);

/// The rows that the index shows on these keys: all of them, or what one page of each counts.
struct RowsLeft {
  std::size_t rows = 0;
  bool exact = true;
};
enum class Counts { all_pages, one_page };
RowsLeft rows_on(const Target& target, const RuntimeKeys& keys, Counts counts);

}  // namespace evenkey_cli
