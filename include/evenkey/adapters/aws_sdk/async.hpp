// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/adapters/aws_sdk/functors.hpp>
#include <evenkey/page/store_error.hpp>

#include <aws/core/utils/threading/Executor.h>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace evenkey::aws_sdk {

/// The query functor for `enumerate_async` and the other asynchronous reads: blocking calls, each a task of
/// the SDK's executor.
///
/// That is what `QueryAsync` does too, but that one never calls back where the pool refuses the task, so that
/// a read would wait for ever; here it fails. A task holds the client.
/// Shape: the executor by reference, as everywhere in evenkey: if its last owner were a task of its own, it
/// would have to wait for itself, which ends the program.
/// Errors: a pool that is full is a throttled `store_error`, one that was stopped with the task in its queue
/// an error of the completion.
/// Threads: the read's callback runs on the executor's threads.
/// @pre the executor outlives the read. It may be the one that the client was configured with; the program
/// holds that then, and not the client alone.
template <class Decode = AsItem>
auto async_query_functor(Client client, Aws::Utils::Threading::Executor& executor, std::string table,
                         IndexKeyNames keys, Decode decode = {}, ReadExpressions extra = {}) {
  auto query = query_functor(std::move(client), std::move(table), std::move(keys), std::move(decode),
                             std::move(extra));
  return [query = std::make_shared<const decltype(query)>(std::move(query)), &executor](
             const evenkey::QueryRequest<Item>& request, auto completion) {
    // The request lives until the completion is called.
    std::function<void()> task = [query, &request, completion] {
      try {
        completion((*query)(request));
      } catch (...) {
        completion(std::current_exception());
      }
    };
    if (!executor.Submit(std::move(task)))
      completion(std::make_exception_ptr(
          store_error({.kind = ErrorKind::throttled, .name = "ExecutorFull"},
                      "the SDK's executor takes no more work: give it a queue, or a smaller "
                      "max_concurrency")));
  };
}

}  // namespace evenkey::aws_sdk
