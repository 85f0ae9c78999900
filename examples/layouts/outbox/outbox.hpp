// SPDX-License-Identifier: BSL-1.0
#pragma once

// An outbox: messages of many topics wait in a table until somebody has dispatched them.
//
//   table   id (S), topic, payload, claim
//   index   `outbox`: outbox_pk (S), outbox_sk (S); projects all. Sparse: `finish` removes outbox_pk, and an
//           item without the index's key is not in it. So the index holds what waits and nothing else: a poll
//           costs by what waits, not by all that was ever sent, and needs no filter on a state, which would
//           read dispatched messages and throw them away. The message itself stays in the table, for a
//           second `publish` of its id to be refused by; let a time to live remove it later.
//   keys    outbox_pk = OUTBOX#{topic}#{shard}, shard = XXH3-64(id) % 4    OUTBOX#invoices#2
//           outbox_sk = {enqueued at}#{id}                                 2026-07-08T12:00:00.000Z#m-17
//   claim   {until}#{dispatcher}: so it compares with a time, and names who may say that it is done
//
//   request   what it costs, for messages of up to 1 KB
//   publish   1 write unit of the table, 1 of the index
//   oldest    4 queries, together about k entries, at least 2 read units; entries that others have claimed
//             are read too
//   claim     1 + 1; one that is refused 1 + 0
//   finish    1 + 1: the entry goes
//
// N = 4: every message writes its index partition three times (in, claimed, out), so one partition bears 333
// a second of a topic, and 4 bear 1,333, or 930 at 70 %. More shards would make each poll dearer: N / 2 read
// units, many times a minute, also when nothing waits.
//
// What a crash leaves, by where it comes; nothing is lost, and nobody needs to clean up:
//
//   before `publish` was answered   the message is there or not: publish it again, by the same id. Its effect
//                                   belongs to the change that it tells of only where both are written in
//                                   one transaction (TransactWriteItems), which this layout leaves to you
//   after `claim`                   it waits, unseen by `oldest`, until the claim has run out; then the next
//                                   dispatcher takes it. So a lease is also how late a message may come
//   after the effect                as after `claim`: **the effect comes twice**
//   after `finish` was sent         it is out of the index, or else as after the effect
//
// The key goes after the effect, never before: one that was removed first would leave a message that nothing
// lists, and whose effect never came.
//
// Promised: a message that was published is dispatched at least once, as long as dispatchers run. Not
// promised: exactly once. It is dispatched again where a dispatcher was slower than its claim, or ended
// between the effect and `finish`; so receivers must know an id again. Nor is the order: oldest first is how
// messages are listed, and dispatchers overtake each other.
#include <evenkey/composite_key.hpp>
#include <evenkey/key.hpp>
#include <evenkey/read/enumerate.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outbox {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

struct Message {
  std::string id;
  std::string topic;
  std::string payload;
  std::string claim;      // empty: nobody has it
  std::string outbox_pk;  // empty: dispatched
  std::string outbox_sk;
  bool operator==(const Message&) const = default;
};

/// The keys of a topic, which is known only at run time: bind once, and keep the object.
using Keys = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<4>, evenkey::Literal<"OUTBOX">, evenkey::Text>;
using ClaimText = evenkey::CompositeKey<evenkey::Timestamp, evenkey::Text>;

/// The index definition of one topic. @tparam StoreKey the store's start key
template <class StoreKey>
struct WaitingOfTopic {
  static constexpr std::string_view name = "outbox";
  using PartitionKey = Keys::Bound;
  using SortKey = evenkey::CompositeKey<evenkey::Timestamp, evenkey::Text>;
  using Item = Message;
  using StartKey = StoreKey;
  Keys::Bound keys;
  const Keys::Bound& partition_keys() const { return keys; }
  static std::string_view sort_key(const Message& message) { return message.outbox_sk; }
  static std::string_view primary_key(const Message& message) { return message.id; }
  static std::string_view shard_by(const Message& message) { return message.id; }  // spreads evenly
  static std::string_view partition_key(const Message& message) { return message.outbox_pk; }
};

inline std::string text_of(Time time) { return evenkey::CompositeKey<evenkey::Timestamp>::encode(time); }

/// One topic, over any store that has:
///   `StartKey`                               and `query(request)`: one page of the index
///   `bool put_new(message)`                  false where the id is there already
///   `bool claim(id, now, claim)`             waiting, and free or held by this claim? Then it is claimed
///   `bool finish(id, claim)`                 still of this claim? Then out of the index
template <class Store>
class Topic {
 public:
  /// Errors: a topic with `#` in it → `key_error`.
  Topic(Store& store, std::string_view topic) : store_(store), topic_(topic), index_{Keys::bind(topic)} {}

  /// @returns false where a message of this id was published before
  bool publish(std::string id, std::string payload, Time at) {
    Message message;
    message.outbox_pk = index_.keys.of(id);
    message.outbox_sk = Index::SortKey::encode(at, id);
    message.id = std::move(id);
    message.topic = topic_;
    message.payload = std::move(payload);
    return store_.put_new(message);
  }

  /// The oldest k that nobody has claimed. A message that was published this moment may be missing, and one
  /// that somebody claimed this moment may be here: `claim` finds out.
  std::vector<Message> oldest(std::size_t k, Time now) {
    const auto free = [now = text_of(now)](const Message& each) { return each.claim < now; };
    return evenkey::enumerate(index_, query(), {.limit = k}, evenkey::where(free)).items;
  }
  /// All that wait, claimed or not.
  std::vector<Message> waiting() { return evenkey::enumerate(index_, query()).items; }

  /// Until when it is ours alone. Compared by the dispatchers' clocks: give a lease that is long beside both
  /// the dispatch and the difference between clocks.
  /// @returns what `finish` wants; empty where somebody else has it, or it was dispatched
  std::string claim(const Message& message, std::string_view dispatcher, Time now,
                    std::chrono::milliseconds lease) {
    std::string claim = ClaimText::encode(now + lease, dispatcher);
    return store_.claim(message.id, text_of(now), claim) ? claim : std::string();
  }

  /// After the effect: takes the message out of the index, by its key, and out of the claim.
  /// @returns false where the claim had run out and somebody else took it: then it is dispatched twice; or
  /// where the client sent this again, because the answer of the first time was lost on the way
  bool finish(const Message& message, const std::string& claim) { return store_.finish(message.id, claim); }

  /// A dispatcher's round: the oldest k, each claimed, given to `effect` and finished.
  /// @returns how many were ours
  template <class Effect>
  std::size_t dispatch(std::size_t k, std::string_view dispatcher, Time now, std::chrono::milliseconds lease,
                       Effect effect) {
    std::size_t ours = 0;
    for (const Message& message : oldest(k, now)) {
      const std::string claimed = claim(message, dispatcher, now, lease);
      if (claimed.empty()) continue;
      effect(message);  // where it throws, the message waits until the claim has run out
      finish(message,
             claimed);  // a crash before this is a second effect; the other way round it would be none
      ++ours;
    }
    return ours;
  }

 private:
  using Index = WaitingOfTopic<typename Store::StartKey>;

  auto query() {
    return [this](const evenkey::QueryRequest<typename Store::StartKey>& request) {
      return store_.query(request);
    };
  }

  Store& store_;
  std::string topic_;
  Index index_;
};

}  // namespace outbox
