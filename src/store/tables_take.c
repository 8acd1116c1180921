#include "store/tables_take.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "model/backend.h"
#include "model/label.h"
#include "stats/completeness.h"

static int no_memory(struct ot_tables_take *take)
{
    return ot_err_set(take->err, OT_ERR_NOMEM, "out of memory for tables");
}

static int refuse(struct ot_tables_take *take, const char *what)
{
    return ot_err_set(take->err, OT_ERR_INPUT, "%s", what);
}

static int intern(struct ot_tables_take *take, struct ot_text text, uint32_t *ret_id)
{
    return ot_names_intern(&take->pop->names, text, ret_id, take->err);
}

/* A text that stays. */
static int keep_text(struct ot_tables_take *take, struct ot_text text, struct ot_text *ret_kept)
{
    uint32_t id = 0;
    int code = intern(take, text, &id);
    if (code == OT_OK)
        *ret_kept = ot_names_text(&take->pop->names, id);
    return code;
}

static int take_thread(struct ot_tables_take *take, const struct ot_thread_record *record,
                       int64_t *ret_vpid, uint64_t *ret_vtid)
{
    uint32_t id = 0;
    int code = OT_OK;
    *ret_vpid = record->has_process ? record->process : -1;
    *ret_vtid = record->has_thread ? (uint64_t)record->thread : 0;
    if (record->has_process_label) {
        code = intern(take, record->process_label, &id);
        *ret_vpid = ot_vpid_of_name(id);
    }
    if (code == OT_OK && record->has_thread_label) {
        code = intern(take, record->thread_label, &id);
        *ret_vtid = ot_vtid_of_name(id);
    }
    return code;
}

/* Of a text that goes into a line. */
static int shown_len(struct ot_text text)
{
    return text.len < OT_WARNING_PLACE_BYTES ? (int)text.len : OT_WARNING_PLACE_BYTES - 1;
}

int ot_tables_take_version(struct ot_tables_take *take, struct ot_text extractor)
{
    if (ot_text_same(extractor, ot_text_of(OT_STORE_EXTRACTOR)))
        return OT_OK;
    take->is_other_version = true;
    return ot_err_set(take->err, OT_ERR_INPUT,
                      "tables of version %.*s, but this optally reads " OT_STORE_EXTRACTOR
                      ": import the trace again",
                      shown_len(extractor), extractor.bytes);
}

static int take_session(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_session_record *record = item;
    struct ot_population *pop = take->pop;
    int code = ot_tables_take_version(take, record->extractor);
    if (code < 0)
        return code;
    if (pop->n_sessions != session)
        return refuse(take, "not exactly one session");
    struct ot_session_totals *totals = &pop->sessions[pop->n_sessions++];
    *totals = record->totals;
    ot_counts_add(&pop->counts, &record->counts);
    code = session ? OT_OK : intern(take, record->format, &take->format);
    if (code == OT_OK)
        code = intern(take, record->host, &totals->host);
    if (code == OT_OK)
        code = keep_text(take, record->host, &totals->session.host);
    if (code == OT_OK)
        code = keep_text(take, record->path, &totals->session.path);
    if (code == OT_OK)
        code = keep_text(take, record->torch, &totals->session.torch);
    return code == OT_OK ? keep_text(take, record->devices, &totals->session.devices) : code;
}

static int take_operator(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_operator_record *record = item;
    struct ot_population *pop = take->pop;
    const struct ot_backend *backend = ot_backend_by_name(record->backend);
    uint32_t first = take->first_rows[session];
    if (!backend)
        return refuse(take, "an operator of no known backend");
    if (pop->n_rows >= OT_POPULATION_MAX_ROWS || pop->n_rows - first != record->number)
        return refuse(take, "operators are too many, or in disorder");
    if (!ot_vec_reserve(&pop->rows, &pop->cap, pop->n_rows + 1, sizeof(*pop->rows)))
        return no_memory(take);
    struct ot_row row = record->row;
    row.backend = backend->id;
    row.session = session;
    if (!record->has_extremes) {
        row.totals.min_ns = INT64_MAX;
        row.totals.max_ns = 0;
    }
    int code = intern(take, record->category, &row.category);
    if (code == OT_OK)
        code = intern(take, record->host, &row.host);
    if (code == OT_OK)
        code = intern(take, record->has_name_bytes ? record->name_bytes : record->name, &row.name);
    if (code == OT_OK)
        code = take_thread(take, &record->thread, &row.vpid, &row.vtid);
    if (code < 0)
        return code;
    pop->rows[pop->n_rows++] = row;
    return OT_OK;
}

static int take_track(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_track_record *record = item;
    struct ot_population *pop = take->pop;
    struct ot_track *track = &pop->tracks[pop->n_tracks++];
    *track = record->track;
    track->session = session;
    int code = intern(take, record->host, &track->host);
    return code == OT_OK ? take_thread(take, &record->thread, &track->vpid, &track->vtid) : code;
}

