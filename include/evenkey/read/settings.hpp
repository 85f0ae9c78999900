// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/options.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>

namespace evenkey::detail {

/// How far the engine reads ahead of the item that is given out next.
enum class ReadAhead : std::uint8_t {
  none,      ///< a page only where the answer waits for it: a limited read spends no more than it must
  one_page,  ///< one page a partition, so that a round trip is hidden and memory stays small
  all        ///< whatever there is: the answer holds all of it anyway
};

/// Whether the engine keeps the place of the item given out last, for a token.
enum class Positions : std::uint8_t { untracked, tracked };

/// What every verb tells the engine.
struct ReadSettings {
  std::size_t limit = 0;  // 0: all
  Direction direction = Direction::ascending;
  OnFailure on_failure = OnFailure::raise;
  std::size_t max_tie_run = default_max_tie_run;
  double max_read_units = 0;  // 0: no budget
  ReadAhead ahead = ReadAhead::all;
  Positions positions = Positions::untracked;
  Select select = Select::items;
  /// Merges whose lanes may be asked at once; their items come out one merge after the other.
  std::size_t merges_at_once = (std::numeric_limits<std::size_t>::max)();
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};
};

/// Which rows of a partition a merge is about.
struct ReadScope {
  KeyRange range = {};
  /// Whose rows; empty: everybody's.
  std::string id = {};
};

/// Which requests a driver's thread is ready to make.
enum class Need : std::uint8_t {
  any,     ///< also those that only read ahead
  awaited  ///< none that would keep the thread while an item is there for it
};

/// Why no request of a read may start any more: its deadline has passed, or it is asked to stop. Null: it
/// may.
inline std::exception_ptr reason_to_end(const ReadSettings& settings, Deadline now) {
  if (settings.stop.stop_requested())
    return std::make_exception_ptr(stopped_error("evenkey: a stop was requested before the read was done"));
  if (settings.deadline && now >= *settings.deadline)
    return std::make_exception_ptr(deadline_error("evenkey: the deadline passed before the read was done"));
  return nullptr;
}

}  // namespace evenkey::detail
