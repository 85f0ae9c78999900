// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>

/// Writes one line for each shard that a read asked, and one for the read, when it is over. For one read at a
/// time: whoever reads from several threads makes one for each.
class ShardLines {
 public:
  explicit ShardLines(std::ostream& out) : out_(&out) {}

  void on_page(const evenkey::PageEvent& event) {
    Line& line = line_of(event.shard);
    ++line.pages;
    line.items += event.items;
    line.units += event.consumed_read_units;
    line.slowest = (std::max)(line.slowest, event.served);
  }
  void on_throttled(const evenkey::ThrottleEvent& event) { ++line_of(event.shard).throttled; }
  void on_retried(const evenkey::RetryEvent& event) { ++line_of(event.shard).retries; }

  void on_finished(const evenkey::FinishEvent& event) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    for (const auto& [shard, line] : lines_)
      *out_ << event.index_name << " " << shard << ": " << line.pages << " pages, " << line.items
            << " items, " << line.units << " RCU, slowest " << Milliseconds(line.slowest).count() << " ms, "
            << line.throttled << " throttled, " << line.retries << " retries\n";
    *out_ << event.index_name << ": " << event.requests << " requests, " << event.items << " items, "
          << event.consumed_read_units << " RCU, " << event.failures << " failures\n";
    lines_.clear();
  }

 private:
  struct Line {
    std::size_t pages = 0, items = 0, throttled = 0, retries = 0;
    double units = 0;
    std::chrono::nanoseconds slowest{};
  };
  /// A partition that is no shard of N has no number.
  Line& line_of(const std::optional<evenkey::ShardId>& shard) {
    return lines_[shard ? "shard " + std::to_string(shard->value) : "unsharded"];
  }

  std::ostream* out_;
  std::map<std::string, Line> lines_;
};
