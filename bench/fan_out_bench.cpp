// SPDX-License-Identifier: BSL-1.0
//
// What the fan-out costs beside what people write by hand: 16 queries of 5 ms at once, and the overhead per
// page where the store answers at once. Peers: std::async, and Asio's thread pool. They only gather; evenkey
// merges as well.
#include <evenkey/read.hpp>

#include <algorithm>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <asio/version.hpp>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ratios.hpp"
#include "rows.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Row = bench::SmallRow;
using Request = evenkey::QueryRequest<std::string>;
using Page = evenkey::Page<Row>;
using Query = std::function<Page(const Request&)>;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fan_out_bench: %s\n", what);
  std::exit(1);
}

Request first_request(std::size_t shard) {
  Request request;
  request.shard = evenkey::ShardId{static_cast<std::uint32_t>(shard)};
  return request;
}

// Each contender reads all pages of all shards and says how many rows it got.

struct ByEvenkey {
  evenkey::ThreadPool pool{bench::shard_count};
  std::size_t operator()(const Query& query) {
    return evenkey::enumerate(bench::RowIndex<Row>{}, query, {}, pool).items.size();
  }
};

struct ByEvenkeyOwnThreads {
  std::size_t operator()(const Query& query) {
    return evenkey::enumerate(bench::RowIndex<Row>{}, query).items.size();
  }
};

/// One task a shard, which asks for one page after the other.
struct ByAsync {
  std::size_t operator()(const Query& query) {
    std::vector<std::future<std::size_t>> shards;
    for (std::size_t shard = 0; shard < bench::shard_count; ++shard) {
      shards.push_back(std::async(std::launch::async, [&query, shard] {
        std::size_t rows = 0;
        Request request = first_request(shard);
        for (bool more = true; more;) {
          Page page = query(request);
          rows += page.items.size();
          more = page.last_evaluated_key.has_value();
          request.exclusive_start_key = std::move(page.last_evaluated_key);
        }
        return rows;
      }));
    }
    std::size_t rows = 0;
    for (auto& shard : shards)
      rows += shard.get();
    return rows;
  }
};

/// One task a page, as evenkey's requests are.
struct ByAsyncPages {
  std::size_t operator()(const Query& query) {
    std::size_t rows = 0;
    std::vector<std::pair<std::size_t, Request>> open;
    for (std::size_t shard = 0; shard < bench::shard_count; ++shard)
      open.emplace_back(shard, first_request(shard));
    while (!open.empty()) {
      std::vector<std::future<Page>> round;
      for (const auto& shard : open)
        round.push_back(std::async(std::launch::async, [&query, &shard] { return query(shard.second); }));
      std::vector<std::pair<std::size_t, Request>> next;
      for (std::size_t i = 0; i < round.size(); ++i) {
        Page page = round[i].get();
        rows += page.items.size();
        if (!page.last_evaluated_key) continue;
        next.push_back(std::move(open[i]));
        next.back().second.exclusive_start_key = std::move(page.last_evaluated_key);
      }
      open = std::move(next);
    }
    return rows;
  }
};

/// One posted task a page; each posts the next of its shard.
struct ByAsio {
  asio::thread_pool pool{bench::shard_count};
  std::size_t operator()(const Query& query) {
    std::atomic<std::size_t> rows = 0;
    std::latch shards(static_cast<std::ptrdiff_t>(bench::shard_count));
    for (std::size_t shard = 0; shard < bench::shard_count; ++shard)
      post(query, first_request(shard), rows, shards);
    shards.wait();
    return rows;
  }
  void post(const Query& query, Request request, std::atomic<std::size_t>& rows, std::latch& shards) {
    asio::post(pool, [this, &query, &rows, &shards, request = std::move(request)]() mutable {
      Page page = query(request);
      rows += page.items.size();
      if (!page.last_evaluated_key) return shards.count_down();
      request.exclusive_start_key = std::move(page.last_evaluated_key);
      post(query, std::move(request), rows, shards);
    });
  }
};

