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
void add_number(CLI::App& app, const std::string& name, Number& into, Number least, Number most,
                const std::string& what) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  app.add_option_function<std::string>(
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
      "  renewal_saga_lab --coalesce --stagger       eased traffic, beside what each of the two saves alone\n"
      "  renewal_saga_lab --json | jq .after         the figures for a program\n"
      "  renewal_saga_lab --coalesce --json | jq '.saved[] | {with, before: .before.requests}'\n"
      "\n"
      "Exit status: 0 done; 1 the sharded side throttled, or the two sides hold different rows; 2 bad "
      "usage.\n"
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
  app.footer(footer());
  try {
    app.parse(argc, argv);
    settings.seconds = minutes * 60;
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
