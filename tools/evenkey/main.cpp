// SPDX-License-Identifier: BSL-1.0
//
// evenkey: what a hot index needs on the day. Exit status: 0 done and in order, 1 failed or not in order, 2 the
// command line is wrong.
#include <evenkey/version.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "commands.hpp"
#include "output.hpp"

namespace evenkey_cli {

namespace {

using Command = std::function<int(const Options&)>;

/// A word that stands for a value.
template <class Value>
void add_choice(CLI::App& app, const std::string& name, Value& chosen,
                const std::map<std::string, Value>& values, const std::string& what) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values)
    words.push_back(word);
  app.add_option_function<std::string>(
         name, [&chosen, values](const std::string& word) { chosen = values.at(word); }, what)
      ->check(one_of(std::move(words)));
}

void add_hash(CLI::App& app, Options& options) {
  add_choice<HashChoice>(app, "--hash", options.hash,
                         {{"xxh3_64", HashChoice::xxh3_64}, {"xxh64", HashChoice::xxh64}},
                         "xxh3_64 (default) or xxh64");
  add_choice<PlacementChoice>(app, "--placement", options.placement,
                              {{"modulo", PlacementChoice::modulo}, {"jump", PlacementChoice::jump}},
                              "modulo (default) or jump");
}

void add_layout(CLI::App& app, Options& options) {
  add_hash(app, options);
  app.add_option("--prefix", options.prefix, "What the sharded keys begin with: RenewalSaga of RenewalSaga#7")
      ->required();
  app.add_option("--shards", options.shards, "N")->required()->check(from_to(1, 1'000'000));
  app.add_option("--generation", options.generation, "2 of RenewalSaga#g2#7; 0: none");
  app.add_option("--width", options.width, "Digits of a shard's number; 0: as many as it has");
  app.add_option("--separator", options.separator, "Between prefix and number")->capture_default_str();
}

void add_load(CLI::App& app, Options& options) {
  app.add_option("--writes", options.writes, "Writes a second, at the peak")->check(not_negative());
  app.add_option("--write-bytes", options.write_bytes, "Of one entry")
      ->check(one_or_more())
      ->capture_default_str();
  app.add_option("--queries", options.queries, "Queries of one shard a second")->check(not_negative());
  app.add_option("--query-bytes", options.query_bytes, "What one evaluates")
      ->check(one_or_more())
      ->capture_default_str();
  app.add_option("--listings", options.listings, "Listings of all shards a second")->check(not_negative());
  app.add_option("--listing-bytes", options.listing_bytes, "What one evaluates")
      ->check(one_or_more())
      ->capture_default_str();
  app.add_option("--target", options.target, "How full a partition may be")
      ->check(number([](double value) { return value > 0 && value <= 1; }, "is not above 0 and at most 1"))
      ->capture_default_str();
}

void add_ids(CLI::App& app, Options& options) {
  app.add_option("id", options.ids, "Ids; without any, one from each line of stdin");
  app.add_option("--ids", options.ids_file, "A file of ids, a line each (- for stdin)")->check(not_empty());
}

void add_table(CLI::App& app, Options& options) {
  add_layout(app, options);
  app.add_option("--table", options.table, "The table")->required()->check(not_empty());
  app.add_option("--index", options.index, "The global secondary index")->required()->check(not_empty());
  app.add_option("--shard-by", options.shard_by, "The attribute whose hash chooses the shard")
      ->required()
      ->check(not_empty());
  app.add_option("--pk-attribute", options.pk_attribute, "The index's partition key; looked up if not said");
  app.add_option("--sk-attribute", options.sk_attribute, "The index's sort key; looked up if not said");
  app.add_option("--from", options.from, "The source: its constant key, or its prefix (default: --prefix)");
  app.add_option("--from-shards", options.from_shards, "The source's N; 0: its key is constant")
      ->check(from_to(0, 1'000'000));
  app.add_option("--from-generation", options.from_generation, "The source's generation");
  app.add_flag("--second-index", options.second_index,
               "--index is a new one beside the old, whose key the rows do not have yet");
  app.add_option("--state-table", options.state_table,
                 "Where the tool keeps phase and checkpoint (default: the table itself)");
  app.add_option("--visible-within-ms", options.visible_within_ms,
                 "Assume that a moved row shows in the index within this time")
      ->check(from_to(1, 86'400'000));
  app.add_flag("--insert-visible-first", options.insert_visible_first,
               "Assume that a moved row's new entry is never later than the old one's end");
  app.add_flag("--back", options.back, "The way back: source and destination change places");
  app.add_option("--endpoint-url", options.endpoint_url, "Instead of AWS_ENDPOINT_URL");
  app.add_option("--region", options.region, "Instead of AWS_REGION");
  app.add_option("--timeout-ms", options.timeout_ms, "Of one attempt of a request")
      ->check(from_to(1, 3'600'000))
      ->capture_default_str();
  app.add_option("--max-attempts", options.max_attempts, "How often a request is made at most")
      ->check(from_to(1, 100))
      ->capture_default_str();
  app.add_option("--concurrency", options.concurrency, "The most requests at once")
      ->check(from_to(1, 1000))
      ->capture_default_str();
}

