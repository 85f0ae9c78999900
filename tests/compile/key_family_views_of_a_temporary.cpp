// SPDX-License-Identifier: BSL-1.0
// The views of keys bound in passing would point into a list that is gone.
// expect: deleted (member )?function [^a-z]+(void evenkey::detail::ListedKeys<KeyPolicy>::)?at
// expect: deleted (member )?function [^a-z]+(void evenkey::detail::ListedKeys<KeyPolicy>::)?any
#include <evenkey/key.hpp>
#include <evenkey/shard_policy/random.hpp>

#include <random>

using evenkey::Text;
using Outbox = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<3>, Text>;
using Events = evenkey::ShardedKeyFamily<evenkey::RandomShardPolicy<3>, Text>;

#ifdef EVENKEY_REJECT
auto at() { return Outbox::bind("invoices").at(evenkey::ShardId{0}); }
auto any(std::minstd_rand& generator) { return Events::bind("invoices").any(generator); }
#else
auto at() {
  static const Outbox::Bound keys = Outbox::bind("invoices");
  return keys.at(evenkey::ShardId{0});
}
auto any(std::minstd_rand& generator) {
  static const Events::Bound keys = Events::bind("invoices");
  return keys.any(generator);
}
#endif
