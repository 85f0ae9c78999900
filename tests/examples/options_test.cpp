// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

lab::CommandLine parse(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv{"renewal_saga_lab"};
  argv.insert(argv.end(), arguments);
  return lab::parse_command_line(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE("without options the lab runs with its defaults") {
    const auto command = parse({});
    REQUIRE(command.options);
    CHECK(command.options->settings.seed == 85);
    CHECK(command.options->settings.seconds == 300);
    CHECK(command.options->settings.shards == 16);
    CHECK(command.options->format == lab::Format::text);
    CHECK(command.err.empty());
    CHECK(command.out.empty());
  }

  TEST_CASE("options are taken, the ends of their ranges too") {
    const auto command =
        parse({"--seed", "18446744073709551615", "--minutes=120", "--shards", "64", "--json"});
    REQUIRE(command.options);
    CHECK(command.options->settings.seed == 18446744073709551615U);
    CHECK(command.options->settings.seconds == 7'200);
    CHECK(command.options->settings.shards == 64);
    CHECK(command.options->format == lab::Format::json);
    REQUIRE(parse({"--shards", "1", "--seed", "0", "--minutes", "1"}).options);
    CHECK_FALSE(command.options->pages.any());
    const auto pages = parse({"--report", "out.html", "--picture", "p.svg", "--physical", "4"});
    REQUIRE(pages.options);
    CHECK(pages.options->pages.report == "out.html");
    CHECK(pages.options->pages.picture == "p.svg");
    CHECK(pages.options->settings.physical == 4);
    CHECK(command.options->settings.remedies == lab::Remedies{});
    const auto weeks = parse({"--weeks", "--seed", "7"});
    REQUIRE(weeks.options);
    CHECK(weeks.options->play == lab::Play::weeks);
    CHECK(weeks.options->weeks.seed == 7);
    CHECK(parse({"--coalesce"}).options->settings.remedies.list_pages == lab::ListPages::coalesced);
    CHECK(parse({"--coalesce"}).options->settings.remedies.sweeps == lab::Sweeps::on_the_minute);
    CHECK(lab::name_of(parse({"--stagger", "--coalesce"}).options->settings.remedies) == "coalesce+stagger");
  }

  TEST_CASE("a migration is played when asked for, with its own options and those of both") {
    CHECK(parse({}).options->play == lab::Play::before_and_after);
    const auto command = parse({"--migrate", "--seed", "7", "--shards", "4", "--index-lag", "2000",
                                "--assumed-lag=0", "--move-units", "10", "--managers", "3", "--json"});
    REQUIRE(command.options);
    CHECK(command.options->play == lab::Play::migration);
    CHECK(command.options->migration.seed == 7);
    CHECK(command.options->migration.shards == 4);
    CHECK(command.options->migration.index_lag_ms == 2'000);
    CHECK(command.options->migration.assumed_lag_ms == 0);
    CHECK(command.options->migration.move_units == 10);
    CHECK(command.options->migration.managers == 3);
    CHECK(command.options->format == lab::Format::json);
  }

  TEST_CASE("bad usage is exit status 2 and one line that says what to do") {
    const std::initializer_list<std::initializer_list<const char*>> bad{{"--shards", "0"},
                                                                        {"--shards", "65"},
                                                                        {"--shards", "-1"},
                                                                        {"--shards", "sixteen"},
                                                                        {"--shards", "16x"},
                                                                        {"--shards", "0x10"},
                                                                        {"--shards", " 16"},
                                                                        {"--shards", "1.5"},
                                                                        {"--shards", ""},
                                                                        {"--shards="},
                                                                        {"--shards"},
                                                                        {"--shards", "4294967312"},
                                                                        {"--minutes", "0"},
                                                                        {"--minutes", "121"},
                                                                        {"--seed", "-1"},
                                                                        {"--seed", "18446744073709551616"},
                                                                        {"--shard-count", "16"},
                                                                        {"--json=no"},
                                                                        {"--report"},
                                                                        {"--report="},
                                                                        {"--picture", ""},
                                                                        {"--physical", "65"},
                                                                        {"--coalesce=3"},
                                                                        {"--stagger=no"},
                                                                        {"--migrate=no"},
                                                                        {"--weeks=no"},
                                                                        {"--weeks", "--migrate"},
                                                                        {"--index-lag", "100"},
                                                                        {"--migrate", "--index-lag", "-1"},
                                                                        {"--migrate", "--managers", "0"},
                                                                        {"--migrate", "--managers", "53"},
                                                                        {"16"},
                                                                        {"--shards", "16", "32"}};
    for (const auto& arguments : bad) {
      const auto command = parse(arguments);
      const std::string first = *arguments.begin();
      CAPTURE(first);
      CAPTURE(command.err);
      CHECK_FALSE(command.options);
      CHECK(command.exit_status == 2);
      CHECK(command.out.empty());
      CHECK(std::count(command.err.begin(), command.err.end(), '\n') == 1);
      CHECK(command.err.find("renewal_saga_lab: ") == 0);
      CHECK(command.err.find("--help") != std::string::npos);
    }
    CHECK(parse({"--shards", "65"}).err.find("--shards: takes a whole number from 1 to 64, not '65'") !=
          std::string::npos);
  }

  TEST_CASE("the help names all options, exit statuses and assumptions") {
    const auto command = parse({"--help"});
    CHECK_FALSE(command.options);
    CHECK(command.exit_status == 0);
    CHECK(command.err.empty());
    for (const char* word : {"--shards", "--minutes", "--seed", "--coalesce", "--stagger", "--json",
                             "--migrate", "--weeks", "--report", "--picture", "--index-lag", "--assumed-lag",
                             "--move-units", "--managers", "Examples", "Exit status", "52 managers"})
      CHECK(command.out.find(word) != std::string::npos);
  }
}
