// SPDX-License-Identifier: BSL-1.0
#include "population.hpp"

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "assumptions.hpp"
#include "random.hpp"

namespace lab {
namespace {

/// `prefix` and six digits that no other id of these has.
class Ids {
 public:
  Ids(std::string prefix, Random& random) : prefix_(std::move(prefix)), random_(random) {}

  std::string next() {
    std::uint32_t number = 0;
    do {
      number = random_.between(100'000, 999'999);
    } while (!taken_.insert(number).second);
    return prefix_ + std::to_string(number);
  }

 private:
  std::string prefix_;
  Random& random_;
  std::set<std::uint32_t> taken_;
};

constexpr std::int64_t day_ms = 86'400'000;

}  // namespace

Saga make_saga(std::string id, const std::string& person_id, std::int64_t opened_at, Status status,
               std::size_t bytes) {
  Saga saga;
  saga.id = std::move(id);
  saga.person_id = person_id;
  saga.gsi4sk = SagaSortKey::encode(
      person_id, std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(opened_at)));
  saga.status = status;
  saga.bytes = bytes;
  return saga;
}

Population make_population(std::uint64_t seed) {
  Random random(seed, 1);
  Population made;
  Ids person_ids("person-", random);
  Ids saga_ids("RSAGA#", random);
  for (std::uint32_t i = 0; i < assumed.persons; ++i)
    made.persons.push_back(person_ids.next());
  const auto add = [&](const std::string& person, Status status, std::uint32_t days_ago) {
    // One draw a line: the order in which a call's arguments are evaluated is the compiler's.
    const std::int64_t opened_at = lab_starts_at - days_ago * day_ms - random.below(day_ms);
    std::string id = saga_ids.next();
    const std::uint32_t bytes = random.between(assumed.row_bytes.least, assumed.row_bytes.most);
    made.sagas.push_back(make_saga(std::move(id), person, opened_at, status, bytes));
  };
  // Everybody has an open saga, and some a second one, until there are 179.
  for (std::uint32_t i = 0; i < assumed.open_sagas; ++i) {
    made.open.push_back(static_cast<std::uint32_t>(made.sagas.size()));
    add(made.persons[i % assumed.persons], Status::open, random.between(1, 90));
  }
  for (const std::string& person : made.persons) {
    const std::uint32_t archived =
        random.between(assumed.archived_per_person.least, assumed.archived_per_person.most);
    for (std::uint32_t i = 0; i < archived; ++i)
      add(person, Status::archived, random.between(200, 3'000));
  }
  return made;
}

}  // namespace lab
