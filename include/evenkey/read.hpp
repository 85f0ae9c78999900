// SPDX-License-Identifier: BSL-1.0
#pragma once

// Reading a sharded index: one id's rows, many ids' rows, or everything in one order; whole, by pages,
// lazily.
#include <evenkey/read/async.hpp>
#include <evenkey/read/count.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/find.hpp>
#include <evenkey/read/find_many.hpp>
#include <evenkey/read/hydrate.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/read_page.hpp>
#include <evenkey/read/result.hpp>
#include <evenkey/read/stream.hpp>
