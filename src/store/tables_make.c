#include "store/tables_make.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "model/backend.h"
#include "model/label.h"
#include "store/device_types.h"

/* --- texts --------------------------------------------------------------------------------------
 */

static bool is_utf8(struct ot_text text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t code_point = 0;
        size_t len = ot_utf8_next((struct ot_text){text.bytes + at, text.len - at}, &code_point);
        if (len == 1 && code_point == OT_UTF8_REPLACEMENT)
            return false;
        at += len;
    }
    return true;
}

static void add_valid(struct ot_str *line, struct ot_text text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t code_point = 0;
        size_t len = ot_utf8_next((struct ot_text){text.bytes + at, text.len - at}, &code_point);
        if (len == 1 && code_point == OT_UTF8_REPLACEMENT)
            ot_str_add(line, "\xef\xbf\xbd", 3);
        else
            ot_str_add(line, text.bytes + at, len);
        at += len;
    }
}

static struct ot_text valid(struct ot_tables_make *make, struct ot_text text)
{
    if (text.len == 0)
        return ot_text_of("");
    if (is_utf8(text))
        return text;
    struct ot_str line = {0};
    add_valid(&line, text);
    char *copy = line.failed ? NULL : ot_arena_copy(&make->arena, line.bytes, line.len);
    struct ot_text result = {copy, copy ? line.len : 0};
    make->failed |= !copy;
    ot_str_release(&line);
    return result;
}

static struct ot_text name_of(struct ot_tables_make *make, uint32_t id)
{
    return valid(make, ot_names_text(make->names, id));
}

/* --- rows ---------------------------------------------------------------------------------------
 */

struct ot_thread_record ot_tables_make_thread(struct ot_tables_make *make, int64_t vpid,
                                              uint64_t vtid)
{
    struct ot_thread_record record = {0};
    uint32_t id = 0;
    record.has_process_label = ot_vpid_is_name(make->names, vpid, &id);
    if (record.has_process_label)
        record.process_label = name_of(make, id);
    record.has_process = !record.has_process_label && vpid != -1;
    record.process = vpid;
    record.has_thread_label = ot_vtid_is_name(make->names, vtid, &id);
    if (record.has_thread_label)
        record.thread_label = name_of(make, id);
    record.has_thread = !record.has_thread_label;
    record.thread = ot_vtid_number(vtid);
    return record;
}

static void make_session(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_session_totals *totals = &make->pop->sessions[i];
    const struct ot_session *session = &totals->session;
    const struct ot_provenance *provenance = make->provenance;
    *(struct ot_session_record *)item = (struct ot_session_record){
        .id = valid(make, ot_text_of(provenance->session)),
        .artifact = valid(make, ot_text_of(provenance->artifact)),
        .format = valid(make, ot_text_of(provenance->format)),
        .extractor = ot_text_of(OT_STORE_EXTRACTOR),
        .recovered = provenance->recovered,
        .is_imported = provenance->imported_ns != 0,
        .imported_ns = provenance->imported_ns,
        .path = valid(make, session->path),
        .has_host = session->host.len > 0,
        .host = valid(make, session->host),
        .has_torch = session->torch.len > 0,
        .torch = valid(make, session->torch),
        .has_devices = session->devices.len > 0,
        .devices = valid(make, session->devices),
        .totals = *totals,
        .counts = make->pop->counts,
    };
}

static void make_operator(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_row *row = &make->pop->rows[i];
    const struct ot_backend *backend = &ot_backends[row->backend];
    struct ot_text name = ot_names_text(make->names, row->name);
    *(struct ot_operator_record *)item = (struct ot_operator_record){
        .number = (uint32_t)i,
        .kind = ot_text_of(backend->kind),
        .backend = ot_text_of(backend->name),
        .category = name_of(make, row->category),
        .name = valid(make, name),
        .has_name_bytes = !is_utf8(name),
        .name_bytes = name,
        .host = name_of(make, row->host),
        .thread = ot_tables_make_thread(make, row->vpid, row->vtid),
        .has_extremes = row->totals.n_calls > row->totals.n_errors,
        .in_population = backend->in_population,
        .row = *row,
    };
}

