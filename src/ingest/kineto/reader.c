#include "ingest/kineto/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "ingest/bytes/source.h"
#include "ingest/kineto/lex.h"
#include "ingest/kineto/trace.h"

static const char standard_input[] = "-";

struct ot_reader {
    struct ot_reader_opts opts;
    struct ot_arena arena;
    struct ot_session *sessions; /* one per path */
    const char **paths;
    size_t n_paths;
    size_t next_path;
    struct ot_source *source;
    struct ot_kineto_trace *trace; /* of the path before next_path; NULL: none is open */
    struct ot_counts counts;
    struct ot_warnings warnings;
};

static int recognise(const char *path, struct ot_err *err)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISDIR(status.st_mode))
        return OT_END;
    unsigned char bytes[4096];
    size_t len;
    enum ot_packing packing;
    int code = ot_source_peek(path, bytes, sizeof(bytes), &len, &packing, err);
    if (code < 0)
        return code;
    size_t at = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < len && lex_is_space(bytes[at]))
        at++;
    if (at == sizeof(bytes))
        return OT_OK; /* nothing but white space so far: reading it will tell */
    /* In UTF-16 a zero comes before or behind it. */
    bool is_json =
        at < len && (bytes[at] == '{' || bytes[at] == '[') && (at + 1 == len || bytes[at + 1] != 0);
    return is_json ? OT_OK : OT_END;
}

static int open_source(struct ot_reader *reader, const char *path, bool is_counted,
                       struct ot_source **ret_source, struct ot_err *err)
{
    struct ot_source_opts opts = {.session = (uint32_t)(reader->next_path)};
    if (is_counted) {
        opts.read_bytes = reader->opts.read_bytes;
        opts.tap = reader->opts.tap;
        opts.tap_context = reader->opts.tap_context;
    }
    return ot_source_open(path, &opts, ret_source, err);
}

static int next_chunk(void *source, unsigned char **ret_bytes, size_t *ret_len, struct ot_err *err)
{
    return ot_source_next(source, ret_bytes, ret_len, err);
}

static struct ot_kineto_trace *new_trace(struct ot_source *source,
                                         const struct ot_kineto_trace_opts *opts)
{
    struct ot_kineto_chunks chunks = {.next = next_chunk, .source = source};
    struct ot_kineto_trace_opts all = *opts;
    all.is_packed = ot_source_packing(source) != OT_PACKING_NONE;
    return ot_kineto_trace_new(&chunks, &all);
}

/* A trace may say behind its events what their times count from. Reads it once just for that; what
 * is wrong with it is said when it is read for good. */
