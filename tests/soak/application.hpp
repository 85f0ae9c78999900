// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/write_stamp.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/find.hpp>
#include <evenkey/read/read_page.hpp>

#include <memory>
#include <set>
#include <vector>

#include "soak/world.hpp"

namespace soak {

using evenkey::Phase;
using evenkey::testing::Fault;
using evenkey::testing::RequestKind;

struct Figures {
  std::uint64_t operations = 0;
  std::uint64_t reads = 0;
  std::uint64_t rows_read = 0;
  std::uint64_t pages = 0;
  std::uint64_t writes = 0;
  std::uint64_t reads_failed = 0;  // openly: nothing was returned
  std::uint64_t faults = 0;
  std::uint64_t kills = 0;
  std::uint64_t moved = 0;
  std::uint64_t migrations = 0;
  std::uint64_t turned_back = 0;
};

/// The application that lives on the table while it is migrated: instances of one phase or of two that are
/// neighbours create, change, delete and read rows; what they read is compared with the reference.
class Application {
 public:
  Application(std::uint64_t seed, Figures& figures)
      : dice(seed),
        figures_(figures),
        table_(Rows{evenkey::DynamicShardedKey("S", 1)}),
        budget_(unbounded()) {}

  Dice dice;
  /// Where instances live: in `phase`, and during a rollout some in the phase before it.
  std::optional<Migration> migration;
  Phase phase = Phase::source;
  bool rolling = false;
  /// What the index is at most behind; it is what readers assume, too.
  milliseconds lag{0};

  Table& table() { return table_; }
  Time time() { return {&table_.clock()}; }
  const Reference& reference() const { return reference_; }

  /// One thing that an application does.
  void step() {
    ++figures_.operations;
    if (dice.one_in(4)) table_.clock().advance(milliseconds(dice.below(40)));
    if (dice.one_in(12)) add_faults();
    switch (dice.below(10)) {
      case 0:
      case 1:
        create();
        break;
      case 2:
        erase();
        break;
      case 3:
        change();
        break;
      case 4:
        read_all();
        break;
      case 5:
      case 6:
        read_page();
        break;
      default:
        find();
        break;
    }
    if (dice.one_in(64)) reference_.forget(table_.clock().now() - std::chrono::minutes(10));
  }

  /// To so many rows, nothing under way, all visible: where memory is compared.
  void settle(std::size_t rows) {
    table_.clear_faults();
    finish_paging();
    while (reference_.rows.size() < rows)
      create();
    while (reference_.rows.size() > rows)
      erase();
    table_.clock().advance(std::chrono::minutes(20));
    table_.deliver_all();
    reference_.forget(table_.clock().now());
    require(table_.size() == rows, "the table has as many rows as the reference");
    for (const auto& [id, entry] : reference_.rows) {
      const auto stored = table_.get(id);
      require(stored.has_value(), "row " + id + " is in the table");
      require(stored->version == entry.row.version && stored->person == entry.row.person &&
                  stored->opened == entry.row.opened,
              "row " + id + " is as it was written last");
    }
  }

  /// An instance of the phase before, which was thought to be gone, creates a row.
  void create_late() { create_by(static_cast<Phase>(static_cast<int>(phase) - 1)); }

  /// No page of a listing is under way any more: it is read to its end.
  void finish_paging() {
    while (paging_)
      read_page();
  }

