#include "ingest/oplog/reader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ingest/oplog/find.h"
#include "ingest/oplog/merge.h"
#include "ingest/oplog/text.h"
#include "model/backend.h"

struct ot_reader {
    bool want_text;
    struct ot_oplog_common common;
    struct ot_oplog_log *logs; /* in place once the last one is open */
    size_t n_logs;
    struct ot_oplog_merge *merge;
    char *path; /* the first input */
    struct ot_str torch;
    struct ot_session session;
    struct ot_event losses[2]; /* that belong to no thread, to be told first: known, unknown */
    size_t n_losses;
    size_t next_loss;
    struct ot_str payload;
};

/* --- what was lost ------------------------------------------------------------------------------
 */

static void add(uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = UINT64_MAX;
}

struct losses {
    uint64_t n_known;
    uint64_t n_unknown; /* at least so many */
};

/* What a ring has overwritten of threads of which nothing is left; of the others their segments
 * say it, each at its place. */
static uint64_t overwritten_of_missing_threads(const struct ot_oplog_log *log)
{
    uint64_t n_told = 0;
    for (size_t t = 0; t < log->n_threads; t++) {
        const struct ot_oplog_thread *thread = &log->threads[t];
        const struct ot_oplog_piece *pieces = &log->pieces[thread->first_piece];
        const struct ot_oplog_piece *last = &pieces[thread->n_pieces - 1];
        add(&n_told, last->events_before);
        add(&n_told, last->n_events);
        for (size_t i = 0; i < thread->n_pieces; i++)
            n_told -= pieces[i].n_events < n_told ? pieces[i].n_events : n_told;
    }
    uint64_t n_all = log->file.header.overwritten_events;
    return n_all > n_told ? n_all - n_told : 0;
}

static void add_losses_of(struct losses *losses, const struct ot_oplog_log *log)
{
    add(&losses->n_known, log->file.header.lost_events);
    add(&losses->n_known, log->n_lost_ends);
    /* A thread without an event may also be one that found no room for its first, which counts as
     * lost already, or has yet to write it. */
    if (log->n_missing_threads)
        add(&losses->n_known, overwritten_of_missing_threads(log));
}

static void add_losses_of_folder(struct losses *losses, const char *path)
{
    struct ot_oplog_marker marker = ot_oplog_read_marker(path);
    add(&losses->n_known, marker.n_overwritten);
    add(&losses->n_unknown, marker.is_cut);
}

/* Names and shapes: their events are there. */
static void count_what_was_not_kept(struct ot_oplog_common *common, const struct ot_oplog_log *log)
{
    const struct ot_oplog_header *header = &log->file.header;
    add(&common->counts.lost_names, header->lost_names);
    ot_warnings_add(&common->warnings, OT_WARN_LOST_SHAPES, header->lost_shapes,
                    ot_oplog_name_of(log));
}

/* Of several hosts' losses nobody asks whose; the first one's name is better than none. */
static void list_loss(struct ot_reader *reader, uint64_t n, bool is_known)
{
    struct ot_event loss = {
        .kind = OT_EVENT_DISCARDED, .n_discarded = n, .n_discarded_known = is_known};
    if (reader->n_logs)
        loss.host = ot_text_of(reader->logs[0].host);
    if (n)
        reader->losses[reader->n_losses++] = loss;
}

/* --- opening ------------------------------------------------------------------------------------
 */

