// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/store_error.hpp>

#include "dynamodb/error.hpp"

/// Whether a write of the wire client was applied: false where its condition did not hold.
/// Errors: whatever else went wrong, as it is.
template <class Write>
bool applied(Write write) {
  try {
    write();
    return true;
  } catch (const dynamodb::Error& error) {
    if (error.kind() != evenkey::ErrorKind::condition_failed) throw;
    return false;
  }
}