 private:
  static std::shared_ptr<evenkey::RetryBudget> unbounded() {
    return std::make_shared<evenkey::RetryBudget>(evenkey::RetryBudgetOptions{.tokens = 2'000'000'000});
  }
  auto query() { return table_.query_functor<Rows>(); }

  static constexpr std::size_t people = 12;
  static std::string person(std::size_t number) { return "person-" + std::to_string(number); }

  Phase phase_of_an_instance() {
    if (rolling && phase != Phase::source && dice.one_in(2))
      return static_cast<Phase>(static_cast<int>(phase) - 1);
    return phase;
  }

  void add_faults() {
    ++figures_.faults;
    table_.clear_faults();  // those that have happened stay in the table's list
    const RequestKind kinds[] = {RequestKind::query, RequestKind::put_item, RequestKind::update_item,
                                 RequestKind::scan, RequestKind::delete_item};
    evenkey::testing::RequestMatch match;
    match.kind = kinds[dice.below(5)];
    match.skip = dice.below(4);
    match.times = 1 + dice.below(3);
    switch (dice.below(5)) {
      case 0:
        table_.inject(Fault::throttle(), match);
        break;
      case 1:
        table_.inject(Fault::error("InternalServerError"), match);
        break;
      case 2:
        table_.inject(Fault::time_out_after_applying(), match);
        break;
      case 3:
        // Of a query, and before its first page: elsewhere the table's empty page names the place that it was
        // asked from, which no store does, and which reads and movers rightly refuse.
        for (const std::string_view key : migration->destination().all())
          table_.inject(Fault::empty_page(),
                        {.kind = RequestKind::query, .partition_key = std::string(key), .times = 1});
        break;
      default:
        table_.inject(Fault::delay(milliseconds(dice.below(100))), match);
        break;
    }
  }

  /// A client's retries; the write may have been applied by a try that failed.
  template <class Write>
  void write(Write request) {
    ++figures_.writes;
    for (int attempt = 0;; ++attempt) {
      try {
        request();
        return;
      } catch (const evenkey::store_error& error) {
        if (!evenkey::is_retryable(error.kind()) || attempt > 20) throw;
        table_.clock().advance(milliseconds(1 + dice.below(20)));
      }
    }
  }

  void create() { create_by(phase_of_an_instance()); }
  void create_by(Phase of_instance) {
    if (reference_.rows.size() > 150) return;
    Row row{"r" + std::to_string(next_id_++),
            person(dice.below(people)),
            std::to_string(2000 + dice.below(6)),
            {},
            1};
    row.key =
        evenkey::created_stamp(*migration, of_instance, row.person, row.person, row.opened).partition_key;
    write([&] { (void)table_.put(row); });
    reference_.create(std::move(row), table_.clock().now());
  }
  const Reference::Entry* any_row() {
    if (reference_.rows.empty()) return nullptr;
    auto found = reference_.rows.begin();
    std::advance(found, static_cast<std::ptrdiff_t>(dice.below(reference_.rows.size())));
    return &found->second;
  }
  void erase() {
    const auto* const entry = any_row();
    if (entry == nullptr) return;
    const std::string id = entry->row.id;
    write([&] { (void)table_.erase(id); });
    reference_.erase(id, table_.clock().now());
  }
  void change() {
    const auto* const entry = any_row();
    if (entry == nullptr) return;
    const std::string id = entry->row.id;
    const std::uint64_t version = entry->row.version + 1;
    // An update never moves a row: the key stays as it is.
    write([&] {
      const auto result = table_.update(
          id, [](const Row&) { return true; }, [&](Row& stored) { stored.version = version; });
      require(result.applied, "row " + id + " is there when it is changed");
    });
    reference_.rows.find(id)->second.row.version = version;
  }

  evenkey::RetryOptions retry() const {
    evenkey::RetryOptions options;
    options.max_attempts = 6;
    options.budget = budget_;
    return options;
  }

  /// What was read is what must be there, in order, each row once.
  template <class Wanted>
  void compare(const std::vector<Row>& rows, Reference::Moment began, const Wanted& wanted, bool backward) {
    ++figures_.reads;
    figures_.rows_read += rows.size();
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      require(seen.insert(row.id).second, "row " + row.id + " is read once");
      if (i > 0) {
        const auto order =
            std::pair(Rows::sort_key(rows[i - 1]), rows[i - 1].id) <=> std::pair(Rows::sort_key(row), row.id);
        require(backward ? order > 0 : order < 0, "rows come in order");
      }
      const auto found = reference_.rows.find(row.id);
      if (found == reference_.rows.end()) {
        require(reference_.may_be_seen(row.id, began, lag), "row " + row.id + " was not made up");
        continue;
      }
      require(wanted(row), "row " + row.id + " was asked for");
      require(found->second.row.person == row.person && found->second.row.opened == row.opened,
              "row " + row.id + " is what was written");
    }
    for (const auto& [id, entry] : reference_.rows)
      if (wanted(entry.row) && entry.created + lag <= began)
        require(seen.count(id) != 0, "row " + id + " (" + entry.row.person + ") is not lost");
  }

  void read_all() {
    const auto began = table_.clock().now();
    evenkey::EnumerateOptions options;
    options.max_concurrency = 1;
    options.retry = retry();
    const bool backward = dice.one_in(2);
    if (backward) options.direction = evenkey::Direction::descending;
    try {
      const auto result = evenkey::enumerate(migration->at(phase_of_an_instance()), query(), options, time());
      compare(
          result.items, began, [](const Row&) { return true; }, backward);
    } catch (const evenkey::fan_out_error&) {
      ++figures_.reads_failed;
    }
  }

  void find() {
    const auto began = table_.clock().now();
    const std::string who = person(dice.below(people));
    evenkey::FindOptions options;
    options.retry = retry();
    try {
      const auto result = evenkey::find(migration->at(phase_of_an_instance()), query(), who, options, time());
      compare(
          result.items, began, [&](const Row& row) { return row.person == who; }, false);
    } catch (const evenkey::fan_out_error&) {
      ++figures_.reads_failed;
    }
  }

  /// One more page of a long listing, which rows and phases change under.
  struct Paging {
    std::string token;
    std::set<std::string, std::less<>> must_come;
    std::set<std::string, std::less<>> seen;
  };
  void read_page() {
    if (!paging_) {
      paging_ = std::make_unique<Paging>();
      for (const auto& [id, entry] : reference_.rows)
        if (entry.created + lag <= table_.clock().now()) paging_->must_come.insert(id);
    }
    evenkey::PageOptions options;
    options.limit = 1 + dice.below(25);
    options.max_concurrency = 1;
    options.retry = retry();
    try {
      const auto page =
          evenkey::read_page(migration->at(phase_of_an_instance()), query(), options, paging_->token, time());
      ++figures_.pages;
      figures_.rows_read += page.items.size();
      for (const Row& row : page.items)
        require(paging_->seen.insert(row.id).second, "row " + row.id + " is on one page");
      paging_->token = page.next_token;
    } catch (const evenkey::fan_out_error&) {
      ++figures_.reads_failed;
      return;
    }
    if (!paging_->token.empty()) return;
    for (const std::string& id : paging_->must_come)
      if (reference_.rows.count(id) != 0)
        require(paging_->seen.count(id) != 0, "row " + id + " is on one of the pages");
    paging_.reset();
  }

  Figures& figures_;
  Table table_;
  Reference reference_;
  std::shared_ptr<evenkey::RetryBudget> budget_;
  std::unique_ptr<Paging> paging_;
  std::uint64_t next_id_ = 0;
};

}  // namespace soak
