// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/reports.hpp>

#include <stop_token>

#include "output.hpp"
#include "target.hpp"

namespace evenkey_cli {

/// The checks as commands and steps run them, with their progress on stderr; of `Migration` and `SecondIndex`.
template <class AnyMigration>
evenkey::DriftReport run_drift(const Options& options, const Target& target, const AnyMigration& migration,
                               const std::stop_token& stop);
template <class AnyMigration>
evenkey::ParityReport run_parity(const Options& options, const Target& target, const AnyMigration& migration,
                                 const std::stop_token& stop);

Json json_of(const evenkey::DriftReport& report);
Json json_of(const evenkey::ParityReport& report);
Json json_of(const evenkey::ReportHead& head);

}  // namespace evenkey_cli
