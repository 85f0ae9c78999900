// SPDX-License-Identifier: BSL-1.0
#pragma once

// Reading a sharded index: one id's rows, many ids' rows, or everything in one order.
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/find.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/result.hpp>
