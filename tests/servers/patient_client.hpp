// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

#include "client.hpp"

namespace servers {

/// A client of the server that the script started, which may be slow: the machine has other things to do.
inline dynamodb::Client patient_client() {
  dynamodb::Config config = dynamodb::load_config();
  config.connect_timeout = std::chrono::minutes(1);
  config.request_timeout = std::chrono::minutes(5);
  return dynamodb::Client(config);
}

}  // namespace servers