static int take_device(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_device_record *record = item;
    struct ot_population *pop = take->pop;
    struct ot_device *device = &pop->devices[pop->n_devices++];
    *device = record->device;
    device->session = session;
    return intern(take, record->label, &device->label);
}

static int take_memory_device(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_memory_device_record *record = item;
    struct ot_population *pop = take->pop;
    struct ot_memory *memory = &pop->memory[pop->n_memory++];
    *memory = record->memory;
    memory->session = session;
    return OT_OK;
}

static int take_shape(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_shape_record *record = item;
    struct ot_population *pop = take->pop;
    const uint32_t *first = &take->first_rows[session];
    if (record->count.row >= first[1] - first[0])
        return refuse(take, "shapes of no operator");
    struct ot_shape_count *count = &pop->shapes[pop->n_shapes++];
    *count = record->count;
    count->row += first[0];
    return intern(take, record->shapes, &count->shapes);
}

static int take_warning(struct ot_tables_take *take, uint32_t session, const void *item)
{
    const struct ot_warning_record *record = item;
    char place[OT_WARNING_PLACE_BYTES];
    int warning = 0;
    while (warning < OT_WARNING_COUNT &&
           !ot_text_same(record->code, ot_text_of(ot_warning_classes[warning].code)))
        warning++;
    if (warning == OT_WARNING_COUNT)
        return refuse(take, "a warning of no known kind");
    snprintf(place, sizeof(place), "%.*s", shown_len(record->first), record->first.bytes);
    /* What a reader warns of has a place in its input; nesting comes after that. */
    bool is_nestings = warning == OT_WARN_CLAMPED || warning == OT_WARN_PYTHON_CLAMPED;
    const char *path =
        take->n_sessions > 1 ? take->pop->sessions[session].session.path.bytes : NULL;
    if (is_nestings)
        ot_warnings_add(&take->pop->warnings, (enum ot_warning)warning, record->n, place);
    else
        ot_warnings_add_of(&take->pop->warnings, (enum ot_warning)warning, record->n, path, place);
    return OT_OK;
}

/* --- tables -------------------------------------------------------------------------------------
 */

/* In the order of the kinds: what points to operators comes after them. */
static const struct taker {
    int (*take)(struct ot_tables_take *take, uint32_t session, const void *record);
    /* The population's array that grows by one item then; 0 bytes: `take` makes its room. */
    size_t item_bytes;
    size_t items;
    size_t n_items;
} takers[OT_TABLES_SMALL] = {
#define ARRAY(items)                                                                               \
    sizeof(*((struct ot_population *)NULL)->items), offsetof(struct ot_population, items),         \
        offsetof(struct ot_population, n_##items)
    [OT_TABLES_SESSIONS] = {take_session, ARRAY(sessions)},
    [OT_TABLES_OPERATORS] = {take_operator, 0, 0, 0},
    [OT_TABLES_TRACKS] = {take_track, ARRAY(tracks)},
    [OT_TABLES_DEVICES] = {take_device, ARRAY(devices)},
    [OT_TABLES_MEMORY_DEVICES] = {take_memory_device, ARRAY(memory)},
    [OT_TABLES_SHAPES] = {take_shape, ARRAY(shapes)},
    [OT_TABLES_WARNINGS] = {take_warning, 0, 0, 0},
#undef ARRAY
};

static bool reserve(struct ot_population *pop, const struct taker *taker, size_t *cap)
{
    char *bytes = (char *)pop;
    size_t n = taker->item_bytes ? *(const size_t *)(const void *)(bytes + taker->n_items) : 0;
    return taker->item_bytes == 0 ||
           ot_vec_reserve(bytes + taker->items, cap, n + 1, taker->item_bytes);
}

/* Sessions up to that one begin here, if they did not before. */
static void start_sessions(struct ot_tables_take *take, enum ot_tables_kind kind, size_t *at,
                           size_t session)
{
    while (*at < session) {
        ++*at;
        if (kind == OT_TABLES_OPERATORS)
            take->first_rows[*at] = (uint32_t)take->pop->n_rows;
    }
}

int ot_tables_take_rows(struct ot_tables_take *take, enum ot_tables_kind kind, struct ot_rows *rows,
                        size_t *session)
{
    const struct ot_table *table = &ot_tables_of[kind];
    const struct taker *taker = &takers[kind];
    char record[1024] __attribute__((aligned(16)));
    size_t cap = 0;
    assert(table->stride_bytes <= sizeof(record));
    int code = ot_table_matches(rows, table) ? OT_OK : refuse(take, "columns of other types");
    while (code == OT_OK && ot_rows_next(rows)) {
        memset(record, 0, table->stride_bytes);
        start_sessions(take, kind, session, (size_t)ot_rows_int(rows, (unsigned)table->n_columns));
        if (!ot_table_take(rows, table, record))
            return refuse(take, "NULL in a column that has none");
        if (!reserve(take->pop, taker, &cap))
            return no_memory(take);
        code = taker->take(take, (uint32_t)*session, record);
    }
    if (code == OT_OK)
        start_sessions(take, kind, session, take->n_sessions);
    return code;
}
