// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "support/moved_table.hpp"

namespace detail = evenkey::detail;
using evenkey::checkpoint_error;
using support::long_drained;
using support::MovedTable;
using support::Notebook;
using support::to_shards;
using support::WaitedTime;

namespace {

detail::Checkpoint example() {
  detail::Checkpoint checkpoint;
  checkpoint.plan = {"i: S (unsharded) -> S#0 (xxh3_64/mod/16 #n)", "i: S#0 (xxh3_64/mod/16 #n)", "sagas",
                     "table", 4};
  checkpoint.drained_ms = 1783000000123;
  checkpoint.counts = {1000, 1, 990, 900, 2, 3, 4, 5, 6, 7};
  checkpoint.places = {{0, std::nullopt, detail::CheckpointPlace::At::page},
                       {1, "RSAGA#1 %", detail::CheckpointPlace::At::page},
                       {2, std::string("\0\xC3\xA9\n", 4), detail::CheckpointPlace::At::page},
                       {3, std::nullopt, detail::CheckpointPlace::At::end}};
  checkpoint.failures = {{1, std::nullopt, "RSAGA#1 %", "RSAGA#0"}, {3, "k", std::nullopt, ""}};
  return checkpoint;
}

evenkey::BackfillReport run(MovedTable& table, Notebook& notebook, evenkey::BackfillOptions options = {}) {
  WaitedTime clock;
  options.dry_run = false;
  options.writers_drained_at = long_drained;
  options.checkpoint = &notebook;
  return backfill(to_shards, table.scan_functor(), table.restamp_functor(), options, clock);
}

std::string half_way(MovedTable& table, const evenkey::BackfillOptions& options) {
  std::stop_source stop;
  Notebook notebook;
  notebook.after_save = [&] { stop.request_stop(); };
  evenkey::BackfillOptions stopped = options;
  stopped.stop = stop.get_token();
  (void)run(table, notebook, stopped);
  return *notebook.text;
}

struct MapIndex : support::MovedIndex {
  using StartKey = std::map<std::string, std::string>;
};

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a checkpoint is the text that docs/format/checkpoint.md says") {
    std::ifstream file(EVENKEY_TEST_DATA_DIR "/checkpoint.txt");
    REQUIRE(file);
    const std::string golden{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CHECK(detail::write_checkpoint(example()) == golden);
    const detail::Checkpoint read = detail::read_checkpoint(golden);
    CHECK(detail::write_checkpoint(read) == golden);
    CHECK(read.drained_ms == 1783000000123);
    CHECK(read.places[2].start_key == std::string("\0\xC3\xA9\n", 4));
    CHECK(read.failures[1].primary_key.empty());
    CHECK(!read.failures[1].page_end);
    for (const char c : golden)
      CHECK((c == '\n' || (c >= ' ' && c <= '~')));
  }

