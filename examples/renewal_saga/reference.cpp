// SPDX-License-Identifier: BSL-1.0
#include "reference.hpp"

namespace lab {

Reference::Reference(const std::vector<std::string>& persons) : rows_of_(persons.size()) {
  for (const std::string& person : persons)
    persons_.emplace(person, static_cast<std::uint32_t>(persons_.size()));
}

std::uint32_t Reference::add(const Saga& saga, Time seen_from) {
  const auto number = static_cast<std::uint32_t>(rows_.size());
  Row row;
  row.id = saga.id;
  row.person = persons_.at(saga.person_id);
  row.seen_from = seen_from;
  rows_.push_back(row);
  marks_.push_back(0);
  numbers_.emplace(saga.id, number);
  rows_of_[row.person].push_back(number);
  return number;
}

std::uint32_t Reference::number_of(std::string_view id) const {
  const auto found = numbers_.find(std::string(id));
  return found == numbers_.end() ? none : found->second;
}

Reference::Findings Reference::mark(const std::vector<Saga>& answer) {
  Findings findings;
  ++mark_;
  for (const Saga& saga : answer) {
    const std::uint32_t number = number_of(saga.id);
    if (number == none) {
      ++findings.unknown;
    } else if (marks_[number] == mark_) {
      ++findings.doubled;
    } else {
      marks_[number] = mark_;
    }
  }
  return findings;
}

Reference::Findings Reference::check_all(const std::vector<Saga>& answer, Time began) {
  Findings findings = mark(answer);
  for (std::uint32_t number = 0; number < rows_.size(); ++number)
    look_for(number, began, findings);
  return findings;
}

Reference::Findings Reference::check(const std::vector<Saga>& answer,
                                     const std::vector<std::uint32_t>& persons, Time began) {
  Findings findings = mark(answer);
  for (const std::uint32_t person : persons)
    for (const std::uint32_t number : rows_of_[person])
      look_for(number, began, findings);
  return findings;
}

}  // namespace lab
