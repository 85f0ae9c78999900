// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace support {

// Start keys are opaque to evenkey. The stores of the tests write a text into one, whatever its type is.
template <class StartKey>
struct start_key_text;
template <>
struct start_key_text<std::string> {
  static std::string make(std::string text) { return text; }
  static std::string read(const std::string& key) { return key; }
};
template <>
struct start_key_text<std::map<std::string, std::string>> {
  using Map = std::map<std::string, std::string>;
  static Map make(const std::string& text) { return text.empty() ? Map{} : Map{{"start", text}}; }
  static std::string read(const Map& key) { return key.at("start"); }
};

/// One request that a store was asked.
struct Asked {
  std::string index_name;
  std::string partition;
  std::optional<evenkey::ShardId> shard;
  evenkey::SortKeyCondition condition;
  std::optional<std::string> start;
  std::optional<std::uint32_t> limit;
  evenkey::Direction direction;
};

/// What a store was asked, in order, and how much of it at once. Threads: any number.
class RequestLog {
 public:
  /// Counts a request as under way as long as it lives.
  class Visit {
   public:
    explicit Visit(RequestLog& log) : log_(log) {}
    ~Visit() {
      const std::scoped_lock lock(log_.mutex_);
      --log_.in_flight_;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    RequestLog& log_;
  };

  template <class StartKey>
  [[nodiscard]] Visit enter(const evenkey::QueryRequest<StartKey>& request) {
    Asked asked{std::string(request.index_name),
                std::string(request.partition_key),
                request.shard,
                request.sort_key,
                std::nullopt,
                request.limit,
                request.direction};
    if (request.exclusive_start_key)
      asked.start = start_key_text<StartKey>::read(*request.exclusive_start_key);
    const std::scoped_lock lock(mutex_);
    asked_.push_back(std::move(asked));
    peak_ = (std::max)(peak_, ++in_flight_);
    return Visit(*this);
  }

  std::vector<Asked> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  std::size_t size() const { return asked().size(); }
  std::size_t of(std::string_view partition) const {
    const std::vector<Asked> all = asked();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const Asked& one) { return one.partition == partition; }));
  }
  /// The most requests that were under way at once.
  std::size_t peak() const {
    const std::scoped_lock lock(mutex_);
    return peak_;
  }
  std::size_t in_flight() const {
    const std::scoped_lock lock(mutex_);
    return in_flight_;
  }
  /// Field report F02: no request asks for nothing, or for less.
  bool every_limit_is_positive() const {
    const std::vector<Asked> all = asked();
    return std::all_of(all.begin(), all.end(), [](const Asked& one) {
      return !one.limit || (*one.limit > 0 && *one.limit < 1u << 31);
    });
  }
  void clear() {
    const std::scoped_lock lock(mutex_);
    asked_.clear();
    peak_ = 0;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Asked> asked_;
  std::size_t in_flight_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace support
