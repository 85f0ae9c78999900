// SPDX-License-Identifier: BSL-1.0
// What <windows.h> and its kin define, X11, Qt and old C, before every header of evenkey. The standard library and
// doctest come first, as in tests/consumer/hostile_macros.cpp; assert is redefined to one that must not be reached.
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cmath>
#include <compare>
#include <concepts>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#undef assert
#define assert(x) this is assert(x)
#define min(a, b) this_is_min(a, b)
#define max(a, b) this_is_max(a, b)
#define small this is small
#define near this is near
#define far this is far
#define huge this is huge
#define interface this is interface
#define pascal this is pascal
#define cdecl this is cdecl
#define hyper this is hyper
#define rad1 this is rad1
#define grp1 this is grp1
#define ERROR this is error
#define DELETE this is delete
#define IN this is in
#define OUT this is out
#define OPTIONAL this is optional
#define CONST this is const
#define VOID this is void
#define TRUE this is true
#define FALSE this is false
#define BOOL this is bool
#define NO_ERROR this is no error
#define STRICT this is strict
#define DIFFERENCE this is difference
#define THIS this is this
#define PURE this is pure
#define ABSOLUTE this is absolute
#define RELATIVE this is relative
#define TRANSPARENT this is transparent
#define GetMessage this is get message
#define GetObject this is get object
#define GetCurrentTime this is get current time
#define Yield this is yield
#define SendMessage this is send message
#define CreateFile this is create file
#define ReplaceText this is replace text
#define FindText this is find text
#define None this is none
#define Bool this is bool
#define Status this is status
#define Success this is success
#define Complex this is complex
#define Unsorted this is unsorted
#define emit this is emit
#define slots this is slots
#define signals this is signals
#define foreach this is foreach
#define forever this is forever
#define major(x) this is major
#define minor(x) this is minor
#define nil this is nil
#define BEGIN this is begin
#define END this is end
#define LOG this is log
#define DEBUG this is debug
#define ASSERT(x) this is assert
#define CHECK(x) this is check
#define REQUIRE(x) this is require
#define likely(x) this is likely
#define unlikely(x) this is unlikely
#define N_ this is n
#define _A this is a
#define linux 1
#define unix 1

#include <all_headers.hpp>

int main() {
  using Key = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;
  static_assert(Key::of("person-42") == "RenewalSaga#13");
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Number<4>>;
  const bool good = SortKey::encode("person-42", 13U) == "person-42#0013";
  std::puts(good ? "all headers, and a key" : "another key");
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
