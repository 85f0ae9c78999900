// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/load.hpp>

#include <cstdint>
#include <string>

#include "options.hpp"

namespace evenkey_cli {

/// The index that `options` name, for so many shards under that load, in the language of `options.emit`.
/// Errors: a name that is missing, or that no such name of DynamoDB's is like → `usage_error`.
std::string emit_index(const Options& options, const evenkey::capacity::Load& load, std::uint32_t shards);

}  // namespace evenkey_cli
