#include "store/load.h"

#include "model/backend.h"
#include "stats/rules.h"
#include "store/columns.h"
#include "store/device_types.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define FIELD(name, type, path)                                                                    \
    {                                                                                              \
        name, OT_COLUMN_##type, offsetof(struct OWNER, path), NULL, 0                              \
    }

static const struct ot_column name_columns[] = {
    {"id", OT_COLUMN_INDEX, 0, NULL, 0},
    {"bytes", OT_COLUMN_BYTES, 0, NULL, 0},
    {"has_overload", OT_COLUMN_RULE, 0, ot_rules_has_overload, 0},
};

#define OWNER ot_backend
static const struct ot_column backend_columns[] = {
    FIELD("backend", INT32, id),
    FIELD("kind", STRING, kind),
    FIELD("in_population", BOOL, in_population),
};
#undef OWNER

#define OWNER ot_row
static const struct ot_column folded_columns[] = {
    {"id", OT_COLUMN_INDEX, 0, NULL, 0},
    FIELD("backend", INT32, backend),
    FIELD("session", UINT32, session),
    FIELD("category", UINT32, category),
    FIELD("name", UINT32, name),
    FIELD("calls", UINT64, totals.n_calls),
    FIELD("errors", UINT64, totals.n_errors),
    FIELD("inclusive_ns", INT64, totals.inclusive_ns),
    FIELD("self_ns", INT64, totals.self_ns),
    FIELD("min_ns", INT64, totals.min_ns),
    FIELD("max_ns", INT64, totals.max_ns),
    FIELD("device_self_ns", INT64, device_self_ns),
    FIELD("device_inclusive_ns", INT64, device_inclusive_ns),
    FIELD("allocated_bytes", INT64, allocated_bytes),
    FIELD("warm_self_ns", INT64, warm_self_ns),
    FIELD("warm_calls", UINT64, n_warm),
    FIELD("synchronizes", BOOL, synchronizes),
    FIELD("compiles", BOOL, compiles),
};
#undef OWNER

#define OWNER ot_session_totals
static const struct ot_column session_columns[] = {
    {"session", OT_COLUMN_INDEX, 0, NULL, 0},
    FIELD("no_launch_events", UINT64, unattributed[OT_NO_LAUNCH_RECORD].n_events),
    FIELD("no_launch_ns", INT64, unattributed[OT_NO_LAUNCH_RECORD].device_ns),
    FIELD("graph_only_events", UINT64, unattributed[OT_GRAPH_LAUNCH].n_events),
    FIELD("graph_only_ns", INT64, unattributed[OT_GRAPH_LAUNCH].device_ns),
    FIELD("outside_events", UINT64, unattributed[OT_OUTSIDE_EVERY_OPERATOR].n_events),
    FIELD("outside_ns", INT64, unattributed[OT_OUTSIDE_EVERY_OPERATOR].device_ns),
    FIELD("graph_events", UINT64, graph_launches.n_events),
    FIELD("graph_ns", INT64, graph_launches.device_ns),
    FIELD("memory_events", UINT64, n_memory_events),
    FIELD("lost_allocated_bytes", INT64, unattributed_allocated_bytes),
    FIELD("has_phases", BOOL, has_phases),
    FIELD("has_python_stacks", BOOL, has_python_stacks),
    FIELD("has_base", BOOL, session.has_base),
    FIELD("has_times", BOOL, has_times),
    FIELD("start_ns", INT64, start_ns),
    FIELD("end_ns", INT64, end_ns),
};
#undef OWNER

#define OWNER ot_track
static const struct ot_column track_columns[] = {
    FIELD("session", UINT32, session),
    FIELD("host", UINT32, host),
    FIELD("process", INT64, vpid),
    FIELD("in_population", BOOL, in_population),
    FIELD("synchronization_ns", INT64, synchronization_ns),
    FIELD("compilation_ns", INT64, compilation_ns),
};
#undef OWNER

#define OWNER ot_device
static const struct ot_column device_columns[] = {
    FIELD("session", UINT32, session),  FIELD("label", UINT32, label),
    FIELD("events", UINT64, n_events),  FIELD("sum_ns", INT64, sum_ns),
    FIELD("union_ns", INT64, union_ns),
};
#undef OWNER

#define OWNER ot_memory
static const struct ot_column memory_columns[] = {
    FIELD("session", UINT32, session),
    FIELD("device_type", INT64, device_type),
    FIELD("device_id", INT64, device_id),
    FIELD("events", UINT64, n_events),
    FIELD("allocated_bytes", INT64, allocated_bytes),
    FIELD("freed_bytes", INT64, freed_bytes),
    FIELD("peak_bytes", INT64, peak_bytes),
};
#undef OWNER

#define OWNER ot_shape_count
static const struct ot_column shape_columns[] = {
    FIELD("folded_id", UINT32, row),
    FIELD("shapes", UINT32, shapes),
    FIELD("calls", UINT64, n_calls),
};
#undef OWNER

#define OWNER ot_analysis_opts
static const struct ot_column option_columns[] = {
    FIELD("rows", INT64, limit),
    FIELD("small_rows", INT64, small_limit),
    FIELD("small_below_ns", INT64, small_below_ns),
};
#undef OWNER

#define OWNER ot_device_type
static const struct ot_column device_type_columns[] = {
    FIELD("device_type", INT64, type),
    FIELD("label", STRING, label),
};
#undef OWNER

#define TABLE(name, columns, array)                                                                \
    {                                                                                              \
        name, columns, LENGTH(columns), sizeof((array)[0])                                         \
    }

int ot_load(struct ot_db *db, const struct ot_population *pop, const struct ot_analysis_opts *opts,
            struct ot_err *err)
{
    const struct {
        struct ot_table table;
        const void *structs;
        size_t n;
    } loads[] = {
        {TABLE("options", option_columns, opts), opts, 1},
        {TABLE("backends", backend_columns, ot_backends), ot_backends, OT_BACKEND_COUNT},
        {TABLE("device_types", device_type_columns, ot_device_types), ot_device_types,
         OT_DEVICE_TYPES},
        {TABLE("names", name_columns, pop->names.texts), pop->names.texts, pop->names.n_texts},
        {TABLE("folded", folded_columns, pop->rows), pop->rows, pop->n_rows},
        {TABLE("sessions", session_columns, pop->sessions), pop->sessions, pop->n_sessions},
        {TABLE("tracks", track_columns, pop->tracks), pop->tracks, pop->n_tracks},
        {TABLE("devices", device_columns, pop->devices), pop->devices, pop->n_devices},
        {TABLE("memory", memory_columns, pop->memory), pop->memory, pop->n_memory},
        {TABLE("shapes", shape_columns, pop->shapes), pop->shapes, pop->n_shapes},
    };
    for (size_t i = 0; i < LENGTH(loads); i++) {
        int code = ot_table_load(db, &loads[i].table, loads[i].structs, loads[i].n, err);
        if (code < 0)
            return code;
    }
    return OT_OK;
}
