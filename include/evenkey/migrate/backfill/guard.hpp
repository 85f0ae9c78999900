// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace evenkey::detail {

/// What the guard of a run throws where another host has taken its rows: this one must leave them alone.
/// Never leaves the library.
struct LeaseLost {};

/// For a run that nothing can take its rows from.
struct NoGuard {
  void check() const noexcept {}
};

}  // namespace evenkey::detail