/* What the folder of a log says of its clock; of a log alone, the folder that it is in. */
static int add_clock_file(struct ot_reader *reader, const char *path, bool is_log,
                          struct ot_err *err)
{
    char clock[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int len = is_log ? (int)(slash ? slash - path + 1 : 0) : (int)strlen(path);
    int n =
        snprintf(clock, sizeof(clock), "%.*s%s" OT_OPLOG_CLOCK_FILE, len, path, is_log ? "" : "/");
    if (n < 0 || (size_t)n >= sizeof(clock))
        return OT_OK;
    struct ot_err what;
    int code = ot_oplog_clocks_add_file(&reader->common.clocks, clock, &what);
    if (code == OT_ERR_DAMAGED && reader->common.recover) {
        reader->common.counts.damaged_events++;
        ot_warnings_add(&reader->common.warnings, OT_WARN_DAMAGED_EVENT, 1, OT_OPLOG_CLOCK_FILE);
        return OT_OK;
    }
    if (code < 0)
        return ot_err_set(err, code, "%s", what.msg);
    return OT_OK;
}

static int open_log(struct ot_reader *reader, const char *path, struct losses *losses,
                    struct ot_err *err)
{
    struct ot_oplog_log *log = &reader->logs[reader->n_logs];
    int code = ot_oplog_log_open(log, path, &reader->common, err);
    if (code == OT_OK) {
        add_losses_of(losses, log);
        count_what_was_not_kept(&reader->common, log);
    }
    if (code == OT_END)
        ot_oplog_log_release(log);
    else
        reader->n_logs++;
    return code == OT_END ? OT_OK : code;
}

static int open_logs(struct ot_reader *reader, const struct ot_oplog_paths *paths,
                     struct losses *losses, struct ot_err *err)
{
    reader->logs = calloc(paths->n_paths + 1, sizeof(*reader->logs));
    if (!reader->logs)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for operator logs");
    int code = OT_OK;
    for (size_t i = 0; i < paths->n_paths && code == OT_OK; i++)
        code = open_log(reader, paths->paths[i], losses, err);
    return code;
}

static int merge_logs(struct ot_reader *reader, struct ot_err *err)
{
    int code = ot_oplog_clocks_settle(&reader->common.clocks, err);
    if (code < 0)
        ot_err_context(err, "%s", reader->path);
    for (size_t i = 0; i < reader->n_logs && code == OT_OK; i++)
        code = ot_oplog_merge_add(reader->merge, &reader->logs[i], err);
    return code;
}

static int open_inputs(struct ot_reader *reader, const char *const *inputs, size_t n_inputs,
                       struct ot_oplog_paths *paths, struct ot_err *err)
{
    struct losses losses = {0};
    struct ot_oplog_common *common = &reader->common;
    int code = ot_oplog_dict_unknown(&common->texts, OT_BACKEND_PYTORCH, &common->unknown, err);
    if (code == OT_OK)
        code = ot_oplog_dict_unknown(&common->texts, OT_BACKEND_ANNOTATION,
                                     &common->unknown_annotation, err);
    for (size_t i = 0; i < n_inputs && code == OT_OK; i++) {
        code = ot_oplog_find(paths, inputs[i], err);
        if (code == OT_OK)
            code = add_clock_file(reader, inputs[i], ot_oplog_is_log(inputs[i]), err);
        add_losses_of_folder(&losses, inputs[i]);
    }
    if (code == OT_OK)
        code = open_logs(reader, paths, &losses, err);
    if (code == OT_OK)
        code = merge_logs(reader, err);
    if (code == OT_OK) {
        list_loss(reader, losses.n_known, true);
        list_loss(reader, losses.n_unknown, false);
    }
    return code;
}

static void close_reader(struct ot_reader *reader)
{
    if (!reader)
        return;
    ot_oplog_merge_free(reader->merge);
    for (size_t i = 0; i < reader->n_logs; i++)
        ot_oplog_log_release(&reader->logs[i]);
    free(reader->logs);
    ot_oplog_clocks_release(&reader->common.clocks);
    ot_names_release(&reader->common.texts);
    ot_str_release(&reader->payload);
    free(reader->path);
    ot_str_release(&reader->torch);
    free(reader);
}

/* Between commas. */
static bool lists(const char *versions, const char *version)
{
    size_t len = strlen(version);
    for (const char *at = versions; (at = strstr(at, version)) != NULL; at += len) {
        bool begins = at == versions || at[-1] == ' ';
        if (begins && (at[len] == '\0' || at[len] == ','))
            return true;
    }
    return false;
}

/* Processes of one recording may have several. */
static int note_versions(struct ot_reader *reader, struct ot_err *err)
{
    struct ot_str *torch = &reader->torch;
    for (size_t i = 0; i < reader->n_logs; i++) {
        char version[sizeof(reader->logs[i].file.header.torch_version) + 1];
        snprintf(version, sizeof(version), "%.*s", (int)sizeof(version) - 1,
                 reader->logs[i].file.header.torch_version);
        if (version[0] != '\0' && !lists(ot_str_borrow(torch), version))
            ot_str_addf(torch, "%s%s", torch->len ? ", " : "", version);
    }
    reader->session.torch = (struct ot_text){ot_str_borrow(torch), torch->len};
    return torch->failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for versions") : OT_OK;
}

static int open_reader(const char *const *paths, size_t n_paths, const struct ot_reader_opts *opts,
                       struct ot_reader **ret_reader, struct ot_err *err)
{
    struct ot_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a reader");
    reader->want_text = opts->want_text;
    reader->common.recover = opts->recover;
    reader->common.read_bytes = opts->read_bytes;
    reader->path = strdup(paths[0]);
    reader->merge = ot_oplog_merge_new(&reader->common, opts->in_order);
    if (!reader->path || !reader->merge) {
        close_reader(reader);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a reader");
    }
    struct ot_oplog_paths found = {0};
    int code = open_inputs(reader, paths, n_paths, &found, err);
    ot_oplog_paths_release(&found);
    if (code == OT_OK)
        code = note_versions(reader, err);
    if (code < 0) {
        close_reader(reader);
        return code;
    }
    reader->session.path = ot_text_of(reader->path);
    *ret_reader = reader;
    return OT_OK;
}

/* --- reading ------------------------------------------------------------------------------------
 */

static int add_text(struct ot_reader *reader, struct ot_event *event,
                    const struct ot_oplog_cursor *cursor, struct ot_err *err)
{
    if (event->kind == OT_EVENT_DISCARDED)
        return OT_OK;
    ot_str_clear(&reader->payload);
    ot_oplog_add_payload(&reader->payload, event, cursor);
    if (reader->payload.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for an event's text");
    event->event_name = ot_oplog_event_name(event);
    event->payload = (struct ot_text){ot_str_borrow(&reader->payload), reader->payload.len};
    return OT_OK;
}

static int next(struct ot_reader *reader, struct ot_event *ret_event, struct ot_err *err)
{
    if (reader->next_loss < reader->n_losses) {
        *ret_event = reader->losses[reader->next_loss++];
        return OT_OK;
    }
    const struct ot_oplog_cursor *cursor = NULL;
    int code = ot_oplog_merge_next(reader->merge, ret_event, &cursor, err);
    if (code == OT_OK && reader->want_text)
        code = add_text(reader, ret_event, cursor, err);
    return code;
}

static void report(const struct ot_reader *reader, struct ot_reader_report *ret_report)
{
    *ret_report = (struct ot_reader_report){.sessions = &reader->session,
                                            .n_sessions = 1,
                                            .counts = reader->common.counts,
                                            .warnings = reader->common.warnings};
}

const struct ot_reader_class ot_oplog_reader = {
    .name = "recording of optally",
    .format = "oplog",
    .recognise = ot_oplog_recognise,
    .open = open_reader,
    .next = next,
    .report = report,
    .close = close_reader,
};
