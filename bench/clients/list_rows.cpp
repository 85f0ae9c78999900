// SPDX-License-Identifier: BSL-1.0
// Lists bench/clients.sh's table by evenkey's drivers over the wire client, and says what processor time it took.
// usage: list_rows threads|pool|callback TABLE ROUNDS FILE
#include <evenkey/read/async.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/version.hpp>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "functors.hpp"

namespace {

using dynamodb::Item;
using Items = std::vector<Item>;

struct Rows {
  static constexpr std::string_view name = "by-type";
  using PartitionKey = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = dynamodb::Item;
  using StartKey = dynamodb::Item;
  static std::string_view sort_key(const Item& item) { return dynamodb::text_of(item, "gsi_sk"); }
  static std::string_view primary_key(const Item& item) { return dynamodb::text_of(item, "id"); }
  static std::string_view shard_by(const Item& item) { return dynamodb::text_of(item, "person"); }
};

/// Of this process, in microseconds: user's and system's.
double processor_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto micros = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return micros(used.ru_utime) + micros(used.ru_stime);
}

std::function<Items()> lister(std::string_view driver, const std::string& table, evenkey::ThreadPool& pool) {
  auto query = dynamodb::query_functor(dynamodb::Client(), table, {"gsi_pk", "gsi_sk"});
  if (driver == "threads")  // those of the call
    return [query] { return evenkey::enumerate(Rows{}, query).items; };
  if (driver == "pool") return [query, &pool] { return evenkey::enumerate(Rows{}, query, {}, pool).items; };
  if (driver != "callback") throw std::invalid_argument("no driver " + std::string(driver));
  // The wire client blocks, so that its calls need threads; the read itself has none.
  const auto start = [query, &pool](const evenkey::QueryRequest<Item>& request,
                                    evenkey::Completion<Item, Item> completion) {
    pool.execute([query, &request, completion = std::move(completion)] {
      try {
        completion(query(request));
      } catch (...) {
        completion(std::current_exception());
      }
    });
  };
  return [start] { return evenkey::enumerate_async(Rows{}, start).as_future().get().items; };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: list_rows threads|pool|callback TABLE ROUNDS FILE\n";
    return 2;
  }
  evenkey::ThreadPool pool(16);
  const auto list = lister(argv[1], argv[2], pool);
  std::cout << R"({"client": "evenkey )" << evenkey::version_string << ", " << argv[1] << R"(", "micros": [)"
            << processor_time();
  Items items;
  for (int round = 0; round < std::atoi(argv[3]); ++round) {
    const double before = processor_time();
    Items listed = list();
    std::cout << ", " << processor_time() - before;
    items = std::move(listed);
  }
  std::cout << "]}\n";
  std::ofstream file(argv[4]);
  for (const Item& item : items)
    file << Rows::sort_key(item) << '\t' << Rows::primary_key(item) << '\n';
}
