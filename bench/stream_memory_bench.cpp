// SPDX-License-Identifier: BSL-1.0
//
// The most memory that is held at once while a million rows are streamed, beside that of gathering them.
// operator new is replaced: what counts is what the program asks for, to the byte.
#include <evenkey/read.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ratios.hpp"
#include "rows.hpp"

namespace {

std::atomic<std::size_t> bytes_held = 0;
std::atomic<std::size_t> most_bytes_held = 0;

constexpr std::size_t header = alignof(std::max_align_t);  // before each block, its size

void* hold(std::size_t size) noexcept {
  void* const block = std::malloc(size + header);
  if (block == nullptr) return nullptr;
  *static_cast<std::size_t*>(block) = size;
  const std::size_t held = bytes_held += size;
  for (std::size_t most = most_bytes_held;
       held > most && !most_bytes_held.compare_exchange_weak(most, held);) {
  }
  return static_cast<char*>(block) + header;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const block = static_cast<char*>(memory) - header;
  bytes_held -= *static_cast<std::size_t*>(block);
  std::free(block);
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const memory = hold(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return hold(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }

namespace {

/// About 300 bytes, as rows of ADR-0085's index are.
struct Row {
  std::string id, sort_key, rest;
};

/// A store that makes its rows as they are asked for: row i of shard s has the sort key i * 16 + s.
class RowStore {
 public:
  RowStore(std::size_t rows, std::size_t page_size)
      : rows_(rows / bench::shard_count), page_size_(page_size) {}
  evenkey::Page<Row> operator()(const evenkey::QueryRequest<std::string>& request) const {
    const std::size_t shard = request.shard->value;
    const std::size_t begin = request.exclusive_start_key ? std::stoul(*request.exclusive_start_key) : 0;
    const std::size_t end = (std::min)(rows_, begin + page_size_);
    evenkey::Page<Row> page;
    page.items.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      char key[64];
      std::snprintf(key, sizeof key, "person-%029zu#2026-07-01T12:00:00.000Z",
                    i * bench::shard_count + shard);
      page.items.push_back({std::string("RSAGA#") + key, key, std::string(170, 'x')});
    }
    if (end != rows_) page.last_evaluated_key = std::to_string(end);
    return page;
  }

 private:
  std::size_t rows_;
  std::size_t page_size_;
};

template <class Run>
double most_held_by(Run run) {
  const std::size_t before = bytes_held;
  most_bytes_held = before;
  run();
  return static_cast<double>(most_bytes_held - before);
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "stream_memory_bench: %s\n", what);
  std::exit(1);
}

double most_held_streaming(std::size_t rows, std::size_t page_size) {
  return most_held_by([&] {
    std::size_t seen = 0;
    std::string last;
    for (const Row& row : evenkey::stream(bench::RowIndex<Row>{}, RowStore(rows, page_size))) {
      require(last < row.sort_key, "the stream is out of order");
      last = row.sort_key;
      ++seen;
    }
    require(seen == rows, "rows are missing");
  });
}

/// The least that gathering can be: page after page into one vector of the right size from the start.
double most_held_gathering(std::size_t rows, std::size_t page_size) {
  return most_held_by([&] {
    const RowStore store(rows, page_size);
    std::vector<Row> all;
    all.reserve(rows);
    for (std::uint32_t shard = 0; shard < bench::shard_count; ++shard) {
      evenkey::QueryRequest<std::string> request;
      request.shard = evenkey::ShardId{shard};
      for (bool more = true; more;) {
        evenkey::Page<Row> page = store(request);
        all.insert(all.end(), std::move_iterator(page.items.begin()), std::move_iterator(page.items.end()));
        more = page.last_evaluated_key.has_value();
        request.exclusive_start_key = std::move(page.last_evaluated_key);
      }
    }
    require(all.size() == rows, "rows are missing");
  });
}

}  // namespace

int main(int argc, char** argv) {
  using bench::Target;
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  const std::size_t rows = quick ? 16'000 : 1'000'000;
  constexpr std::size_t page_size = 500;
  constexpr std::size_t full_page = 3'000;  // about what DynamoDB's 1 MB holds of these rows
  const double gathering = most_held_gathering(rows, page_size);
  const double streaming = most_held_streaming(rows, page_size);
  const double in_full_pages = most_held_streaming(rows, full_page);
  const std::string what = "stream, 1 M rows of 300 B, 16 shards: ";
  const std::string peer = "gathering them into one vector";
  std::vector<bench::Line> lines;
  lines.push_back({what + "peak memory, pages of 500", streaming / gathering, "x",
                   quick ? Target::none : Target::at_most, 0.05, peer});
  lines.push_back(
      {what + "peak memory, pages of 1 MB", in_full_pages / gathering, "x", Target::none, 0, peer});
  lines.push_back({what + "peak memory, pages of 500", streaming / 1e6, "MB", Target::none, 0, "-"});
  lines.push_back({"gathering 1 M rows of 300 B: peak memory", gathering / 1e6, "MB", Target::none, 0, "-"});
  bench::print(lines);
}