/// 16 queries of 5 ms: the wall time beside the slowest of them, as the query itself saw it.
template <class Contender>
double wall_to_slowest(Contender& contender, int repetitions) {
  std::vector<double> ratios;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<double> took(bench::shard_count);
    const Query query = [&](const Request& request) {
      const auto begin = Clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      Page page;
      page.items.push_back({"id" + std::to_string(request.shard->value), "key"});
      took[request.shard->value] = bench::seconds_of(Clock::now() - begin);
      return page;
    };
    const auto begin = Clock::now();
    const std::size_t rows = contender(query);
    const double wall = bench::seconds_of(Clock::now() - begin);
    require(rows == bench::shard_count, "rows are missing");
    ratios.push_back(wall / *std::max_element(took.begin(), took.end()));
  }
  return bench::median(ratios);
}

/// Microseconds a page, the median of all runs since waiting for each other is part of it, where the store
/// only moves pages out: one row in each, so that nearly nothing is merged.
template <class Contender>
void per_page(Contender& contender, const bench::Pages<Row>& pages, std::vector<double>& times) {
  bench::PageStore<Row> store(pages);
  const Query query = std::ref(store);
  const std::size_t expected = bench::shard_count * pages[0].size();
  const auto begin = Clock::now();
  const std::size_t rows = contender(query);
  const double wall = bench::seconds_of(Clock::now() - begin);
  require(rows == expected, "rows are missing");
  times.push_back(wall / static_cast<double>(expected) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  using bench::Target;
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  ByEvenkey evenkey;
  ByEvenkeyOwnThreads own_threads;
  ByAsync async;
  ByAsyncPages async_pages;
  ByAsio asio_pool;
  const std::string library = bench::standard_library();
  const std::string asio_version = "Asio " + std::to_string(ASIO_VERSION / 100000) + "." +
                                   std::to_string(ASIO_VERSION / 100 % 1000) + "." +
                                   std::to_string(ASIO_VERSION % 100);
  std::vector<bench::Line> lines;

  const int repetitions = quick ? 1 : 41;
  (void)wall_to_slowest(evenkey, 1);  // starts the pools' threads
  (void)wall_to_slowest(asio_pool, 1);
  const std::string wall = "16 queries of 5 ms, wall to the slowest: ";
  lines.push_back(
      {wall + "warm pool", wall_to_slowest(evenkey, repetitions), "x", Target::at_most, 1.15, "-"});
  lines.push_back(
      {wall + "own threads", wall_to_slowest(own_threads, repetitions), "x", Target::at_most, 1.15, "-"});
  lines.push_back({wall + "std::async", wall_to_slowest(async, repetitions), "x", Target::none, 0, library});
  lines.push_back({wall + "asio::thread_pool", wall_to_slowest(asio_pool, repetitions), "x", Target::none, 0,
                   asio_version});

  const bench::Pages<Row> pages = bench::make_pages<Row>(quick ? 10 : 250, 1);
  std::vector<double> by_evenkey;
  std::vector<double> by_async;
  std::vector<double> by_async_pages;
  std::vector<double> by_asio;
  for (int repetition = 0; repetition < (quick ? 1 : 30); ++repetition) {
    per_page(evenkey, pages, by_evenkey);
    per_page(async, pages, by_async);
    per_page(async_pages, pages, by_async_pages);
    per_page(asio_pool, pages, by_asio);
  }
  const std::string page = "overhead per page: ";
  lines.push_back({page + "warm pool", bench::median(by_evenkey), "us", Target::at_most, 5, "-"});
  lines.push_back(
      {page + "std::async, a task a page", bench::median(by_async_pages), "us", Target::none, 0, library});
  lines.push_back(
      {page + "std::async, a task a shard", bench::median(by_async), "us", Target::none, 0, library});
  lines.push_back({page + "asio::thread_pool, a task a page", bench::median(by_asio), "us", Target::none, 0,
                   asio_version});
  bench::print(lines);
}
