// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
namespace detail = evenkey::testing::detail;

namespace {

std::vector<MemoryStartKey> all_small_keys() {
  std::vector<std::string> texts{"", "1", ":", "1:", "t", "0:"};
  std::vector<MemorySortKey> sort_keys{{}, std::int64_t{0}, std::int64_t{-1}, 0.0, -1.5, std::string("i0")};
  sort_keys.emplace_back((std::numeric_limits<std::int64_t>::min)());
  sort_keys.emplace_back((std::numeric_limits<double>::max)());
  for (const std::string& text : texts)
    sort_keys.emplace_back(text);
  std::vector<MemoryStartKey> keys;
  for (const auto& partition : texts)
    for (const auto& sort : sort_keys)
      for (const auto& primary : texts)
        keys.push_back({partition, sort, primary});
  return keys;
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("start keys as text and as maps come back as they were, and no two are alike") {
    using Map = std::map<std::string, std::string>;
    std::set<std::string> texts;
    std::set<Map> maps;
    const auto keys = all_small_keys();
    for (const MemoryStartKey& key : keys) {
      const auto text = detail::to_start_key<std::string>(detail::no_hooks, key);
      const auto map = detail::to_start_key<Map>(detail::no_hooks, key);
      CHECK(detail::from_start_key(detail::no_hooks, text) == key);
      CHECK(detail::from_start_key(detail::no_hooks, map) == key);
      CHECK_FALSE(text.empty());
      texts.insert(text);
      maps.insert(map);
    }
    CHECK(texts.size() == keys.size());
    CHECK(maps.size() == keys.size());
  }

  TEST_CASE("text that is not a start key is not taken for one") {
    const auto parse = [](std::string_view text) { return detail::parse_start_key_text(text); };
    CHECK(parse("1:P2:tsid"));
    for (const char* bad : {"", "x", "1", "1:", "1:P", "1:P2:t", "2:P2:tsid", "01:P2:tsid", "-1:P2:tsid",
                            "+1:P2:tsid", "1:P2:xsid", "1:P2:nsid", "1:P3:i07id", "1:P2:i-id", "1:P0:id",
                            "1:P1:did", "99999999999999999999:P2:tsid"})
      CHECK_MESSAGE(!parse(bad), bad);
    using Map = std::map<std::string, std::string>;
    CHECK_FALSE(detail::parse_start_key_map(Map{}));
    CHECK_FALSE(detail::parse_start_key_map(Map{{"partition_key", "P"}, {"sort_key", "ts"}}));
    CHECK_FALSE(detail::parse_start_key_map(
        Map{{"partition_key", "P"}, {"sort_key", "ts"}, {"primary_key", "1"}, {"more", ""}}));
    CHECK_FALSE(
        detail::parse_start_key_map(Map{{"partition_key", "P"}, {"sort_key", "s"}, {"primary_key", "1"}}));
  }
}
