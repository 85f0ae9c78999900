// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/recommendation.hpp>

#include "options.hpp"

namespace evenkey_cli {

/// Prints the index that a plan means, with its warm throughput, as `options.emit` says: blocks of Terraform, a
/// call of CDK, or the input of `aws dynamodb update-table --cli-input-json`.
/// @returns the exit status: 1 where the plan is not to have such an index, which stderr then says
int emit(const Options& options, const evenkey::capacity::Workload& workload,
         const evenkey::capacity::Recommendation& answer);

}  // namespace evenkey_cli
