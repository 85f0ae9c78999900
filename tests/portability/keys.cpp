// SPDX-License-Identifier: BSL-1.0
// Hashes, shards, fields and keys against the golden files, as one unit: everything that is stored in a table's rows.
// What it needs is below `page`, so that it compiles where the standard library has no std::stop_token.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "composite_key/composite_key_test.cpp"
#include "fields/number_test.cpp"
#include "fields/text_test.cpp"
#include "fields/timestamp_test.cpp"
#include "fields/utf8_test.cpp"
#include "hash/hash_test.cpp"
#include "key/dynamic_sharded_key_test.cpp"
#include "key/sharded_key_test.cpp"
#include "shard_policy/canonical_id_test.cpp"
#include "shard_policy/shard_policy_test.cpp"
