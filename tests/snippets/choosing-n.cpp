// SPDX-License-Identifier: BSL-1.0
//
// What the page's reader has around its snippet: nothing. tests/capacity/documented_test.cpp computes the page's numbers.

// snippet 1
static_assert(capacity::Advice::shard != capacity::Advice::do_not_shard);
const auto shards = answer.shards;