  TEST_CASE("every byte that is changed, left out, doubled or cut off is seen") {
    const std::string text = detail::write_checkpoint(example());
    std::size_t refused = 0;
    const auto refuse = [&](const std::string& changed) {
      CAPTURE(changed);
      REQUIRE_THROWS_AS((void)detail::read_checkpoint(changed), checkpoint_error);
      ++refused;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string changed = text;
        changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ (1U << bit));
        refuse(changed);
      }
      refuse(text.substr(0, i));
      refuse(std::string(text).erase(i, 1));
      refuse(std::string(text).insert(i, 1, 'x'));
    }
    refuse(text + "\n");
    refuse(text + text);
    MESSAGE(refused, " texts refused");
  }

  TEST_CASE("a text with a right checksum that no writer gives is refused") {
    const std::string text = detail::write_checkpoint(example());
    const std::string covered = text.substr(0, text.size() - detail::checkpoint_tail_size);
    const auto with = [&](const std::string& from, const std::string& to) {
      std::string changed = covered;
      const std::size_t at = changed.find(from);
      REQUIRE(at != std::string::npos);
      changed.replace(at, from.size(), to);
      return changed + detail::checkpoint_tail(changed);
    };
    CHECK_NOTHROW((void)detail::read_checkpoint(with("drained: 1783000000123", "drained: 1783000000124")));
    for (const auto& change : std::vector<std::pair<std::string, std::string>>{
             {"segments: 4", "segments: 04"},
             {"segments: 4", "segments: +4"},
             {"segments: 4", "segments: 99999999999"},
             {"segments: 4", "segments: "},
             {"segments: 4", "segments:  4"},
             {"drained: 17", "drained: -017"},
             {"counts: 1000 ", "counts: "},
             {"counts: 1000 ", "counts: 1000 1 "},
             {"%20%25", "%20%"},
             {"%20%25", " %25"},
             {"%C3", "%c3"},
             {"%C3", "\xC3"},
             {"=k", "=%6B"},
             {"=k", "k"},
             {"segment: 3 end", "segment: 3 End"},
             {"evenkey-checkpoint/1", "evenkey-checkpoint/2"},
             {"table: ", "Table: "},
             {"table: ", "tables: "},
             {"%20(unsharded)", "%2G(unsharded)"},
         }) {
      CAPTURE(change.second);
      CHECK_THROWS_AS((void)detail::read_checkpoint(with(change.first, change.second)), checkpoint_error);
    }
    const std::string cut = covered.substr(0, covered.size() - 1);  // the last line's end
    CHECK_THROWS_WITH_AS((void)detail::read_checkpoint(cut + detail::checkpoint_tail(cut)),
                         doctest::Contains("damaged"), checkpoint_error);
  }

  TEST_CASE(
      "a checkpoint of another plan is refused before any request, and the error says which part differs") {
    MovedTable table(20);
    const evenkey::BackfillOptions options{.total_segments = 2, .table = "t"};
    const std::string text = half_way(table, options);
    const auto refused = [&](const evenkey::BackfillOptions& other, std::string_view part) {
      Notebook notebook;
      notebook.text = text;
      const std::size_t scans = table.scans;
      try {
        (void)run(table, notebook, other);
        FAIL("was not refused");
      } catch (const checkpoint_error& e) {
        CAPTURE(e.what());
        CHECK(std::string_view(e.what()).find(part) != std::string_view::npos);
      }
      CHECK(table.scans == scans);
      CHECK(notebook.text == text);
    };
    refused({.total_segments = 3, .table = "t"}, "segments");
    refused({.total_segments = 2, .table = "u"}, "table");
    refused({.total_segments = 2}, "none that was named");
    Notebook notebook;
    notebook.text = text;
    WaitedTime clock;
    CHECK_THROWS_AS((void)backfill(to_shards.reversed(), table.scan_functor(), table.restamp_functor(),
                                   {.dry_run = false,
                                    .writers_drained_at = long_drained,
                                    .checkpoint = &notebook,
                                    .total_segments = 2,
                                    .table = "t"},
                                   clock),
                    checkpoint_error);
    notebook.text = "of another plan";
    CHECK_THROWS_AS((void)run(table, notebook, options), checkpoint_error);
    notebook.text = "";
    CHECK_THROWS_AS((void)run(table, notebook, options), checkpoint_error);
    notebook.text = text;
    CHECK(run(table, notebook, options).finished);
  }

  TEST_CASE("plans that differ in any one part are told apart by it") {
    const detail::CheckpointPlan plan{"m", "l", "t", "s", 2};
    CHECK_NOTHROW(detail::check_plan(plan, plan));
    using Change = std::pair<detail::CheckpointPlan, const char*>;
    for (const auto& [other, part] : {Change{{"x", "l", "t", "s", 2}, "another migration, x, "},
                                      Change{{"m", "x", "t", "s", 2}, "another layout, x, "},
                                      Change{{"m", "l", "x", "s", 2}, "another table, x, "},
                                      Change{{"m", "l", "t", "x", 2}, "another scan source, x, "},
                                      Change{{"m", "l", "t", "s", 3}, "another number of segments, 3, "}})
      CHECK_THROWS_WITH_AS(detail::check_plan(other, plan), doctest::Contains(part), checkpoint_error);
  }

  TEST_CASE("segments that are missing, doubled or unknown are refused") {
    MovedTable table(20);
    const evenkey::BackfillOptions options{.total_segments = 2};
    const detail::Checkpoint good = detail::read_checkpoint(half_way(table, options));
    const auto refused = [&](const detail::Checkpoint& checkpoint) {
      Notebook notebook;
      notebook.text = detail::write_checkpoint(checkpoint);
      CHECK_THROWS_AS((void)run(table, notebook, options), checkpoint_error);
    };
    detail::Checkpoint changed = good;
    changed.places.pop_back();
    refused(changed);
    changed = good;
    changed.places[1].segment = 0;
    refused(changed);
    changed = good;
    changed.failures.push_back({2, {}, {}, "x"});
    refused(changed);
  }

  TEST_CASE("a checkpoint that comes late does not take the place of a newer one") {
    Notebook notebook;
    detail::Journal journal(notebook);
    journal.save("second", 2);
    journal.save("first", 1);
    CHECK(notebook.text == "second");
    journal.save("third", 3);
    CHECK(notebook.text == "third");
  }

  TEST_CASE("each end of a run has a name of its own, as reports show it") {
    using evenkey::BackfillEnd;
    CHECK(evenkey::backfill_end_name(BackfillEnd::finished) == "finished");
    CHECK(evenkey::backfill_end_name(BackfillEnd::rows_failed) == "rows_failed");
    CHECK(evenkey::backfill_end_name(BackfillEnd::too_many_failed) == "too_many_failed");
    CHECK(evenkey::backfill_end_name(BackfillEnd::stopped) == "stopped");
    CHECK(evenkey::backfill_end_name(BackfillEnd::lease_lost) == "lease_lost");
  }

  TEST_CASE("start keys that are maps go through a checkpoint") {
    using Map = MapIndex::StartKey;
    MovedTable table(12);
    constexpr evenkey::Migration<MapIndex, evenkey::UnshardedKey<"S">> migration{
        evenkey::insert_visible_first};
    const auto scan = [&](const evenkey::ScanRequest<Map>& request) {
      evenkey::ScanRequest<std::string> plain;
      if (request.exclusive_start_key) plain.exclusive_start_key = request.exclusive_start_key->at("id");
      auto page = table.scan(plain);
      evenkey::Page<support::Moved, Map> answer;
      answer.items = std::move(page.items);
      if (page.last_evaluated_key)
        answer.last_evaluated_key = Map{{"id", *page.last_evaluated_key}, {"x", "\xFF"}};
      return answer;
    };
    Notebook notebook;
    WaitedTime clock;
    std::stop_source stop;
    notebook.after_save = [&] { stop.request_stop(); };
    const auto go = [&](std::stop_token token) {
      return backfill(
          migration, scan, table.restamp_functor(),
          {.dry_run = false, .writers_drained_at = long_drained, .checkpoint = &notebook, .stop = token},
          clock);
    };
    CHECK(go(stop.get_token()).moved == 3);
    const std::string good = *notebook.text;
    detail::Checkpoint forged = detail::read_checkpoint(good);
    REQUIRE(forged.places.size() == 1);
    forged.places[0].start_key = "no map";
    notebook.text = detail::write_checkpoint(forged);
    CHECK_THROWS_WITH_AS((void)go({}), doctest::Contains("damaged"), checkpoint_error);
    notebook.text = good;
    const auto rest = go({});
    CHECK(rest.moved == 9);
    CHECK(rest.finished);
  }
}