static void make_track(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_track *track = &make->pop->tracks[i];
    *(struct ot_track_record *)item = (struct ot_track_record){
        .number = (uint32_t)i,
        .host = name_of(make, track->host),
        .thread = ot_tables_make_thread(make, track->vpid, track->vtid),
        .track = *track,
    };
}

static void make_device(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_device *device = &make->pop->devices[i];
    *(struct ot_device_record *)item = (struct ot_device_record){
        .number = (uint32_t)i, .label = name_of(make, device->label), .device = *device};
}

static void make_memory_device(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_memory *memory = &make->pop->memory[i];
    const char *label = ot_device_type_label(memory->device_type);
    *(struct ot_memory_device_record *)item = (struct ot_memory_device_record){
        .number = (uint32_t)i,
        .has_type_label = label != NULL,
        .type_label = ot_text_of(label ? label : ""),
        .memory = *memory,
    };
}

static void make_shape(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_shape_count *count = &make->pop->shapes[i];
    *(struct ot_shape_record *)item =
        (struct ot_shape_record){.shapes = name_of(make, count->shapes), .count = *count};
}

static void make_warning(struct ot_tables_make *make, size_t i, void *item)
{
    const struct ot_warning_count *count = &make->pop->warnings.of[i];
    *(struct ot_warning_record *)item = (struct ot_warning_record){
        .code = ot_text_of(ot_warning_classes[i].code),
        .n = count->n,
        .first = valid(make, ot_text_of(count->first)),
    };
}

/* --- tables -------------------------------------------------------------------------------------
 */

/* How many items of the population there are; each is a row. */
static size_t count_items(const struct ot_population *pop, enum ot_tables_kind kind)
{
    const size_t counts[OT_TABLES_SMALL] = {
        [OT_TABLES_SESSIONS] = pop->n_sessions,     [OT_TABLES_OPERATORS] = pop->n_rows,
        [OT_TABLES_TRACKS] = pop->n_tracks,         [OT_TABLES_DEVICES] = pop->n_devices,
        [OT_TABLES_MEMORY_DEVICES] = pop->n_memory, [OT_TABLES_SHAPES] = pop->n_shapes,
        [OT_TABLES_WARNINGS] = OT_WARNING_COUNT,
    };
    return counts[kind];
}

static void (*const makers[OT_TABLES_SMALL])(struct ot_tables_make *make, size_t i, void *item) = {
    [OT_TABLES_SESSIONS] = make_session,
    [OT_TABLES_OPERATORS] = make_operator,
    [OT_TABLES_TRACKS] = make_track,
    [OT_TABLES_DEVICES] = make_device,
    [OT_TABLES_MEMORY_DEVICES] = make_memory_device,
    [OT_TABLES_SHAPES] = make_shape,
    [OT_TABLES_WARNINGS] = make_warning,
};

/* Of a kind of warning that did not occur there is nothing to say. */
static bool is_left_out(const struct ot_population *pop, enum ot_tables_kind kind, size_t i)
{
    return kind == OT_TABLES_WARNINGS && pop->warnings.of[i].n == 0;
}

int ot_tables_make(struct ot_tables_make *make, enum ot_tables_kind kind, void **ret_records,
                   size_t *ret_n, struct ot_err *err)
{
    size_t n_items = count_items(make->pop, kind);
    size_t stride_bytes = ot_tables_of[kind].stride_bytes;
    char *records = calloc(n_items + 1, stride_bytes);
    size_t n = 0;
    for (size_t i = 0; i < n_items && records; i++) {
        if (!is_left_out(make->pop, kind, i))
            makers[kind](make, i, records + n++ * stride_bytes);
    }
    if (!records || make->failed) {
        free(records);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for tables");
    }
    *ret_records = records;
    *ret_n = n;
    return OT_OK;
}