static int look_for_base(struct ot_reader *reader, const char *path,
                         struct ot_kineto_trace_opts *opts, struct ot_err *err)
{
    struct stat status;
    if (strcmp(path, standard_input) == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return OT_OK;
    struct ot_source *source = NULL;
    int code = open_source(reader, path, false, &source, err);
    if (code < 0)
        return code;
    struct ot_kineto_trace_opts plain = {.recover = true};
    struct ot_kineto_trace *trace = new_trace(source, &plain);
    if (!trace)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a trace");
    struct ot_event event;
    struct ot_err ignored;
    while (trace && ot_kineto_trace_next(trace, &event, &ignored) == OT_OK &&
           !ot_kineto_trace_session(trace)->has_base) {
    }
    if (trace) {
        opts->has_base = ot_kineto_trace_session(trace)->has_base;
        opts->base_ns = ot_kineto_trace_session(trace)->base_ns;
    }
    ot_kineto_trace_free(trace);
    ot_source_close(source);
    return code;
}

static const char *shown_path(const char *path)
{
    return strcmp(path, standard_input) == 0 ? "standard input" : path;
}

static int open_next(struct ot_reader *reader, struct ot_err *err)
{
    const char *path = reader->paths[reader->next_path];
    struct ot_kineto_trace_opts opts = {.session = (uint32_t)reader->next_path,
                                        .want_text = reader->opts.want_text,
                                        .want_marks = reader->opts.want_marks,
                                        .want_raw = reader->opts.want_raw,
                                        .recover = reader->opts.recover};
    int code = OT_OK;
    if (opts.want_text)
        code = look_for_base(reader, path, &opts, err);
    if (code == OT_OK)
        code = open_source(reader, path, true, &reader->source, err);
    if (code < 0)
        return code;
    reader->trace = new_trace(reader->source, &opts);
    if (!reader->trace)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a trace");
    reader->next_path++;
    return OT_OK;
}

static void close_trace(struct ot_reader *reader)
{
    ot_kineto_trace_free(reader->trace);
    reader->trace = NULL;
    ot_source_close(reader->source);
    reader->source = NULL;
}

/* Those of the counts that a trace has. */
static void add_losses(struct ot_counts *counts, const struct ot_counts *more)
{
    counts->unmatched_exits += more->unmatched_exits;
    counts->unclosed_entries += more->unclosed_entries;
    counts->lost_entries += more->lost_entries;
    counts->excluded_events += more->excluded_events;
    for (size_t i = 0; i < OT_TOLD_LOSSES; i++)
        ot_told_loss_add(counts, &ot_told_losses[i], ot_told_loss_of(more, &ot_told_losses[i]));
}

/* The trace's own texts go with it. */
static int keep_text(struct ot_reader *reader, struct ot_text *text, struct ot_err *err)
{
    char *copy = ot_arena_copy(&reader->arena, text->bytes, text->len);
    if (!copy)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for what a trace says of itself");
    text->bytes = copy;
    return OT_OK;
}

/* What the trace that is at its end says as a whole. */
static int take_report(struct ot_reader *reader, struct ot_err *err)
{
    size_t i = reader->next_path - 1;
    struct ot_text path = reader->sessions[i].path;
    reader->sessions[i] = *ot_kineto_trace_session(reader->trace);
    struct ot_session *session = &reader->sessions[i];
    session->path = path;
    int code = keep_text(reader, &session->host, err);
    if (code == OT_OK)
        code = keep_text(reader, &session->devices, err);
    if (code < 0)
        return code;

    add_losses(&reader->counts, ot_kineto_trace_counts(reader->trace));
    const struct ot_warnings *warnings = ot_kineto_trace_warnings(reader->trace);
    for (int k = 0; k < OT_WARNING_COUNT; k++) {
        const struct ot_warning_count *count = &warnings->of[k];
        ot_warnings_add_of(&reader->warnings, (enum ot_warning)k, count->n,
                           reader->n_paths > 1 ? shown_path(path.bytes) : NULL, count->first);
    }
    return OT_OK;
}

/* The tap sees the whole file, also where nobody wants to read to its end. */
static void skip_rest(struct ot_source *source)
{
    unsigned char *bytes = NULL;
    size_t len = 0;
    while (ot_source_next(source, &bytes, &len, NULL) == OT_OK) {
    }
}

static int next(struct ot_reader *reader, struct ot_event *ret_event, struct ot_err *err)
{
    for (;;) {
        int code = OT_OK;
        if (!reader->trace) {
            if (reader->next_path == reader->n_paths)
                return OT_END;
            code = open_next(reader, err);
            if (code < 0)
                return code;
        }
        code = ot_kineto_trace_next(reader->trace, ret_event, err);
        if (code == OT_OK)
            return OT_OK;
        if (code == OT_END)
            code = take_report(reader, err);
        if (code < 0) {
            ot_err_context(err, "%s", shown_path(reader->paths[reader->next_path - 1]));
            return code;
        }
        if (reader->opts.tap)
            skip_rest(reader->source);
        close_trace(reader);
    }
}

static void report(const struct ot_reader *reader, struct ot_reader_report *ret_report)
{
    *ret_report = (struct ot_reader_report){.sessions = reader->sessions,
                                            .n_sessions = reader->n_paths,
                                            .counts = reader->counts,
                                            .warnings = reader->warnings};
}

static void close_reader(struct ot_reader *reader)
{
    if (!reader)
        return;
    close_trace(reader);
    free(reader->sessions);
    free(reader->paths);
    ot_arena_release(&reader->arena);
    free(reader);
}

static bool copy_paths(struct ot_reader *reader, const char *const *paths, size_t n_paths)
{
    reader->sessions = calloc(n_paths, sizeof(reader->sessions[0]));
    reader->paths = calloc(n_paths, sizeof(reader->paths[0]));
    if (!reader->sessions || !reader->paths)
        return false;
    for (size_t i = 0; i < n_paths; i++) {
        size_t len = strlen(paths[i]);
        reader->paths[i] = ot_arena_copy(&reader->arena, paths[i], len);
        if (!reader->paths[i])
            return false;
        reader->sessions[i].path = (struct ot_text){reader->paths[i], len};
    }
    reader->n_paths = n_paths;
    return true;
}

static int open_reader(const char *const *paths, size_t n_paths, const struct ot_reader_opts *opts,
                       struct ot_reader **ret_reader, struct ot_err *err)
{
    struct ot_reader *reader = calloc(1, sizeof(*reader));
    if (!reader || !copy_paths(reader, paths, n_paths)) {
        close_reader(reader);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a reader");
    }
    reader->opts = *opts;
    *ret_reader = reader;
    return OT_OK;
}

const struct ot_reader_class ot_kineto_reader = {
    .name = "torch.profiler trace",
    .format = "kineto",
    .recognise = recognise,
    .open = open_reader,
    .next = next,
    .report = report,
    .close = close_reader,
};
