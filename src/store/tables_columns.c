#include "store/tables_columns.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define FIELD(name, type, path)                                                                    \
    {                                                                                              \
        name, OT_COLUMN_##type, offsetof(struct OWNER, path), NULL, 0                              \
    }
#define MAYBE(name, type, path, has)                                                               \
    {                                                                                              \
        name, OT_COLUMN_##type, offsetof(struct OWNER, path), NULL,                                \
            1 + offsetof(struct OWNER, has)                                                        \
    }
#define THREAD                                                                                     \
    MAYBE("process", INT64, thread.process, thread.has_process),                                   \
        MAYBE("process_label", TEXT, thread.process_label, thread.has_process_label),              \
        MAYBE("thread", INT64, thread.thread, thread.has_thread),                                  \
        MAYBE("thread_label", TEXT, thread.thread_label, thread.has_thread_label)
#define COUNT(name) FIELD(#name, COUNT, counts.name)

#define OWNER ot_session_record
static const struct ot_column session_columns[] = {
    FIELD("id", TEXT, id),
    FIELD("artifact", TEXT, artifact),
    FIELD("format", TEXT, format),
    FIELD("extractor", TEXT, extractor),
    FIELD("recovered", BOOL, recovered),
    MAYBE("imported_ns", INT64, imported_ns, is_imported),
    FIELD("path", TEXT, path),
    MAYBE("host", TEXT, host, has_host),
    MAYBE("torch", TEXT, torch, has_torch),
    MAYBE("devices", TEXT, devices, has_devices),
    MAYBE("rank", INT64, totals.session.rank, totals.session.has_rank),
    MAYBE("world_size", INT64, totals.session.world_size, totals.session.has_world_size),
    MAYBE("base_ns", INT64, totals.session.base_ns, totals.session.has_base),
    MAYBE("start_ns", INT64, totals.start_ns, totals.has_times),
    MAYBE("end_ns", INT64, totals.end_ns, totals.has_times),
    FIELD("has_phases", BOOL, totals.has_phases),
    FIELD("has_python_stacks", BOOL, totals.has_python_stacks),
    FIELD("memory_events", COUNT, totals.n_memory_events),
    FIELD("unattributed_allocated_bytes", INT64, totals.unattributed_allocated_bytes),
    FIELD("no_launch_events", COUNT, totals.unattributed[OT_NO_LAUNCH_RECORD].n_events),
    FIELD("no_launch_ns", INT64, totals.unattributed[OT_NO_LAUNCH_RECORD].device_ns),
    FIELD("graph_only_events", COUNT, totals.unattributed[OT_GRAPH_LAUNCH].n_events),
    FIELD("graph_only_ns", INT64, totals.unattributed[OT_GRAPH_LAUNCH].device_ns),
    FIELD("outside_events", COUNT, totals.unattributed[OT_OUTSIDE_EVERY_OPERATOR].n_events),
    FIELD("outside_ns", INT64, totals.unattributed[OT_OUTSIDE_EVERY_OPERATOR].device_ns),
    FIELD("graph_events", COUNT, totals.graph_launches.n_events),
    FIELD("graph_ns", INT64, totals.graph_launches.device_ns),
    COUNT(events_read),
    COUNT(discarded_events),
    COUNT(discarded_unknown),
    COUNT(unmatched_exits),
    COUNT(unclosed_entries),
    COUNT(lost_entries),
    COUNT(backward_times),
    COUNT(overflowed_sums),
    COUNT(silent_sources),
    COUNT(uncertain_self),
    COUNT(excluded_events),
    COUNT(damaged_events),
    COUNT(truncated_inputs),
    COUNT(lost_names),
    COUNT(left_out_calls),
};
#undef OWNER

/* A count that is added has to become a column. */
_Static_assert(sizeof(struct ot_counts) == 15 * sizeof(uint64_t), "all counts are columns");

#define OWNER ot_operator_record
static const struct ot_column operator_columns[] = {
    FIELD("operator", INT32, number),
    FIELD("kind", TEXT, kind),
    FIELD("backend", TEXT, backend),
    FIELD("category", TEXT, category),
    FIELD("name", TEXT, name),
    MAYBE("name_bytes", BYTES, name_bytes, has_name_bytes),
    FIELD("host", TEXT, host),
    THREAD,
    FIELD("calls", COUNT, row.totals.n_calls),
    FIELD("errors", COUNT, row.totals.n_errors),
    FIELD("unclosed", COUNT, row.n_unclosed),
    FIELD("inclusive_ns", INT64, row.totals.inclusive_ns),
    FIELD("self_ns", INT64, row.totals.self_ns),
    MAYBE("min_ns", INT64, row.totals.min_ns, has_extremes),
    MAYBE("max_ns", INT64, row.totals.max_ns, has_extremes),
    FIELD("device_self_ns", INT64, row.device_self_ns),
    FIELD("device_inclusive_ns", INT64, row.device_inclusive_ns),
    FIELD("allocated_bytes", INT64, row.allocated_bytes),
    FIELD("warm_calls", COUNT, row.n_warm),
    FIELD("warm_self_ns", INT64, row.warm_self_ns),
    FIELD("synchronizes", BOOL, row.synchronizes),
    FIELD("compiles", BOOL, row.compiles),
    FIELD("in_population", BOOL, in_population),
};
#undef OWNER

