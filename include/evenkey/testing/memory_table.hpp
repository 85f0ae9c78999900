// SPDX-License-Identifier: BSL-1.0
#pragma once

// A DynamoDB table in memory, for tests: see docs/testing.md.
#include <evenkey/testing/memory_table/table.hpp>
