// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/expected_lift.hpp>
#include <evenkey/capacity/physical_partitions.hpp>
#include <evenkey/capacity/recommendation.hpp>
#include <evenkey/capacity/required_shards.hpp>
#include <evenkey/capacity/sentences.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace evenkey::capacity {

namespace detail {

/// Works out one recommendation; see `recommend`.
class Recommender {
 public:
  Recommender(const Workload& workload, const Sizing& sizing) : workload_(workload), sizing_(sizing) {
    check(workload.load);
    check(sizing.limits);
    check_target(sizing.target);
    const auto is_share = [](double share) { return share >= 0 && share <= 1; };
    if (!is_share(workload.hottest_id_share) || !is_share(workload.wanted_share))
      throw std::invalid_argument("evenkey: Workload's shares lie between 0 and 1");
    if (workload.physical_partition_count == 0)
      throw std::invalid_argument("evenkey: an index has at least one physical partition");
    hottest_id_ = workload.hottest_id_share;
    if (workload.distinct_ids != 0) {
      const double even = 1 / static_cast<double>(workload.distinct_ids);
      if (hottest_id_ < even) hottest_id_ = even;
    }
  }

  Recommendation make() {
    const double whole = used(1);
    say("All of the load on one partition key would use " + percent(whole) +
        " of what a physical partition serves (" + figure(sizing_.limits.read_units) + " RCU/s, " +
        figure(sizing_.limits.write_units) + " WCU/s); the target is " + percent(sizing_.target) + ".");
    if (within(1)) {
      say("Do not shard: one partition key bears this load, and each shard would add a query to every "
          "listing.");
      return made(Advice::do_not_shard, 1);
    }
    if (workload_.wanted_share < 1 && fits(sparse_load(), sizing_, 1)) {
      say("Make the index sparse: only " + percent(workload_.wanted_share) +
          " of its entries are wanted. Set the index key on those rows alone and remove it when a row is "
          "done; one partition key bears the rest. A filter instead saves no capacity.");
      return made(Advice::make_sparse, 1);
    }
    if (Load load = workload_.load;
        per_id(load).read_units > allowed_reads() || per_id(load).write_units > allowed_writes())
      return hot_id(per_id(load));
    if (const double floor = workload_.load.listings_per_second * query_units(0); floor > allowed_reads()) {
      say("List less often: each listing costs every shard at least half a read unit, which is " +
          figure(floor) +
          " RCU/s on each, whatever N is. Share one listing among those who poll (Coalescer), keep a "
          "short-lived copy, or list from a stream-fed store.");
      return made(Advice::list_less_often, 1);
    }
    if (workload_.listings == Listings::never) {
      say("Nobody lists the whole index, so let the id itself be the partition key: every id then has a "
          "partition of its own, with no N to choose and none to change later.");
      return made(Advice::key_by_id, 1);
    }
    return shard();
  }

 private:
  void say(std::string sentence) { made_.reasons.push_back(std::move(sentence)); }
  double allowed_reads() const { return sizing_.limits.read_units * sizing_.target; }
  double allowed_writes() const { return sizing_.limits.write_units * sizing_.target; }

  /// The hottest shard's part of the load, as it is to be expected of N shards.
  double hottest_share(std::uint32_t shard_count) const {
    if (shard_count == 1) return 1;
    const double even = 1.0 / shard_count;
    if (hottest_id_ == 0) return even;
    // Either the hottest id's shard, with its part of the others, or the fullest of the others.
    const std::uint64_t ids = workload_.distinct_ids;
    const double others = ids == 0 ? even : 1 / capacity::expected_lift(shard_count, ids);
    if (ids != 0 && hottest_id_ <= 1 / static_cast<double>(ids)) return others;
    const double with_hottest = hottest_id_ + (1 - hottest_id_) * even;
    const double without = (1 - hottest_id_) * others;
    return with_hottest > without ? with_hottest : without;
  }
  double used(std::uint32_t shard_count) const {
    return utilisation(demand_on(workload_.load, hottest_share(shard_count)), sizing_.limits);
  }
  bool within(std::uint32_t shard_count) const {
    if (hottest_id_ == 0 || shard_count == 1) return fits(workload_.load, sizing_, shard_count);
    return used(shard_count) <= sizing_.target;
  }

