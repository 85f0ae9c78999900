// SPDX-License-Identifier: BSL-1.0
//
// Counts the bytes that the program allocates, by a replaced operator new.
#include <atomic>
#include <cstdlib>
#include <new>

#include "fuzz/fuzz.hpp"

namespace {
std::atomic<std::size_t> given = 0;
}

std::size_t fuzz::allocated_bytes() { return given.load(std::memory_order_relaxed); }

[[gnu::noinline]] void* operator new(std::size_t size) {
  given.fetch_add(size, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  given.fetch_add(size, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}
// The forms for arrays too, or the sanitizer's own would take their place and count nothing.
[[gnu::noinline]] void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