#define OWNER ot_track_record
static const struct ot_column track_columns[] = {
    FIELD("track", INT32, number),
    FIELD("host", TEXT, host),
    THREAD,
    FIELD("in_population", BOOL, track.in_population),
    FIELD("synchronization_ns", INT64, track.synchronization_ns),
    FIELD("compilation_ns", INT64, track.compilation_ns),
};
#undef OWNER

#define OWNER ot_device_record
static const struct ot_column device_columns[] = {
    FIELD("device", INT32, number),
    FIELD("label", TEXT, label),
    FIELD("events", COUNT, device.n_events),
    FIELD("sum_ns", INT64, device.sum_ns),
    FIELD("union_ns", INT64, device.union_ns),
};
#undef OWNER

#define OWNER ot_memory_device_record
static const struct ot_column memory_device_columns[] = {
    FIELD("device", INT32, number),
    FIELD("device_type", INT64, memory.device_type),
    MAYBE("type_label", TEXT, type_label, has_type_label),
    FIELD("device_id", INT64, memory.device_id),
    FIELD("events", COUNT, memory.n_events),
    FIELD("allocated_bytes", INT64, memory.allocated_bytes),
    FIELD("freed_bytes", INT64, memory.freed_bytes),
    FIELD("peak_bytes", INT64, memory.peak_bytes),
    FIELD("first_ns", INT64, memory.first_ns),
    FIELD("last_ns", INT64, memory.last_ns),
};
#undef OWNER

#define OWNER ot_shape_record
static const struct ot_column shape_columns[] = {
    FIELD("operator", INT32, count.row),
    FIELD("shapes", TEXT, shapes),
    FIELD("calls", COUNT, count.n_calls),
};
#undef OWNER

#define OWNER ot_warning_record
static const struct ot_column warning_columns[] = {
    FIELD("code", TEXT, code),
    FIELD("count", COUNT, n),
    FIELD("first", TEXT, first),
};
#undef OWNER

#define OWNER ot_table_slice
static const struct ot_column slice_columns[] = {
    FIELD("operator", INT32, op),
    FIELD("depth", INT32, depth),
    MAYBE("parent", INT32, parent, has_parent),
    FIELD("ts_ns", INT64, ts_ns),
    FIELD("dur_ns", INT64, dur_ns),
    FIELD("self_ns", INT64, self_ns),
};
#undef OWNER

#define OWNER ot_memory_record
static const struct ot_column memory_columns[] = {
    FIELD("device", INT32, event.device),
    MAYBE("owner", INT32, event.owner, event.has_owner),
    THREAD,
    FIELD("ts_ns", INT64, event.ts_ns),
    FIELD("bytes", INT64, event.bytes),
    MAYBE("total_allocated", INT64, event.total_allocated, event.has_total),
};
#undef OWNER

#define TABLE(name, columns, record)                                                               \
    {                                                                                              \
        name, columns, LENGTH(columns), sizeof(struct record)                                      \
    }

const struct ot_table ot_tables_of[OT_TABLES_COUNT] = {
    [OT_TABLES_SESSIONS] = TABLE("sessions", session_columns, ot_session_record),
    [OT_TABLES_OPERATORS] = TABLE("operators", operator_columns, ot_operator_record),
    [OT_TABLES_TRACKS] = TABLE("tracks", track_columns, ot_track_record),
    [OT_TABLES_DEVICES] = TABLE("devices", device_columns, ot_device_record),
    [OT_TABLES_MEMORY_DEVICES] =
        TABLE("memory_devices", memory_device_columns, ot_memory_device_record),
    [OT_TABLES_SHAPES] = TABLE("shapes", shape_columns, ot_shape_record),
    [OT_TABLES_WARNINGS] = TABLE("warnings", warning_columns, ot_warning_record),
    [OT_TABLES_SLICES] = TABLE("slices", slice_columns, ot_table_slice),
    [OT_TABLES_MEMORY] = TABLE("memory", memory_columns, ot_memory_record),
};
