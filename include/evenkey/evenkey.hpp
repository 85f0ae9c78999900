// SPDX-License-Identifier: BSL-1.0
#pragma once

// All of evenkey but testing/ and adapters/.
#include <evenkey/capacity.hpp>
#include <evenkey/coalesce.hpp>
#include <evenkey/composite_key.hpp>
#include <evenkey/fields.hpp>
#include <evenkey/hash.hpp>
#include <evenkey/index.hpp>
#include <evenkey/key.hpp>
#include <evenkey/merge.hpp>
#include <evenkey/migrate.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read.hpp>
#include <evenkey/shard_policy.hpp>
#include <evenkey/shard_policy/random.hpp>
#include <evenkey/stagger.hpp>
#include <evenkey/version.hpp>
