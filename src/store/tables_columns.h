/* tables_columns.h: the columns of a session's tables (docs/formats/tables.md).
 *
 * One table of columns per file: its name, type and place in the struct that one row is. It drives
 * writing and reading alike. No type is unsigned, since Spark has none. Changing anything here is a
 * new OT_STORE_EXTRACTOR. Constant data, any thread.
 */
#ifndef OT_STORE_TABLES_COLUMNS_H
#define OT_STORE_TABLES_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "stats/population.h"
#include "store/columns.h"
#include "store/store.h"

enum ot_tables_kind {
    OT_TABLES_SESSIONS,
    OT_TABLES_OPERATORS,
    OT_TABLES_TRACKS,
    OT_TABLES_DEVICES,
    OT_TABLES_MEMORY_DEVICES,
    OT_TABLES_SHAPES,
    OT_TABLES_WARNINGS,
    OT_TABLES_SMALL, /* those above are one file each: "operators.parquet" */
    OT_TABLES_SLICES = OT_TABLES_SMALL,
    OT_TABLES_MEMORY,
    OT_TABLES_COUNT /* the others may be many: "slices-0000.parquet" */
};

/* Indexed by enum ot_tables_kind; `name` is the file's without number and suffix. */
extern const struct ot_table ot_tables_of[OT_TABLES_COUNT];

/* --- what one row is ----------------------------------------------------------------------------
 * Texts are UTF-8. What has a `has_` is NULL without it. */

/* A thread {process, thread}: numbers, or what the trace calls them instead. */
struct ot_thread_record {
    bool has_process;
    bool has_process_label;
    bool has_thread;
    bool has_thread_label;
    int64_t process;
    struct ot_text process_label;
    int64_t thread;
    struct ot_text thread_label;
};

struct ot_session_record {
    struct ot_text id;
    struct ot_text artifact;
    struct ot_text format;
    struct ot_text extractor;
    bool recovered;
    bool is_imported;
    int64_t imported_ns;
    struct ot_text path;
    bool has_host;
    struct ot_text host;
    bool has_torch;
    struct ot_text torch;
    bool has_devices;
    struct ot_text devices;
    struct ot_session_totals totals;
    struct ot_counts counts;
};

struct ot_operator_record {
    uint32_t number;
    struct ot_text kind;
    struct ot_text backend;
    struct ot_text category;
    struct ot_text name;
    bool has_name_bytes; /* the name is no UTF-8 */
    struct ot_text name_bytes;
    struct ot_text host;
    struct ot_thread_record thread;
    bool has_extremes; /* some call has succeeded */
    bool in_population;
    struct ot_row row;
};

struct ot_track_record {
    uint32_t number;
    struct ot_text host;
    struct ot_thread_record thread;
    struct ot_track track;
};

struct ot_device_record {
    uint32_t number;
    struct ot_text label;
    struct ot_device device;
};

struct ot_memory_device_record {
    uint32_t number;
    bool has_type_label;
    struct ot_text type_label;
    struct ot_memory memory;
};

struct ot_shape_record {
    struct ot_text shapes;
    struct ot_shape_count count;
};

struct ot_warning_record {
    struct ot_text code;
    uint64_t n;
    struct ot_text first;
};

struct ot_memory_record {
    struct ot_table_memory event;
    struct ot_thread_record thread;
};

#endif
