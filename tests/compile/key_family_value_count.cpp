// SPDX-License-Identifier: BSL-1.0
// expect: bind takes one value for each field but Literals
#include <evenkey/key.hpp>

using Outbox = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<3>, evenkey::Literal<"OUTBOX">, evenkey::Text>;

#ifdef EVENKEY_REJECT
auto bind() { return Outbox::bind("OUTBOX", "invoices"); }
#else
auto bind() { return Outbox::bind("invoices"); }
#endif
