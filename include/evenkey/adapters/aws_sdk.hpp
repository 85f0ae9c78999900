// SPDX-License-Identifier: BSL-1.0
#pragma once

// AWS's SDK for C++ as evenkey wants it: functors for queries, scans, restamps and batch gets over a
// `std::shared_ptr<Aws::DynamoDB::DynamoDBClient>`, with the names that the wire client in
// examples/dynamodb has. It includes the SDK's headers, so no other header includes it. An index definition
// for it has `using StartKey = evenkey::aws_sdk::Item`.
#include <evenkey/adapters/aws_sdk/async.hpp>
#include <evenkey/adapters/aws_sdk/client.hpp>
#include <evenkey/adapters/aws_sdk/error.hpp>
#include <evenkey/adapters/aws_sdk/functors.hpp>
#include <evenkey/adapters/aws_sdk/item.hpp>
