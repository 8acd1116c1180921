#include "cli/extract.h"

#include "fold/fold.h"

/* The fold's view of a slice is the tables', but for its names. */
static int take_slice(void *context, const struct ot_fold_slice *slice, struct ot_err *err)
{
    const struct ot_extract *extract = context;
    const struct ot_table_slice row = {
        .op = slice->row,
        .depth = slice->depth,
        .has_parent = slice->has_parent,
        .parent = slice->parent,
        .ts_ns = slice->ts_ns,
        .dur_ns = slice->dur_ns,
        .self_ns = slice->self_ns,
    };
    return extract->store->tables_slice(extract->tables, &row, err);
}

static int take_memory(void *context, const struct ot_fold_memory *memory, struct ot_err *err)
{
    const struct ot_extract *extract = context;
    const struct ot_table_memory row = {
        .device = memory->device,
        .has_owner = memory->has_owner,
        .owner = memory->owner,
        .vpid = memory->vpid,
        .vtid = memory->vtid,
        .ts_ns = memory->ts_ns,
        .bytes = memory->bytes,
        .has_total = memory->has_total,
        .total_allocated = memory->total_allocated,
    };
    return extract->store->tables_memory(extract->tables, &row, err);
}

static int fold(struct ot_extract *extract, const struct ot_extract_opts *opts, struct ot_err *err)
{
    const struct ot_fold_sink sink = {
        .context = extract, .slice = take_slice, .memory = take_memory};
    const struct ot_fold_opts fold_opts = {
        .depth = OT_FOLD_ANALYSIS,
        .recover = opts->recover,
        .read_bytes = opts->read_bytes,
        .sink = &sink,
        .tap = opts->tap,
        .tap_context = opts->tap_context,
    };
    return ot_fold(&opts->input, 1, &fold_opts, &extract->pop, &extract->format, err);
}

static int set_path(struct ot_population *pop, const char *path, struct ot_err *err)
{
    uint32_t id = 0;
    int code = ot_names_intern(&pop->names, ot_text_of(path), &id, err);
    if (code == OT_OK)
        pop->sessions[0].session.path = ot_names_text(&pop->names, id);
    return code;
}

static int end(struct ot_extract *extract, const struct ot_extract_opts *opts, struct ot_err *err)
{
    struct ot_provenance provenance = {
        .session = "",
        .artifact = "",
        .format = extract->format,
        .recovered = opts->recover,
    };
    int code = OT_OK;
    if (extract->pop.n_sessions != 1)
        return ot_err_set(err, OT_ERR_INPUT, "%s: %zu sessions, not one", opts->input,
                          extract->pop.n_sessions);
    if (opts->path)
        code = set_path(&extract->pop, opts->path, err);
    if (code == OT_OK)
        code = opts->identify(opts->identify_context, &extract->pop, &provenance, err);
    if (code < 0)
        return code;
    return opts->store->tables_end(extract->tables, &extract->pop, &provenance, &extract->files,
                                   &extract->n_files, err);
}

int ot_extract(struct ot_extract *extract, const struct ot_extract_opts *opts, struct ot_err *err)
{
    const struct ot_tables_opts tables_opts = {
        .folder = opts->folder, .format = opts->format, .names = &extract->pop.names};
    extract->store = opts->store;
    int code = opts->store->tables_open(&tables_opts, &extract->tables, err);
    if (code == OT_OK)
        code = fold(extract, opts, err);
    return code == OT_OK ? end(extract, opts, err) : code;
}

void ot_extract_release(struct ot_extract *extract)
{
    if (!extract)
        return;
    if (extract->tables)
        extract->store->tables_free(extract->tables);
    ot_population_release(&extract->pop);
    *extract = (struct ot_extract){0};
}
