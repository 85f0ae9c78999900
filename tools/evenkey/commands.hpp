// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stop_token>

#include "options.hpp"

namespace evenkey_cli {

// Each prints what it has to say and gives the exit status: 0, or 1 where something is not in order. What
// they throw is told in one line by main. Those that are given a stop heed it between requests; the others
// leave nothing half-done, and are ended by the signal itself.

int shard(const Options& options);
int spread(const Options& options);
int plan(const Options& options);

int preflight(const Options& options);
int read(const Options& options);
int drift(const Options& options, const std::stop_token& stop);
int backfill(const Options& options, const std::stop_token& stop);
int parity(const Options& options, const std::stop_token& stop);
int status(const Options& options);
int advance(const Options& options, const std::stop_token& stop);
int rollback(const Options& options, const std::stop_token& stop);
int watch(const Options& options, const std::stop_token& stop);

}  // namespace evenkey_cli
