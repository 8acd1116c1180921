#include "cli/run_timeline.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/notes/notes.h"
#include "ingest/detect.h"
#include "ingest/reader.h"
#include "stats/completeness.h"
#include "timeline/makers.h"

struct run {
    const char *const *inputs;
    size_t n_inputs;
    const struct ot_reader_class *class;
    struct ot_reader_opts reader_opts;
    struct ot_timeline_opts opts;
    struct ot_progress *progress;
    struct ot_outfile *file;
    struct ot_timeline_run result;
    struct ot_names names;
};

/* What a reader's failure is about its sentence says; else it is one of several inputs or the only
 * one. */
static int open_reader(const struct run *run, struct ot_reader **ret_reader, struct ot_err *err)
{
    atomic_store_explicit(&run->progress->read_bytes, 0, memory_order_relaxed);
    return run->class->open(run->inputs, run->n_inputs, &run->reader_opts, ret_reader, err);
}

/* --- which forward operators have a backward side -----------------------------------------------
 */

static int see_all(const struct run *run, struct ot_timeline_makers *makers, struct ot_err *err)
{
    struct ot_reader *reader = NULL;
    struct ot_event event;
    int code = open_reader(run, &reader, err);
    if (code < 0)
        return code;
    while ((code = run->class->next(reader, &event, err)) == OT_OK) {
        code = ot_timeline_makers_see(makers, &event, err);
        if (code < 0)
            break;
    }
    run->class->close(reader);
    ot_timeline_makers_rewind(makers);
    return code == OT_END ? OT_OK : code;
}

static int find_makers(struct run *run, struct ot_err *err)
{
    run->opts.makers = ot_timeline_makers_new(&run->names);
    if (!run->opts.makers)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sequence numbers");
    return see_all(run, run->opts.makers, err);
}

/* --- drawing ------------------------------------------------------------------------------------
 */

static bool is_numbered(const struct ot_event *event)
{
    return event->kind == OT_EVENT_ENTRY && event->args && event->args->has_sequence;
}

/* OT_END: not in this way. */
static int feed_all(struct run *run, struct ot_reader *reader, struct ot_timeline *timeline,
                    bool *ret_needs_makers, struct ot_err *err)
{
    struct ot_event event;
    int code = OT_OK;
    while ((code = run->class->next(reader, &event, err)) == OT_OK) {
        if (run->opts.is_straight && !run->opts.makers && is_numbered(&event)) {
            *ret_needs_makers = true;
            return OT_END;
        }
        code = ot_timeline_feed(timeline, &event, err);
        if (code != OT_OK)
            return code;
    }
    return code == OT_END ? OT_OK : code;
}

/* What was lost, and what was left out, is said in the picture, too. */
static int say_losses(const struct run *run, struct ot_timeline *timeline, struct ot_err *err)
{
    struct ot_str line = {0};
    uint64_t n_left_out = run->result.totals.n_left_out;
    int code = OT_OK;
    ot_notes_add_reasons(&line, &run->result.counts);
    if (n_left_out)
        ot_str_addf(&line, "%s%" PRIu64 " slices were left out: more than %d at once in one place",
                    line.len ? "; " : "", n_left_out, OT_TIMELINE_ROWS_MAX);
    if (line.failed)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a line");
    else if (line.len)
        code = ot_timeline_say(timeline, (struct ot_text){line.bytes, line.len}, err);
    ot_str_release(&line);
    return code;
}

static int end(struct run *run, const struct ot_reader *reader, struct ot_timeline *timeline,
               struct ot_err *err)
{
    struct ot_reader_report report = {0};
    if (run->class->report)
        run->class->report(reader, &report);
    run->result.counts = report.counts;
    run->result.warnings = report.warnings;
    ot_progress_phase(run->progress, "drawing", 0);
    int code =
        ot_timeline_end(timeline, report.sessions, report.n_sessions, &run->result.totals, err);
    if (code != OT_OK)
        return code;
    ot_counts_add(&run->result.counts, &run->result.totals.counts);
    return say_losses(run, timeline, err);
}

static int draw(struct run *run, bool *ret_needs_makers, struct ot_err *err)
{
    struct ot_reader *reader = NULL;
    int code = open_reader(run, &reader, err);
    if (code < 0)
        return code;
    struct ot_timeline *timeline = ot_timeline_new(&run->opts);
    code = timeline ? feed_all(run, reader, timeline, ret_needs_makers, err)
                    : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a timeline");
    if (code == OT_OK)
        code = end(run, reader, timeline, err);
    ot_timeline_free(timeline);
    run->class->close(reader);
    return code;
}

/* Takes back what was written. */
static int begin_anew(const struct run *run, struct ot_err *err)
{
    FILE *out = run->opts.out;
    if (fflush(out) != 0 || fseeko(out, 0, SEEK_SET) != 0 || ftruncate(fileno(out), 0) != 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", run->file->name);
    if (run->opts.makers)
        ot_timeline_makers_rewind(run->opts.makers);
    return OT_OK;
}

/* Each turn rules out one reason to go back, so there are three at most. */
static int draw_recording(struct run *run, struct ot_err *err)
{
    bool can_begin_anew = run->file->target[0] != '\0';
    run->opts.is_straight = can_begin_anew;
    int code = can_begin_anew ? OT_OK : find_makers(run, err);
    while (code == OT_OK) {
        bool needs_makers = false;
        code = draw(run, &needs_makers, err);
        if (code != OT_END)
            return code;
        code = begin_anew(run, err);
        if (code == OT_OK && needs_makers)
            code = find_makers(run, err);
        else
            run->opts.is_straight = false;
    }
    return code;
}

static int draw_slices(struct run *run, struct ot_err *err)
{
    bool needs_makers = false;
    return draw(run, &needs_makers, err);
}

int ot_timeline_run(const char *const *inputs, size_t n_inputs, bool recover,
                    struct ot_progress *progress, struct ot_outfile *file,
                    struct ot_timeline_run *ret_run, struct ot_err *err)
{
    struct run run = {
        .inputs = inputs,
        .n_inputs = n_inputs,
        .reader_opts = {.want_marks = true,
                        .recover = recover,
                        .read_bytes = &progress->read_bytes},
        .opts = {.out = file->out, .temp_folder = ot_outfile_temp_folder(file)},
        .progress = progress,
        .file = file,
    };
    run.opts.names = &run.names;
    int code = ot_detect(inputs, n_inputs, &run.class, err);
    if (code == OT_OK)
        code = strcmp(run.class->format, "kineto") == 0 ? draw_slices(&run, err)
                                                        : draw_recording(&run, err);
    if (code == OT_OK)
        *ret_run = run.result;
    ot_timeline_makers_free(run.opts.makers);
    ot_names_release(&run.names);
    return code;
}
