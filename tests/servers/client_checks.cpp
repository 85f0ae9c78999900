// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <set>

#include "test_table.hpp"

using namespace servers;
using dynamodb::AttributeValue;
using dynamodb::Error;
using evenkey::ErrorKind;

TEST_SUITE_BEGIN("client");

TEST_CASE("every type of attribute comes back as it was") {
  const TestTable table;
  const Item nested{{"n", dynamodb::number(1)}, {"l", dynamodb::List{"a", dynamodb::Null{}}}};
  const Item item{{"id", "all types"},
                  {"text", "quote \" backslash \\ newline \n zero \x01 snow \xE2\x98\x83 \xF0\x9D\x95\x8F"},
                  {"number", dynamodb::Number{"-12345678901234567890.000000000000000001"}},
                  {"bytes", dynamodb::Binary{std::string("\0\xFF\x80 bytes", 9)}},
                  {"yes", true},
                  {"no", false},
                  {"null", dynamodb::Null{}},
                  {"texts", dynamodb::StringSet{{"a", "b"}}},
                  {"numbers", dynamodb::NumberSet{{"1", "2"}}},
                  {"list", dynamodb::List{"x", dynamodb::number(7), nested, dynamodb::List{}}},
                  {"map", nested}};
  table.client().put({.table = table.name(), .item = item});
  const auto stored = table.client().get(table.name(), {{"id", "all types"}}, dynamodb::Consistency::strong);
  REQUIRE(stored.has_value());
  for (const auto& attribute : item) {
    INFO(attribute.first);
    REQUIRE(stored->contains(attribute.first));
    CHECK(stored->find(attribute.first)->second == attribute.second);
  }
  CHECK(dynamodb::from_json_text(dynamodb::to_json_text(item)) == item);
}

TEST_CASE("an item that is not there is none, and deleting it is no error") {
  const TestTable table;
  CHECK_FALSE(table.client().get(table.name(), {{"id", "nobody"}}).has_value());
  CHECK_NOTHROW(table.client().remove({.table = table.name(), .item = {{"id", "nobody"}}}));
}

TEST_CASE("batches of any size are written, read and deleted") {
  const TestTable table;
  std::vector<Item> puts, keys;
  for (int i = 0; i < 230; ++i) {
    puts.push_back({{"id", "row " + std::to_string(i)}, {"value", dynamodb::number(i)}});
    keys.push_back({{"id", "row " + std::to_string(i)}});
  }
  keys.push_back({{"id", "nobody"}});
  table.client().batch_write(table.name(), puts);
  std::vector<Item> read = table.client().batch_get(table.name(), keys, dynamodb::Consistency::strong);
  CHECK(read.size() == 230);
  keys.pop_back();
  table.client().batch_write(table.name(), {}, keys);
  CHECK(table.client().batch_get(table.name(), keys).empty());
}

TEST_CASE("errors have DynamoDB's names, and a kind") {
  const TestTable table;
  const auto error_of = [](auto call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    FAIL("no error");
    return Error({}, "");
  };
  const Error missing = error_of([&] { table.client().scan({.table = "no-such-table"}); });
  CHECK(missing.name() == "ResourceNotFoundException");
  CHECK(missing.kind() == ErrorKind::fatal);
  CHECK(missing.http_status() == 400);
  CHECK_FALSE(missing.request_id().empty());
  const Error invalid = error_of([&] {
    table.client().query({.table = table.name(), .index = "by-type", .key_condition = "nonsense"});
  });
  CHECK(invalid.name() == "ValidationException");
  const Error consistent = error_of([&] {
    table.client().query({.table = table.name(),
                          .index = "by-type",
                          .key_condition = "gsi_pk = :p",
                          .placeholders = {{}, {{":p", "x"}}},
                          .consistency = dynamodb::Consistency::strong});
  });
  CHECK(consistent.name() == "ValidationException");
  const Error failed = error_of([&] {
    table.client().put({.table = table.name(), .item = {{"id", "x"}}, .condition = "attribute_exists(id)"});
  });
  CHECK(failed.kind() == ErrorKind::condition_failed);
}

TEST_CASE("a table is described with its indexes") {
  const TestTable table;
  const auto described = table.client().describe_table(table.name());
  CHECK(described.status == "ACTIVE");
  CHECK(described.keys.partition_key == "id");
  REQUIRE(described.index("by-type") != nullptr);
  CHECK(described.index("by-type")->keys.sort_key == "gsi_sk");
  CHECK(described.index("by-type")->projection == "ALL");
  CHECK(described.index("other") == nullptr);
  CHECK(described.attribute_types.at("gsi_sk") == "S");
}

TEST_CASE("parallel segments of a scan give every row once") {
  const TestTable table;
  std::vector<Item> puts;
  for (int i = 0; i < 500; ++i)
    puts.push_back({{"id", "row " + std::to_string(i)}});
  table.client().batch_write(table.name(), puts);
  for (const std::uint32_t segments : {1U, 3U, 8U}) {
    std::multiset<std::string> seen;
    for (std::uint32_t segment = 0; segment < segments; ++segment) {
      dynamodb::ScanInput input{.table = table.name(),
                                .limit = 37,
                                .segment = segment,
                                .total_segments = segments,
                                .consistency = dynamodb::Consistency::strong};
      do {
        auto page = table.client().scan(input);
        for (const Item& item : page.items)
          seen.insert(id_of(item));
        input.exclusive_start_key = std::move(page.last_evaluated_key);
      } while (!input.exclusive_start_key.empty());
    }
    CHECK(seen.size() == 500);
    CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == 500);
  }
}

TEST_SUITE_END();
