// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/advance.hpp>
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/backfill_shared.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/drift.hpp>
#include <evenkey/migrate/layout_record.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/parity.hpp>
#include <evenkey/migrate/phase.hpp>
#include <evenkey/migrate/phase_index.hpp>
#include <evenkey/migrate/phase_record.hpp>
#include <evenkey/migrate/record_rows.hpp>
#include <evenkey/migrate/record_store.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/migrate/row_place.hpp>
#include <evenkey/migrate/scan_export.hpp>
#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/migrate/scan_source_partition.hpp>
#include <evenkey/migrate/standing.hpp>
#include <evenkey/migrate/unstamped.hpp>
#include <evenkey/migrate/visibility.hpp>
#include <evenkey/migrate/watch.hpp>
#include <evenkey/migrate/write_stamp.hpp>
