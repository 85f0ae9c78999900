// SPDX-License-Identifier: BSL-1.0
#pragma once

// A small double of the API of AWS's SDK for C++, as far as evenkey's adapter uses it, written from the
// SDK's documented names. It has four variants:
//   SDK_DOUBLE_FORWARDING   setters are forwarding templates, as in newer versions; else overloads
//   SDK_DOUBLE_OWN_STRING   Aws::String is a type of its own, as where the SDK manages memory itself

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Aws {

#ifdef SDK_DOUBLE_OWN_STRING
template <class T>
struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory); }
  friend bool operator==(const Allocator&, const Allocator&) noexcept { return true; }
};
#else
template <class T>
using Allocator = std::allocator<T>;
#endif

using String = std::basic_string<char, std::char_traits<char>, Allocator<char>>;
template <class T>
using Vector = std::vector<T, Allocator<T>>;
template <class Key, class T>
using Map = std::map<Key, T, std::less<Key>, Allocator<std::pair<const Key, T>>>;

namespace Http {
class HttpRequest;
enum class HttpResponseCode {
  REQUEST_NOT_MADE = -1,
  OK = 200,
  BAD_REQUEST = 400,
  INTERNAL_SERVER_ERROR = 500
};
using ContinueRequestHandler = std::function<bool(const HttpRequest*)>;
}  // namespace Http

namespace Utils {

/// A success holds an empty error, an error an empty result: nothing but `IsSuccess` tells.
template <class R, class E>
class Outcome {
 public:
  Outcome(R&& result) : result_(std::move(result)), success_(true) {}
  Outcome(E&& error) : error_(std::move(error)) {}
  bool IsSuccess() const { return success_; }
  const R& GetResult() const { return result_; }
  R& GetResult() { return result_; }
  const E& GetError() const { return error_; }

 private:
  R result_ = {};
  E error_ = {};
  bool success_ = false;
};

namespace Threading {

class Executor {
 public:
  virtual ~Executor() = default;
  template <class Fn, class... Args>
  bool Submit(Fn&& fn, Args&&... args) {
    return SubmitToThread(std::bind(std::forward<Fn>(fn), std::forward<Args>(args)...));
  }
  bool Submit(std::function<void()>&& callable) { return SubmitToThread(std::move(callable)); }

 protected:
  virtual bool SubmitToThread(std::function<void()>&&) = 0;
};

}  // namespace Threading

namespace Json {

class JsonValue;

class JsonView {
 public:
  JsonView() = default;
  JsonView(const JsonValue& value);
  explicit JsonView(const nlohmann::json* json) : json_(json) {}
  bool IsObject() const { return json_ != nullptr && json_->is_object(); }
  bool IsString() const { return json_ != nullptr && json_->is_string(); }
  bool ValueExists(const String& key) const {
    return IsObject() && json_->contains(key.c_str()) && !json_->at(key.c_str()).is_null();
  }
  String GetString(const String& key) const {
    return String(json_->at(key.c_str()).get_ref<const std::string&>().c_str());
  }
  Map<String, JsonView> GetAllObjects() const {
    Map<String, JsonView> members;
    if (IsObject())
      for (const auto& [name, value] : json_->items())
        members.emplace(String(name.c_str()), JsonView(&value));
    return members;
  }
  String WriteCompact() const { return String(json_->dump().c_str()); }

 private:
  const nlohmann::json* json_ = nullptr;
};

class JsonValue {
 public:
  JsonValue() : json_(nlohmann::json::object()) {}
  JsonValue(const String& text) : json_(nlohmann::json::parse(text.c_str(), nullptr, false)) {}
  bool WasParseSuccessful() const { return !json_.is_discarded(); }
  JsonValue& WithString(const String& key, const String& value) {
    json_[key.c_str()] = value.c_str();
    return *this;
  }
  JsonValue& WithObject(const String& key, const JsonValue& value) {
    json_[key.c_str()] = value.json_;
    return *this;
  }
  JsonView View() const { return JsonView(*this); }
  const nlohmann::json& json() const { return json_; }

 private:
  nlohmann::json json_;
};

inline JsonView::JsonView(const JsonValue& value) : json_(&value.json()) {}

}  // namespace Json
}  // namespace Utils

namespace Crt {
template <class T>
class Optional {
 public:
  Optional& operator=(T value) {
    value_ = value;
    has_value_ = true;
    return *this;
  }
  bool has_value() const { return has_value_; }
  const T& value() const { return value_; }

 private:
  T value_ = {};
  bool has_value_ = false;
};
}  // namespace Crt

namespace Client {

enum class CoreErrors { NETWORK_CONNECTION = 99, USER_CANCELLED = 102, SERVICE_EXTENSION_START_RANGE = 128 };

class RetryStrategy {
 public:
  virtual ~RetryStrategy() = default;
  virtual long GetMaxAttempts() const { return 11; }
};
class StandardRetryStrategy : public RetryStrategy {
 public:
  explicit StandardRetryStrategy(long maxAttempts = 3) : attempts_(maxAttempts) {}
  long GetMaxAttempts() const override { return attempts_; }

 private:
  long attempts_;
};

struct ClientConfiguration {
  unsigned maxConnections = 25;
  std::shared_ptr<RetryStrategy> retryStrategy;
  std::shared_ptr<Utils::Threading::Executor> executor;
  Crt::Optional<bool> enableEndpointDiscovery;
};

}  // namespace Client
}  // namespace Aws

// A member of a request or a result with its getter and its setters.
#ifdef SDK_DOUBLE_FORWARDING
#define SDK_DOUBLE_MEMBER(Type, Name)                              \
 public:                                                           \
  const Type& Get##Name() const { return member_##Name; }          \
  bool Name##HasBeenSet() const { return member_##Name##_is_set; } \
  template <class T = Type>                                        \
  void Set##Name(T&& value) {                                      \
    member_##Name##_is_set = true;                                 \
    member_##Name = std::forward<T>(value);                        \
  }                                                                \
                                                                   \
 private:                                                          \
  Type member_##Name{};                                            \
  bool member_##Name##_is_set = false
#else
#define SDK_DOUBLE_MEMBER(Type, Name)                              \
 public:                                                           \
  const Type& Get##Name() const { return member_##Name; }          \
  bool Name##HasBeenSet() const { return member_##Name##_is_set; } \
  void Set##Name(const Type& value) {                              \
    member_##Name##_is_set = true;                                 \
    member_##Name = value;                                         \
  }                                                                \
  void Set##Name(Type&& value) {                                   \
    member_##Name##_is_set = true;                                 \
    member_##Name = std::move(value);                              \
  }                                                                \
                                                                   \
 private:                                                          \
  Type member_##Name{};                                            \
  bool member_##Name##_is_set = false
#endif

// Numbers and truth values have one plain setter in both.
#define SDK_DOUBLE_PLAIN_MEMBER(Type, Name)                        \
 public:                                                           \
  Type Get##Name() const { return member_##Name; }                 \
  bool Name##HasBeenSet() const { return member_##Name##_is_set; } \
  void Set##Name(Type value) {                                     \
    member_##Name##_is_set = true;                                 \
    member_##Name = value;                                         \
  }                                                                \
                                                                   \
 private:                                                          \
  Type member_##Name{};                                            \
  bool member_##Name##_is_set = false