  Demand per_id(Load load) const {
    load.listings_per_second = 0;
    return demand_on(load, hottest_id_);
  }
  Load sparse_load() const {
    Load load = workload_.load;
    load.writes_per_second *= workload_.wanted_share;
    load.query_bytes = share_of(load.query_bytes, workload_.wanted_share);
    load.listing_bytes = share_of(load.listing_bytes, workload_.wanted_share);
    return load;
  }

  Recommendation made(Advice advice, std::uint32_t shard_count) {
    settle(advice, shard_count);
    return made_;
  }

  Recommendation hot_id(Demand demand) {
    const bool by_writes = demand.write_units > allowed_writes();
    say("Sharding by this id cannot help: one id has " + percent(hottest_id_) + " of the load, " +
        (by_writes ? figure(demand.write_units) + " WCU/s" : figure(demand.read_units) + " RCU/s") +
        ", and all rows of an id stand in one shard, whatever N is.");
    if (by_writes) {
      say("What can: shard by a finer id (the order, not the customer), give the rows of that id a random "
          "suffix and read all of its parts, or write it less often (sum up first).");
    } else {
      say("What can: share one read among those who poll (Coalescer), keep a short-lived copy in front, read "
          "less of it, or shard by a finer id and fan out over its parts.");
    }
    settle(Advice::split_hot_id, 1);
    made_.next_limit = NextLimit::hottest_id;
    return made_;
  }

  Recommendation shard() {
    std::uint32_t enough = fewest_that_fit(workload_.load, sizing_);
    const std::uint32_t even = enough;
    std::uint32_t few = enough - 1;
    while (enough <= most_shards_to_list && !within(enough)) {
      few = enough;
      enough *= 2;
    }
    if (enough > most_shards_to_list) {
      if (even <= most_shards_to_list && within(most_shards_to_list)) {
        enough = most_shards_to_list;
      } else {
        say("Beyond reach: this load needs " + grouped(even) +
            " shards or more, and a listing of as many queries is none. Let the id itself be the partition "
            "key and list from elsewhere (a stream-fed store, an export), or split the load over several "
            "tables.");
        return made(Advice::beyond_reach, even);
      }
    }
    while (enough - few > 1) {
      const std::uint32_t middle = few + (enough - few) / 2;
      (within(middle) ? enough : few) = middle;
    }
    say("Shard by " + grouped(enough) + ": the fewest with which the hottest shard stays within the target.");
    if (enough > even) {
      say(grouped(even) + " would do if the load spread evenly; with these ids the hottest of " +
          grouped(enough) + " bears " + percent(hottest_share(enough)) +
          " of it, so that they lift the ceiling " + figure(1 / hottest_share(enough)) + " times, not " +
          grouped(enough) + " times.");
    }
    if (workload_.distinct_ids != 0 && enough > workload_.distinct_ids) {
      say("These are more shards than ids, to keep ids apart that would share one by chance: most shards "
          "stay "
          "empty and still cost every listing half a unit. The id itself as the key is cheaper.");
    }
    if (workload_.wanted_share < 1) {
      say("Only " + percent(workload_.wanted_share) +
          " of the entries are wanted: a sparse key first would leave " +
          grouped(fewest_that_fit(sparse_load(), sizing_)) + " shards to need, if the load spread evenly.");
    }
    settle(Advice::shard, enough);
    say_partitions();
    say_sort_keys();
    return made_;
  }

