// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Partition keys: `UnshardedKey` and `ShardedKey` as constants, `ShardedKeyFamily` for a prefix and
/// `DynamicShardedKey` for an N known at run time; `KeyFormat`; the concept `partition_keys`.
#include <evenkey/key/dynamic_sharded_key.hpp>
#include <evenkey/key/key_text.hpp>
#include <evenkey/key/listed_keys.hpp>
#include <evenkey/key/partition_keys.hpp>
#include <evenkey/key/sharded_key.hpp>
#include <evenkey/key/sharded_key_family.hpp>
