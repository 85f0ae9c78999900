// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Counts what reads did, and gives it in Prometheus's text format: serve `text()` at /metrics.
///
/// Labels are the index and the shard, so there are at most N + 1 series of a metric and index. Partition
/// keys and ids are no labels: a prefix may hold a tenant's name, and each would be a series for ever.
/// Threads: one object for all reads of a process; an observer is called from many.
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
class PrometheusMetrics {
 public:
  void on_page(const evenkey::PageEvent& event) {
    const std::lock_guard lock(mutex_);
    Shard& shard = shard_of(event.index_name, event.shard);
    ++shard.pages;
    shard.items += static_cast<double>(event.items);
    shard.scanned += static_cast<double>(event.scanned_count);
    shard.units += event.consumed_read_units;
    const double seconds = std::chrono::duration<double>(event.served).count();
    Index& index = index_of(event.index_name);
    index.seconds += seconds;
    const auto bucket = std::lower_bound(upper_bounds.begin(), upper_bounds.end(), seconds);
    ++index.pages_by_time[static_cast<std::size_t>(bucket - upper_bounds.begin())];
  }
  void on_throttled(const evenkey::ThrottleEvent& event) {
    const std::lock_guard lock(mutex_);
    Shard& shard = shard_of(event.index_name, event.shard);
    ++(event.cause == evenkey::ThrottleEvent::Cause::hot_partition ? shard.throttled_hot : shard.throttled);
  }
  void on_retried(const evenkey::RetryEvent& event) {
    const std::lock_guard lock(mutex_);
    ++shard_of(event.index_name, event.shard).retries;
  }
  void on_finished(const evenkey::FinishEvent& event) {
    const std::lock_guard lock(mutex_);
    Index& index = index_of(event.index_name);
    ++index.reads;
    index.failures += static_cast<double>(event.failures);
    index.duplicates += static_cast<double>(event.duplicates_dropped);
  }

  std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string out;
    shard_counter(out, "evenkey_pages_total", "Pages that a shard answered.", "", &Shard::pages);
    shard_counter(out, "evenkey_items_total", "Items in these pages.", "", &Shard::items);
    shard_counter(out, "evenkey_scanned_items_total", "Items evaluated for these pages.", "",
                  &Shard::scanned);
    shard_counter(out, "evenkey_read_units_total", "Read capacity units consumed.", "", &Shard::units);
    shard_counter(out, "evenkey_throttled_total", "Requests refused for lack of capacity.",
                  R"(,cause="unknown")", &Shard::throttled);
    shard_samples(out, "evenkey_throttled_total", R"(,cause="hot_partition")", &Shard::throttled_hot);
    shard_counter(out, "evenkey_retries_total", "Requests made again.", "", &Shard::retries);
    index_counter(out, "evenkey_reads_total", "Reads that ended.", &Index::reads);
    index_counter(out, "evenkey_failed_partitions_total", "Partitions that failed a read.", &Index::failures);
    index_counter(out, "evenkey_duplicates_dropped_total", "Copies of a row that were dropped.",
                  &Index::duplicates);
    page_seconds(out);
    return out;
  }

 private:
  static constexpr std::array upper_bounds{0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0};

  // Counted as double, as Prometheus does.
  struct Shard {
    double pages = 0, items = 0, scanned = 0, units = 0, throttled = 0, throttled_hot = 0, retries = 0;
  };
  struct Index {
    double reads = 0, failures = 0, duplicates = 0, seconds = 0;
    std::array<double, upper_bounds.size() + 1> pages_by_time{};  // the last is above all bounds
  };
  /// Index and shard; -1 is what is no shard of N.
  using ShardLabels = std::pair<std::string, std::int64_t>;

  Shard& shard_of(std::string_view index, const std::optional<evenkey::ShardId>& shard) {
    return shards_[{std::string(index), shard ? std::int64_t{shard->value} : -1}];
  }
  Index& index_of(std::string_view index) { return indexes_[std::string(index)]; }

  static void add_head(std::string& out, std::string_view name, std::string_view help,
                       std::string_view type) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name);
    out.append(" ").append(type).append("\n");
  }
  static void add_sample(std::string& out, std::string_view name, const std::string& labels, double value) {
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof digits, value);  // whatever the locale
    out.append(name).append("{").append(labels).append("} ").append(digits, written.ptr).append("\n");
  }
  static std::string index_label(std::string_view index) {
    std::string label = "index=\"";
    for (const char c : index) {
      if (c == '\n') {
        label += "\\n";
        continue;
      }
      if (c == '\\' || c == '"') label += '\\';
      label += c;
    }
    return label + "\"";
  }

  void shard_samples(std::string& out, std::string_view name, std::string_view more,
                     double Shard::*figure) const {
    for (const auto& [labels, shard] : shards_) {
      std::string text = index_label(labels.first) + ",shard=\"";
      text += (labels.second < 0 ? std::string("none") : std::to_string(labels.second)) + "\"";
      add_sample(out, name, text.append(more), shard.*figure);
    }
  }
  void shard_counter(std::string& out, std::string_view name, std::string_view help, std::string_view more,
                     double Shard::*figure) const {
    add_head(out, name, help, "counter");
    shard_samples(out, name, more, figure);
  }
  void index_counter(std::string& out, std::string_view name, std::string_view help,
                     double Index::*figure) const {
    add_head(out, name, help, "counter");
    for (const auto& [name_of_index, index] : indexes_)
      add_sample(out, name, index_label(name_of_index), index.*figure);
  }
  void page_seconds(std::string& out) const {
    const std::string name = "evenkey_page_seconds";
    add_head(out, name, "How long a page took, retries included.", "histogram");
    for (const auto& [name_of_index, index] : indexes_) {
      const std::string label = index_label(name_of_index);
      double so_far = 0;
      for (std::size_t bucket = 0; bucket < upper_bounds.size(); ++bucket) {
        so_far += index.pages_by_time[bucket];
        char digits[32];
        const auto bound = std::to_chars(digits, digits + sizeof digits, upper_bounds[bucket]);
        add_sample(out, name + "_bucket", label + ",le=\"" + std::string(digits, bound.ptr) + "\"", so_far);
      }
      so_far += index.pages_by_time.back();
      add_sample(out, name + "_bucket", label + ",le=\"+Inf\"", so_far);
      add_sample(out, name + "_sum", label, index.seconds);
      add_sample(out, name + "_count", label, so_far);
    }
  }

  mutable std::mutex mutex_;
  std::map<ShardLabels, Shard> shards_;
  std::map<std::string, Index> indexes_;
};
