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

namespace {

void add_data_problems(const Variant& variant, std::vector<std::string>& problems) {
  if (variant.before.rows != variant.after.rows)
    problems.push_back("the index has " + grouped(variant.before.rows) + " rows before and " +
                       grouped(variant.after.rows) + " after");
  if (!variant.comparison.same_listing) problems.push_back("the two sides list different rows");
  if (variant.comparison.persons_differing > 0)
    problems.push_back("find gives other rows after than before for " +
                       counted(variant.comparison.persons_differing, "person"));
  for (const Side* side : {&variant.before, &variant.after})
    if (side->answers_wrong > 0)
      problems.push_back(grouped(side->answers_wrong) + " of " + grouped(side->answers_checked) +
                         " answers were wrong " + (side == &variant.before ? "before" : "after"));
}

}  // namespace

std::vector<std::string> problems_of(const Result& result) {
  std::vector<std::string> problems;
  if (result.after.total.throttled > 0)
    problems.push_back("with " + counted(result.shards, "shard") + " still " +
                       grouped(result.after.total.throttled) + " of " + grouped(result.after.total.requests) +
                       " requests were throttled");
  add_data_problems(result, problems);
  for (const Variant& other : result.others)
    add_data_problems(other, problems);
  return problems;
}

}  // namespace lab
