// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "assumptions.hpp"
#include "numbers.hpp"
#include "text_layout.hpp"

namespace lab {
namespace {

constexpr std::string_view program = "renewal_saga_lab";

/// An option that takes a whole number in decimal digits, and says so when it gets anything else.
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& into, Number least, Number most,
                        const std::string& what) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  return app
      .add_option_function<std::string>(
          name,
          [&into, name, least, most, range](const std::string& text) {
            Number number{};
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number < least ||
                number > most)
              throw CLI::ValidationError(name, "takes a whole number from " + range + ", not '" + text + "'");
            into = number;
          },
          what + ", " + range)
      ->type_name("N")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::string footer() {
  std::string text =
      "Examples:\n"
      "  renewal_saga_lab                            before and after, 16 shards\n"
      "  renewal_saga_lab --shards 4 --seed 7        another N, other traffic\n"
      "  renewal_saga_lab --shards 1                 one shard is the constant key again: exit status 1\n"
      "  renewal_saga_lab --physical 4               as a new index has them: keys share what one bears\n"
      "  renewal_saga_lab --coalesce --stagger       eased traffic, beside what each of the two saves alone\n"
      "  renewal_saga_lab --json | jq .after         the figures for a program\n"
      "  renewal_saga_lab --coalesce --json | jq '.saved[] | {with, before: .before.requests}'\n"
      "  renewal_saga_lab --migrate                  the live index moved, half-way back, forward, and back\n"
      "  renewal_saga_lab --migrate --index-lag 2000 it is behind for longer than assumed: rows are lost\n"
      "  renewal_saga_lab --migrate --assumed-lag 0  readers that trust an order which does not hold\n"
      "  renewal_saga_lab --migrate --move-units 900 a mover in a hurry: whom it throttles\n"
      "  renewal_saga_lab --migrate --json | jq '.steps[] | {name, throttled_by_tools, lost}'\n"
      "  renewal_saga_lab --weeks                    which N: six weeks on each, three seeds; half a minute\n"
      "  renewal_saga_lab --report out.html          a page with plots, which needs nothing but a browser\n"
      "\n"
      "Exit status: 0 done; 1 the sharded side throttled, or the two sides hold different rows; with\n"
      "--migrate, rows were lost or doubled although the assumption held; with --weeks, the hour's two ways\n"
      "do not agree; 2 bad usage.\n"
      "\n"
      "Assumptions, since the ADR gives only those of the first line:\n";
  for (const AssumptionText& line : describe(assumed))
    text += paragraph("  " + std::string(line.topic), 16, line.text);
  return text;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine parsed;
  Options options;
  CLI::App app(
      "Runs ADR-0085's traffic in virtual time over a DynamoDB table in memory: first with the one constant\n"
      "index key that throttled, then with the shards that replace it. The same seed gives the same output.",
      std::string(program));
  app.get_formatter()->column_width(28);
  Settings& settings = options.settings;
  add_number(app, "--shards", settings.shards, std::uint32_t{1}, std::uint32_t{64},
             "index partition keys of the sharded side [" + std::to_string(settings.shards) + "]");
  std::uint32_t minutes = settings.seconds / 60;
  add_number(app, "--minutes", minutes, std::uint32_t{1}, std::uint32_t{120},
             "virtual minutes of traffic [" + std::to_string(minutes) + "]");
  add_number(app, "--seed", settings.seed, std::uint64_t{0}, (std::numeric_limits<std::uint64_t>::max)(),
             "what persons, rows and traffic are drawn from [" + std::to_string(settings.seed) + "]");
  add_number(app, "--physical", settings.physical, std::uint32_t{0}, std::uint32_t{64},
             "physical partitions that the index's keys share; 0: each key its own [0]");
  const std::string kept_for = std::to_string(assumed.coalesced_for_ms / 1'000);
  app.add_flag_callback(
         "--coalesce", [&settings] { settings.remedies.list_pages = ListPages::coalesced; },
         "list pages share answers for " + kept_for + " s; shows what that saves")
      ->disable_flag_override();
  app.add_flag_callback(
         "--stagger", [&settings] { settings.remedies.sweeps = Sweeps::staggered; },
         "sweeps start apart, not on the full minute; shows what that saves")
      ->disable_flag_override();
  app.add_flag_callback(
         "--json", [&options] { options.format = Format::json; }, "print JSON, and nothing else, on stdout")
      ->disable_flag_override();
  const auto add_file = [&app](const std::string& name, std::string& into, const std::string& what) {
    app.add_option(name, into, what)->type_name("FILE")->check([](const std::string& file) {
      return file.empty() ? "takes the name of a file" : "";
    });
  };
  add_file("--report", options.pages.report,
           "also write a page of plots: heat, throttles, choice of N, spread, migration");
  add_file("--picture", options.pages.picture, "also write the first of these plots, as SVG");
  const auto migrate = app.add_flag_callback(
                              "--migrate", [&options] { options.play = Play::migration; },
                              "move the live index under the traffic instead: phase by phase, with an abort "
                              "and a rollback")
                           ->disable_flag_override();
  app.add_flag_callback(
         "--weeks", [&options] { options.play = Play::weeks; },
         "six weeks on 1 to 64 shards instead, second by second, for three seeds; the busy hour also request "
         "by request")
      ->disable_flag_override()
      ->excludes(migrate);
  MigrationSettings& moving = options.migration;
  const auto only_migrating = [&](CLI::Option* option) { option->needs(migrate); };
  only_migrating(
      add_number(app, "--index-lag", moving.index_lag_ms, std::uint32_t{0}, std::uint32_t{10'000},
                 "ms by which the index is behind at most [" + std::to_string(moving.index_lag_ms) + "]"));
  only_migrating(add_number(
      app, "--assumed-lag", moving.assumed_lag_ms, std::uint32_t{0}, std::uint32_t{10'000},
      "ms that readers wait between source and destination [" + std::to_string(moving.assumed_lag_ms) +
          "]; with 0 they assume that a row comes before it goes"));
  only_migrating(add_number(app, "--move-units", moving.move_units, std::uint32_t{10}, std::uint32_t{1'000},
                            "write units a second of the mover in one index partition [" +
                                std::to_string(moving.move_units) + "]"));
  only_migrating(add_number(app, "--managers", moving.managers, std::uint32_t{1}, assumed.managers,
                            "who keep the list page open [" + std::to_string(moving.managers) + "]"));
  app.footer(footer());
  try {
    app.parse(argc, argv);
    settings.seconds = minutes * 60;
    moving.seed = options.weeks.seed = settings.seed;
    moving.shards = settings.shards;
    parsed.options = options;
  } catch (const CLI::CallForHelp&) {
    parsed.out = app.help();
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view what = error.what();
    parsed.err = std::string(program) + ": " + std::string(what.substr(0, what.find(':'))) +
                 ": its value is missing (--help lists all options)\n";
    parsed.exit_status = 2;
  } catch (const CLI::ParseError& error) {
    parsed.err = std::string(program) + ": " + error.what() + " (--help lists all options)\n";
    parsed.exit_status = 2;
  }
  return parsed;
}

}  // namespace lab
