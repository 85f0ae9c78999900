// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sdk_double/dynamodb.hpp>

namespace Aws::DynamoDB::Model {

class ThrottlingReason {
  SDK_DOUBLE_MEMBER(String, Reason);
  SDK_DOUBLE_MEMBER(String, Resource);
};
using SdkReasons = Vector<ThrottlingReason>;

}  // namespace Aws::DynamoDB::Model
