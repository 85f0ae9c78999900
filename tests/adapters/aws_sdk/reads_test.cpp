// SPDX-License-Identifier: BSL-1.0
#include <evenkey/adapters/aws_sdk.hpp>
#include <evenkey/key.hpp>
#include <evenkey/read/async.hpp>
#include <evenkey/read/enumerate.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fake_table.hpp"

using namespace sdk_tests;

namespace {

struct Sagas {
  static constexpr std::string_view name = "by-type";
  using PartitionKey = evenkey::ShardedKey<"Saga", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = evenkey::aws_sdk::Item;
  using StartKey = evenkey::aws_sdk::Item;
  static std::string sort_key(const Item& item) { return text_of(item, "gsi_sk"); }
  static std::string primary_key(const Item& item) { return text_of(item, "id"); }
  static std::string shard_by(const Item& item) { return text_of(item, "id"); }
};

const evenkey::aws_sdk::IndexKeyNames index_keys{"gsi_pk", "gsi_sk"};

std::shared_ptr<FakeTable> sagas() {
  auto table = std::make_shared<FakeTable>();
  for (int i = 0; i < 40; ++i) {
    const std::string id = "o" + std::to_string(100 + i);
    table->rows.push_back(row(id, Sagas::PartitionKey::of(id), id + "#2026"));
  }
  return table;
}

/// A thread for each task, all joined at its end.
class Threads : public Aws::Utils::Threading::Executor {
 public:
  ~Threads() override {
    for (std::thread& thread : threads_)
      thread.join();
  }

 protected:
  bool SubmitToThread(std::function<void()>&& task) override {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(task));
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// A pool that is full, and one that was stopped with work in its queue.
class Refusing : public Aws::Utils::Threading::Executor {
 protected:
  bool SubmitToThread(std::function<void()>&&) override { return false; }
};
class Dropping : public Aws::Utils::Threading::Executor {
 protected:
  bool SubmitToThread(std::function<void()>&& task) override {
    std::function<void()> dropped = std::move(task);
    return true;
  }
};

}  // namespace

TEST_SUITE("aws_sdk") {
  TEST_CASE("a listing over the SDK is whole and in order, with the SDK's own threads and without") {
    const auto table = sagas();
    const auto query = evenkey::aws_sdk::query_functor(table, "sagas", index_keys);
    const evenkey::aws_sdk::Executor executor(std::make_shared<Threads>());
    CHECK(evenkey::enumerate(Sagas{}, query, {}, executor).items == table->rows);
    const evenkey::aws_sdk::Executor full(std::make_shared<Refusing>());
    CHECK(evenkey::enumerate(Sagas{}, query, {}, full).items == table->rows);
    CHECK_THROWS_AS(full.execute([] {}), std::system_error);
    CHECK(evenkey::enumerate(Sagas{}, query, {.limit = 3}).items ==
          std::vector<Item>(table->rows.begin(), table->rows.begin() + 3));
  }

  TEST_CASE("an asynchronous listing is tasks of the SDK's executor, which hold the client") {
    auto table = sagas();
    const std::vector<Item> rows = table->rows;
    const std::weak_ptr<FakeTable> watched = table;
    Threads threads;
    auto read = evenkey::enumerate_async(
        Sagas{}, evenkey::aws_sdk::async_query_functor(std::move(table), threads, "sagas", index_keys));
    CHECK_FALSE(watched.expired());
    CHECK(std::move(read).as_future().get().items == rows);
  }

  TEST_CASE("a pool that refuses or drops work fails the read, which does not wait for ever") {
    evenkey::EnumerateOptions collect;
    collect.on_failure = evenkey::OnFailure::collect;
    Refusing refusing;
    auto refused = evenkey::enumerate_async(
        Sagas{}, evenkey::aws_sdk::async_query_functor(sagas(), refusing, "sagas", index_keys), collect);
    const auto full = std::move(refused).as_future().get();
    REQUIRE(full.failures.size() == 4);
    CHECK(full.failures[0].message.find("takes no more work") != std::string::npos);
    CHECK(evenkey::classify(full.failures[0].error).kind == evenkey::ErrorKind::throttled);
    Dropping dropping;
    auto dropped = evenkey::enumerate_async(
        Sagas{}, evenkey::aws_sdk::async_query_functor(sagas(), dropping, "sagas", index_keys), collect);
    CHECK(std::move(dropped).as_future().get().failures.size() == 4);
  }

  TEST_CASE("an error of the SDK is the failure of its partition") {
    const auto table = sagas();
    table->error.emplace(DynamoDBErrors::RESOURCE_NOT_FOUND, "ResourceNotFoundException", "no table", 400);
    Threads threads;
    auto read = evenkey::enumerate_async(
        Sagas{}, evenkey::aws_sdk::async_query_functor(table, threads, "sagas", index_keys));
    CHECK_THROWS_WITH_AS(std::move(read).as_future().get(),
                         doctest::Contains("ResourceNotFoundException: no table"), evenkey::fan_out_error);
  }
}
