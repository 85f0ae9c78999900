// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read.hpp>

#include <asio.hpp>
#include <exception>
#include <memory>
#include <utility>

/// Starts an asynchronous read of evenkey's and completes any of Asio's tokens with its result:
/// `asio::use_awaitable`, `asio::use_future`, a callback `(std::exception_ptr, evenkey::ReadResult<Item>)`.
///
/// Threads: the token completes on its own executor, whichever thread answered the last request.
template <class Item, class Token>
auto async_read_items(evenkey::AsyncRead<Item> read, Token&& token) {
  using Signature = void(std::exception_ptr, evenkey::ReadResult<Item>);
  return asio::async_initiate<Token, Signature>(
      [read = std::move(read)](auto handler) mutable {
        // Asio's handlers only move; a callback of evenkey's is copied.
        const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        // The executor stays at work, though it has nothing to do, until the read ends.
        auto executor =
            asio::prefer(asio::get_associated_executor(*shared), asio::execution::outstanding_work.tracked);
        std::move(read).then([shared, executor](evenkey::AsyncResult<Item>&& outcome) {
          asio::post(executor, [shared, outcome = std::move(outcome)]() mutable {
            std::move (*shared)(outcome.error, std::move(outcome.result));
          });
        });
      },
      token);
}
