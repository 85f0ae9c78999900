// SPDX-License-Identifier: BSL-1.0
#include "figures.hpp"

#include <algorithm>

#include "numbers.hpp"

namespace lab {

namespace {

template <class Figure>
const PartitionFigures& largest(const std::vector<PartitionFigures>& partitions, Figure figure) {
  return *std::max_element(
      partitions.begin(), partitions.end(),
      [&](const PartitionFigures& a, const PartitionFigures& b) { return a.*figure < b.*figure; });
}

}  // namespace

const PartitionFigures& Side::busiest_reads() const { return largest(partitions, &Figures::peak_rcu); }
const PartitionFigures& Side::busiest_writes() const { return largest(partitions, &Figures::peak_wcu); }
const PartitionFigures& Side::most_read() const { return largest(partitions, &Figures::read_units); }
std::uint32_t Side::most_persons() const { return largest(partitions, &PartitionFigures::persons).persons; }
std::uint32_t Side::fewest_persons() const {
  return std::min_element(partitions.begin(), partitions.end(),
                          [](const auto& a, const auto& b) { return a.persons < b.persons; })
      ->persons;
}
double Side::effective_lift() const { return total.read_units / most_read().read_units; }

std::vector<std::string> problems_of(const Result& result) {
  std::vector<std::string> problems;
  if (result.after.total.throttled > 0)
    problems.push_back("with " + counted(result.shards, "shard") + " still " +
                       grouped(result.after.total.throttled) + " of " + grouped(result.after.total.requests) +
                       " requests were throttled");
  if (result.before.rows != result.after.rows)
    problems.push_back("the index has " + grouped(result.before.rows) + " rows before and " +
                       grouped(result.after.rows) + " after");
  if (!result.comparison.same_listing) problems.push_back("the two sides list different rows");
  if (result.comparison.persons_differing > 0)
    problems.push_back("find gives other rows after than before for " +
                       counted(result.comparison.persons_differing, "person"));
  for (const Side* side : {&result.before, &result.after})
    if (side->answers_wrong > 0)
      problems.push_back(grouped(side->answers_wrong) + " of " + grouped(side->answers_checked) +
                         " answers were wrong " + (side == &result.before ? "before" : "after"));
  return problems;
}

}  // namespace lab