void add_walk(CLI::App& app, Options& options) {
  app.add_option("--segments", options.segments,
                 "Into how many the scan is cut (default: 4, 16 where hosts share it)")
      ->check(from_to(1, 1'000'000));
  app.add_option("--page-limit", options.page_limit, "The most rows of one page; 0: as many as fit");
  app.add_option("--read-units", options.read_units, "The most read units a second")
      ->check(more_than_zero())
      ->capture_default_str();
}

void add_write(CLI::App& app, Options& options) {
  app.add_flag("--execute", options.execute, "Write; without it nothing is changed");
  app.add_option("--writers-drained-at", options.writers_drained_at,
                 "Since when no writer of an earlier phase lives: 2026-07-08T12:00:00Z, or now")
      ->check(past_time());
}

/// A stop is asked for by the first signal, and heeded between rows: nothing is half-done. The second is taken as
/// if nobody had waited for it.
std::stop_source stop_on_signals() {
  std::stop_source stop;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread
  std::thread([stop, signals]() mutable {
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
    sigwait(&signals, &signal);
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    std::raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  }).detach();
  return stop;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"evenkey: write sharding for a hot index of DynamoDB, from planning to the last moved row"};
  app.set_version_flag("--version", "evenkey " + std::to_string(EVENKEY_VERSION_MAJOR) + "." +
                                        std::to_string(EVENKEY_VERSION_MINOR) + "." +
                                        std::to_string(EVENKEY_VERSION_PATCH));
  app.require_subcommand(1);
  app.footer(
      "Credentials, region and endpoint: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE, AWS_REGION,\n"
      "AWS_ENDPOINT_URL, ~/.aws. Exit status: 0 in order, 1 failed or not in order, 2 wrong usage.");
  std::map<const CLI::App*, Command> commands;
  const std::string names =
      " --table sagas --index by-type --shard-by person --prefix RenewalSaga --shards 16";
  const auto add = [&](const char* name, const char* what, const std::string& example, Command command) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->add_flag("--json", options.json, "The result as JSON");
    sub->footer((example.find('\n') == std::string::npos ? "Example: evenkey " : "Examples: evenkey ") +
                std::string(name) + example);
    commands.emplace(sub, std::move(command));
    return sub;
  };
  // Only of commands that heed a stop signals are kept away: the others end by them, whatever they wait for.
  const auto heeding = [](int (*command)(const Options&, const std::stop_token&)) {
    return [command](const Options& given) { return command(given, stop_on_signals().get_token()); };
  };

  CLI::App* sub =
      add("shard", "Tell the shard and the key of ids", " --prefix RenewalSaga --shards 16 person-42", shard);
  add_layout(*sub, options);
  add_ids(*sub, options);
  sub = add("spread", "Tell how ids, with weights behind a tab, spread over the shards",
            " --prefix RenewalSaga --shards 16 < ids.txt", spread);
  add_layout(*sub, options);
  add_ids(*sub, options);
  add_load(*sub, options);
  sub =
      add("plan", "Recommend N, or none",
          " --writes 3500 --write-bytes 1500 --distinct-ids 150\n"
          "  evenkey plan --writes 3500 --write-bytes 1500 --ids - < ids.txt\n"
          "  evenkey plan --writes 3500 --write-bytes 1500 --distinct-ids 150 --emit terraform --table sagas "
          "--index by-type --pk-attribute gsi_pk --sk-attribute gsi_sk",
          plan);
  add_load(*sub, options);
  add_hash(*sub, options);
  sub->add_option("--distinct-ids", options.distinct_ids, "0: so many that they spread evenly");
  sub->add_option("--hottest-id-share", options.hottest_id_share, "From 0 to 1")
      ->check(number([](double value) { return value >= 0 && value <= 1; }, "is not from 0 to 1"));
  sub->add_option("--ids", options.ids_file,
                  "A file of ids, a line each, with weights behind a tab (- for stdin): by how they spread")
      ->check(not_empty());
  sub->add_option(
         "--emit", options.emit,
         "Print the index with its warm throughput: terraform, cdk or cli (the input of aws dynamodb "
         "update-table --cli-input-json)")
      ->check(one_of({"terraform", "cdk", "cli"}));
  sub->add_flag("--existing", options.existing,
                "Of --emit cli: the index is there, and its warm throughput is set");
  sub->add_option("--table", options.table, "The table, for --emit");
  sub->add_option("--index", options.index, "The index, for --emit");
  sub->add_option("--pk-attribute", options.pk_attribute, "Its partition key, for --emit");
  sub->add_option("--sk-attribute", options.sk_attribute, "Its sort key, for --emit");
  sub->add_option("--sk-type", options.sk_type, "S, N or B")
      ->check(one_of({"S", "N", "B"}))
      ->capture_default_str();

  sub = add("preflight", "Look at table and index before a migration", names, preflight);
  add_table(*sub, options);
  sub = add("read", "List the index, or one id's rows, in order", names + " --limit 20 --descending", read);
  add_table(*sub, options);
  sub->add_option("--limit", options.limit, "The most rows; 0: all");
  sub->add_option("--token", options.token, "Where the page before ended");
  sub->add_option("--id", options.id, "One id's rows alone")->check(not_empty());
  sub->add_option("--phase", options.phase, "As instances of this phase read (default: destination)")
      ->check(phase());
  sub->add_flag("--descending", options.descending, "The newest first");
  sub->add_option("--sk-begins-with", options.sk_begins_with, "Only sort keys that begin so");
  sub->add_option("--sk-from", options.sk_from, "Only sort keys from this one on");
  sub->add_option("--sk-to", options.sk_to, "Only sort keys up to this one");
  sub = add("drift", "Count where the rows of the table stand", names, heeding(drift));
  add_table(*sub, options);
  add_walk(*sub, options);
  sub = add("parity", "Compare the table with the index, row by row", names, heeding(parity));
  add_table(*sub, options);
  add_walk(*sub, options);
  sub = add("backfill", "Move the rows that are still on the source",
            names +
                " --execute --writers-drained-at 2026-07-08T12:00:00Z\n"
                "On each of three hosts:\n"
                "  evenkey backfill" +
                names + " --execute --writers-drained-at 2026-07-08T12:00:00Z --hosts 3",
            heeding(backfill));
  add_table(*sub, options);
  add_walk(*sub, options);
  add_write(*sub, options);
  sub->add_option("--index-write-units", options.index_partition_write_units,
                  "The most write units a second of one index partition")
      ->check(more_than_zero())
      ->capture_default_str();
  sub->add_option("--table-write-units", options.table_write_units, "The most of the table")
      ->check(more_than_zero())
      ->capture_default_str();
  sub->add_flag("--restart", options.restart,
                "Forget checkpoint and leases first, while no other host runs; moved rows stay moved");
  sub->add_option(
         "--hosts", options.hosts,
         "How many hosts share the work, each by this command with the same options; each takes its part "
         "of the rates. Any of them may be killed: others go on with what it held")
      ->check(from_to(1, 10'000))
      ->capture_default_str();
  sub->add_option("--host", options.host,
                  "This host's name in the leases (default: made of host and process)");
  sub->add_option("--lease-ms", options.lease_ms, "How long what a dead host held stays untouched")
      ->check(from_to(100, 3'600'000))
      ->capture_default_str();
  sub->add_flag("--only-mover-region", options.only_mover_region,
                "Of a global table: movers run in this Region alone");
  sub = add("status", "Tell where a migration stands", names, status);
  add_table(*sub, options);
  sub->add_flag("--count", options.count_all, "Count all rows on the source, which reads them all");
  sub = add("advance", "Enter the next phase, if it is proven safe",
            " dual_read" + names + " --visible-within-ms 1000 --execute", heeding(advance));
  add_table(*sub, options);
  add_walk(*sub, options);
  add_write(*sub, options);
  sub->add_option("phase", options.phase, "dual_read, destination_writes or destination")
      ->required()
      ->check(phase());
  sub = add("rollback", "Take the next step of the way back", names + " --visible-within-ms 1000 --execute",
            heeding(rollback));
  add_table(*sub, options);
  add_walk(*sub, options);
  add_write(*sub, options);
  sub = add("watch", "Look for late rows on the source after the switch", names + " --polls 60",
            heeding(watch));
  add_table(*sub, options);
  sub->add_flag("--execute", options.execute, "Move them; without it they are only told");
  sub->add_option("--polls", options.polls, "How often")->check(one_or_more())->capture_default_str();
  sub->add_option("--interval-ms", options.interval_ms, "Between two polls")->capture_default_str();

  if (const std::string first = argc > 1 ? argv[1] : "-"; !first.starts_with('-'))
    if (std::none_of(commands.begin(), commands.end(),
                     [&](const auto& each) { return each.first->get_name() == first; }))
      throw usage_error("'" + first + "' is no command: see evenkey --help");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const auto called = app.get_subcommands();
    throw usage_error(std::string(error.what()) + " (see evenkey " +
                      (called.empty() ? "" : called.front()->get_name() + " ") + "--help)");
  }
  return commands.at(app.get_subcommands().front())(options);
}

}  // namespace

}  // namespace evenkey_cli

int main(int argc, char** argv) {
  const auto tell = [](const char* what) {
    std::string text = what;
    if (!text.starts_with("evenkey: ")) text.insert(0, "evenkey: ");
    for (char& c : text)
      if ((c >= 0 && c < ' ') || c == '\x7F')
        c = ' ';  // one line, and no codes of a terminal, whatever a server says
    std::fprintf(stderr, "%s\n", text.c_str());
  };
  try {
    return evenkey_cli::run(argc, argv);
  } catch (const evenkey_cli::usage_error& error) {
    tell(error.what());
    return 2;
  } catch (const std::exception& error) {
    tell(error.what());
    return 1;
  }
}
