#include "emit/analysis/text.h"

#include <inttypes.h>

#include "base/units.h"
#include "emit/grid/name.h"
#include "emit/notes/notes.h"

enum { MAX_SESSIONS_LISTED = 16, COMMIT_DIGITS = 12 };

static const struct {
    const char *format;
    const char *one;
    const char *many;
} formats[] = {
    {"kineto", "torch.profiler trace", "torch.profiler traces"},
    {"oplog", "recording of optally", "recordings of optally"},
    {"ctf", "LTTng/CTF trace", "LTTng/CTF traces"},
};

static const char *format_words(const char *format, bool is_one)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i].format, format) == 0)
            return is_one ? formats[i].one : formats[i].many;
    }
    return is_one ? "trace" : "traces";
}

void ot_analysis_add_rank(const struct ot_analysis *analysis, size_t session, struct ot_str *str)
{
    if (session < analysis->n_sessions && analysis->sessions[session].has_rank)
        ot_str_addf(str, "%" PRId64, analysis->sessions[session].rank);
    else
        ot_str_addf(str, "#%zu", session);
}

static void print(struct ot_analysis_text *text, const struct ot_str *str)
{
    text->failed |= str->failed;
    ot_look_write(text->look, (struct ot_text){ot_str_borrow(str), str->len}, text->out);
}

void ot_analysis_write_words(struct ot_analysis_text *text, enum ot_style style, const char *label,
                             const struct ot_str *words)
{
    text->failed |= words->failed;
    ot_look_write_words(text->look, style, label,
                        (struct ot_text){ot_str_borrow(words), words->len}, text->out);
}

static void add_session(struct ot_str *line, const struct ot_session *session)
{
    ot_name_add(line, session->path, -1);
    if (session->has_rank)
        ot_str_addf(line, ", rank %" PRId64, session->rank);
    if (session->has_rank && session->has_world_size)
        ot_str_addf(line, " of %" PRId64, session->world_size);
    if (session->host.len) {
        ot_str_addf(line, ", host ");
        ot_name_add(line, session->host, 80);
    }
}

static void add_commit(struct ot_str *line, const char *commit)
{
    if (commit)
        ot_str_addf(line, ", commit %.*s", COMMIT_DIGITS, commit);
}

static void write_inputs(struct ot_analysis_text *text)
{
    const struct ot_analysis_report *report = text->report;
    const struct ot_analysis *analysis = report->analysis;
    struct ot_str line = {0};
    if (analysis->n_sessions == 1 && report->n_inputs == 1) {
        ot_str_addf(&line, "%s ", format_words(report->format, true));
        add_session(&line, &analysis->sessions[0]);
        add_commit(&line, report->commit);
        ot_str_addf(&line, "\n");
    } else {
        bool are_sessions = analysis->n_sessions > 1;
        size_t n = are_sessions ? analysis->n_sessions : report->n_inputs;
        ot_str_addf(&line, "%zu %s, the parts of one job", n, format_words(report->format, false));
        add_commit(&line, report->commit);
        ot_str_addf(&line, "\n");
        for (size_t i = 0; i < n && i < MAX_SESSIONS_LISTED; i++) {
            ot_str_addf(&line, "  #%zu ", i);
            if (are_sessions)
                add_session(&line, &analysis->sessions[i]);
            else
                ot_name_add(&line, ot_text_of(report->inputs[i]), -1);
            ot_str_addf(&line, "\n");
        }
        if (n > MAX_SESSIONS_LISTED)
            ot_str_addf(&line, "  and %zu more\n", n - MAX_SESSIONS_LISTED);
    }
    print(text, &line);
    ot_str_release(&line);
}

static void add_count(struct ot_str *str, uint64_t n, const char *one, const char *many)
{
    ot_str_addf(str, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void write_size(struct ot_analysis_text *text)
{
    const struct ot_analysis *analysis = text->report->analysis;
    struct ot_str line = {0};
    add_count(&line, analysis->n_operators, "operator in ", "operators in ");
    add_count(&line, analysis->n_events, "call", "calls");
    ot_str_addf(&line, " on ");
    add_count(&line, analysis->n_tracks, "track", "tracks");
    if (analysis->has_times) {
        char span[OT_UNITS_BYTES];
        ot_units_ns(span, (uint64_t)analysis->end_ns - (uint64_t)analysis->start_ns);
        ot_str_addf(&line, ", over %s", span);
    }
    ot_str_addf(&line, "\n");
    print(text, &line);
    ot_str_release(&line);
}

static void write_completeness(struct ot_analysis_text *text)
{
    struct ot_str words = {0};
    ot_notes_add_reasons(&words, &text->report->analysis->counts);
    if (words.len)
        ot_analysis_write_words(text, OT_STYLE_WARNING, "Lower bounds: ", &words);
    ot_str_release(&words);
}

int ot_analysis_write_text(const struct ot_analysis_report *report, const struct ot_look *look,
                           FILE *out, struct ot_err *err)
{
    struct ot_analysis_text text = {.report = report, .look = look, .out = out};
    write_inputs(&text);
    write_size(&text);
    write_completeness(&text);
    putc('\n', out);
    ot_analysis_write_facts(&text);
    ot_analysis_write_tables(&text);
    return text.failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for the analysis") : OT_OK;
}