  void say_partitions() {
    const std::uint32_t count = workload_.physical_partition_count;
    const Ceiling ceiling = expected_ceiling(made_.shards, count);
    if (ceiling.lift_before_splits >= 0.95 * made_.expected_lift) return;  // no difference to speak of
    say(grouped(made_.shards) + " partition keys on " + grouped(count) + " physical partitions bear " +
        figure(ceiling.lift_before_splits) +
        " times what one does until DynamoDB splits them for heat, which takes minutes of it: let the load "
        "grow slowly, or set the index's warm throughput first.");
  }

  void say_sort_keys() {
    if (workload_.sort_keys == SortKeys::rising) {
      say("Sort keys rise, so DynamoDB can give a shard a physical partition to itself but not divide its "
          "rows: a shard never bears more than one does.");
    } else {
      say("Sort keys do not rise: where there is no local index, DynamoDB may in minutes of steady heat "
          "divide even one key's rows. Shards are for bursts, which it does not follow.");
    }
  }

  void settle(Advice advice, std::uint32_t shard_count) {
    const double share = hottest_share(shard_count);
    const Load load = advice == Advice::make_sparse ? sparse_load() : workload_.load;
    const Demand demand = demand_on(load, share);
    made_.advice = advice;
    made_.shards = shard_count;
    made_.expected_lift = 1 / share;
    made_.utilisation = utilisation(demand, sizing_.limits);
    made_.room_to_grow =
        made_.utilisation > 0 ? 1 / made_.utilisation : std::numeric_limits<double>::infinity();
    if (made_.utilisation == 0) return;
    const double listed = load.listings_per_second * query_units(share_of(load.listing_bytes, share));
    const Demand id = per_id(load);
    if (demand.write_units / sizing_.limits.write_units >= made_.utilisation) {
      made_.next_limit = id.write_units * 2 > demand.write_units && shard_count > 1 ? NextLimit::hottest_id
                                                                                    : NextLimit::writes;
    } else if (listed * 2 > demand.read_units) {
      made_.next_limit = NextLimit::listings;
    } else {
      made_.next_limit =
          id.read_units * 2 > demand.read_units && shard_count > 1 ? NextLimit::hottest_id : NextLimit::reads;
    }
    if (advice == Advice::shard || advice == Advice::do_not_shard || advice == Advice::make_sparse)
      say_next();
  }

  void say_next() {
    const std::string room =
        "At " + figure(made_.room_to_grow) + " times this load the hottest partition is full, ";
    switch (made_.next_limit) {
      case NextLimit::writes:
        return say(room + "of writes.");
      case NextLimit::reads:
        return say(room + "of queries.");
      case NextLimit::listings:
        return say(
            room +
            "mostly of listings: each costs every shard half a unit at least, so that more shards help "
            "them least.");
      case NextLimit::hottest_id:
        return say(room + "mostly of one id: more shards will not help then.");
      case NextLimit::none:
        return;
    }
  }

  const Workload& workload_;
  const Sizing& sizing_;
  double hottest_id_ = 0;
  Recommendation made_;
};

}  // namespace detail

/// Which N, and whether to shard at all: the fewest shards with which the hottest stays within the
/// target.
///
/// Use it for the first question, before ids exist or with their number known. Where their weights are
/// known, check the N it gives by `measure`.
/// Order: the answers that need no shards are tried first: one partition key, a sparse key; then what
/// no N can mend: one hot id, listings too frequent; then the id as the key; then N.
/// Units: as `Load`; hottest shards by `expected_lift`, a mean: one set of ids can be worse.
/// Cost: at most some dozen times `expected_lift`; under 100 ms.
/// Errors: `std::invalid_argument` as `required_shards`, and for shares outside of 0 … 1 or no physical
/// partition.
/// Source: AWS Developer Guide, "Best practices for designing and using partition keys effectively";
/// AWS Database Blog, "Scaling DynamoDB".
inline Recommendation recommend(const Workload& workload, const Sizing& sizing = {}) {
  return detail::Recommender(workload, sizing).make();
}

}  // namespace evenkey::capacity
