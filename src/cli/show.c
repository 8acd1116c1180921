#include "cli/show.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "cli/run_json.h"
#include "cli/store_args.h"
#include "emit/grid/grid.h"

/* Lines of a label and what it is of. */
static const struct ot_grid_column pair_columns[] = {
    {.title = "", .is_left = true},
    {.title = "", .is_left = true},
};

static struct ot_grid pairs(const char *indent)
{
    return (struct ot_grid){
        .columns = pair_columns, .n_columns = 2, .indent = indent, .has_no_titles = true};
}

static void pair(struct ot_grid *grid, const char *label, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void pair(struct ot_grid *grid, const char *label, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    ot_grid_add_styled(grid, ot_text_of(label), OT_STYLE_HEAD);
    ot_grid_add(grid, len < 0 ? ot_text_of("") : (struct ot_text){text, (size_t)len});
    grid->failed |= len < 0;
    if (len >= 0)
        free(text);
}

static int write_pairs(struct ot_grid *grid, const struct ot_look *look, FILE *out,
                       struct ot_err *err)
{
    int code = grid->failed ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for a table") : OT_OK;
    if (code == OT_OK)
        ot_grid_write(grid, look, out);
    ot_grid_release(grid);
    return code;
}

static const char *times(char text[OT_UNITS_BYTES], int64_t ns)
{
    ot_units_ns(text, ns < 0 ? 0 : (uint64_t)ns);
    return text;
}

static const char *count(char text[OT_UNITS_BYTES], uint64_t n)
{
    ot_units_count(text, n);
    return text;
}

static const char *size(char text[OT_UNITS_BYTES], uint64_t n)
{
    ot_units_bytes(text, n);
    return text;
}

static void add_figures(struct ot_grid *grid, const struct ot_figures *figures)
{
    char number[OT_UNITS_BYTES];
    const char *least = figures->is_exact ? "" : ">= ";
    pair(grid, "completeness", "%s", figures->is_exact ? "exact" : "lower bounds");
    pair(grid, "operators", "%s", count(number, figures->n_operators));
    pair(grid, "events", "%s", count(number, figures->n_events));
    pair(grid, "host busy", "%s%s", least, times(number, figures->host_busy_ns));
    if (figures->has_device)
        pair(grid, "device busy", "%s%s", least, times(number, figures->device_busy_ns));
}

static void add_tables(struct ot_grid *grid, const struct ot_corpus_session *session)
{
    char rows[OT_UNITS_BYTES];
    char bytes[OT_UNITS_BYTES];
    pair(grid, "tables", "%s", session->folder);
    for (size_t i = 0; i < session->n_files; i++) {
        const struct ot_corpus_file *file = &session->files[i];
        pair(grid, "", "%s: %s %s, %s", file->name, count(rows, file->n_rows),
             file->n_rows == 1 ? "row" : "rows", size(bytes, file->n_bytes));
    }
}

static int show_session(const struct ot_corpus_session *session, size_t number,
                        const struct ot_look *look, FILE *out, struct ot_err *err)
{
    struct ot_grid grid = pairs("  ");
    char number_text[OT_UNITS_BYTES];
    char read[OT_UNITS_BYTES];
    fprintf(out, "\nSession #%zu", number);
    if (session->has_rank)
        fprintf(out, ", rank %lld", (long long)session->rank);
    if (session->has_rank && session->has_world_size)
        fprintf(out, " of %lld", (long long)session->world_size);
    fprintf(out, "\n");
    pair(&grid, "session", "%s", session->id);
    pair(&grid, "trace", "%s (%s%s)", session->path, session->format,
         session->recovered ? ", read with --recover" : "");
    pair(&grid, "artifact", "sha256:%s", session->artifact);
    if (session->is_linked)
        pair(&grid, "linked", "%s, %s", session->input, size(read, session->artifact_bytes));
    else
        pair(&grid, "kept", "%s, %s of %s", session->input, size(number_text, session->kept_bytes),
             size(read, session->artifact_bytes));
    if (session->torch[0] != '\0')
        pair(&grid, "PyTorch", "%s", session->torch);
    for (const char *at = session->devices; *at != '\0';) {
        size_t len = strcspn(at, "\n");
        pair(&grid, at == session->devices ? "devices" : "", "%.*s", (int)len, at);
        at += len + (at[len] == '\n');
    }
    add_figures(&grid, &session->figures);
    add_tables(&grid, session);
    return write_pairs(&grid, look, out, err);
}

static void add_labels(struct ot_grid *grid, const struct ot_corpus_run *run)
{
    for (size_t i = 0; i < run->n_labels; i++)
        pair(grid, i ? "" : "labels", "%s=%s", run->labels[i].key, run->labels[i].value);
}

int ot_show_run(const struct ot_corpus_run *run, const struct ot_look *look, FILE *out,
                struct ot_err *err)
{
    struct ot_grid grid = pairs("");
    char when[OT_MOMENT_BYTES];
    ot_moment(when, run->imported_ns);
    pair(&grid, "name", "%s", run->name);
    pair(&grid, "run", "%s", run->id);
    pair(&grid, "imported", "%s", when);
    add_labels(&grid, run);
    pair(&grid, "sessions", "%zu", run->n_sessions);
    int code = write_pairs(&grid, look, out, err);
    for (size_t i = 0; i < run->n_sessions && code == OT_OK; i++)
        code = show_session(&run->sessions[i], i, look, out, err);
    return code;
}

void ot_show_run_json(const struct ot_corpus_state *state, const struct ot_corpus_run *run,
                      FILE *out)
{
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.run-shown/1"));
    ot_json_put_text(&json, "commit", ot_text_of(state->commit));
    ot_run_json_members(&json, run);
    ot_run_json_sessions(&json, run);
    ot_json_end_object(&json);
    fputc('\n', out);
}

static const struct ot_corpus_run *find(const struct ot_corpus_state *state, const char *id)
{
    for (size_t i = 0; i < state->n_runs; i++) {
        if (strcmp(state->runs[i].id, id) == 0)
            return &state->runs[i];
    }
    return NULL;
}

/* What has become of a run since the parent; NULL: nothing. */
static const char *change_of(const struct ot_corpus_run *run, const struct ot_corpus_state *parent)
{
    const struct ot_corpus_run *before = parent ? find(parent, run->id) : NULL;
    if (!parent || (before && strcmp(before->manifest, run->manifest) == 0))
        return NULL;
    return before ? "changed" : "added";
}

static const struct ot_grid_column change_columns[] = {
    {.title = "Run", .is_left = true},
    {.title = "Here", .is_left = true},
    {.title = "Name", .is_left = true},
};

static void add_change(struct ot_grid *grid, const struct ot_corpus_run *run, const char *change)
{
    ot_grid_add(grid, (struct ot_text){run->id, OT_CORPUS_SHORT_ID});
    ot_grid_add(grid, ot_text_of(change ? change : ""));
    ot_grid_add(grid, ot_text_of(run->name));
}

int ot_show_commit(const struct ot_corpus_state *state, const struct ot_corpus_state *parent,
                   const struct ot_look *look, FILE *out, struct ot_err *err)
{
    struct ot_grid head = pairs("");
    struct ot_grid grid = {.columns = change_columns, .n_columns = 3};
    char when[OT_MOMENT_BYTES];
    ot_moment(when, state->time_ns);
    pair(&head, "commit", "%s", state->commit);
    if (state->parent[0] != '\0')
        pair(&head, "parent", "%s%s", state->parent,
             parent ? "" : " (what has changed since is not known)");
    pair(&head, "time", "%s", when);
    pair(&head, "did", "%s", state->message);
    pair(&head, "runs", "%zu", state->n_runs + state->n_damaged);
    int code = write_pairs(&head, look, out, err);
    for (size_t i = 0; i < state->n_runs; i++)
        add_change(&grid, &state->runs[i], change_of(&state->runs[i], parent));
    for (size_t i = 0; parent && i < parent->n_runs; i++) {
        if (!find(state, parent->runs[i].id))
            add_change(&grid, &parent->runs[i], "taken out");
    }
    for (size_t i = 0; i < state->n_damaged; i++) {
        ot_grid_add(&grid, ot_text_of(""));
        ot_grid_add(&grid, ot_text_of("damaged"));
        ot_grid_add(&grid, ot_text_of(state->damaged[i].what));
    }
    if (grid.n_cells && code == OT_OK)
        fputc('\n', out);
    if (grid.n_cells && code == OT_OK)
        return write_pairs(&grid, look, out, err);
    ot_grid_release(&grid);
    return code;
}

static void put_changed(struct ot_json *json, const struct ot_corpus_run *run, const char *change)
{
    ot_json_begin_object(json);
    ot_json_key(json, ot_text_of("change"));
    if (change)
        ot_json_text(json, ot_text_of(change));
    else
        ot_json_null(json);
    ot_run_json_members(json, run);
    ot_json_end_object(json);
}

void ot_show_commit_json(const struct ot_corpus_state *state, const struct ot_corpus_state *parent,
                         FILE *out)
{
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.commit-shown/1"));
    ot_json_put_text(&json, "commit", ot_text_of(state->commit));
    ot_json_key(&json, ot_text_of("parent"));
    if (state->parent[0] != '\0')
        ot_json_text(&json, ot_text_of(state->parent));
    else
        ot_json_null(&json);
    ot_json_put_bool(&json, "changes_known", parent != NULL);
    ot_json_put_signed(&json, "time_ns", state->time_ns);
    ot_json_put_text(&json, "message", ot_text_of(state->message));
    ot_json_key(&json, ot_text_of("runs"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < state->n_runs; i++)
        put_changed(&json, &state->runs[i], change_of(&state->runs[i], parent));
    ot_json_end_array(&json);
    ot_json_key(&json, ot_text_of("taken_out"));
    ot_json_begin_array(&json);
    for (size_t i = 0; parent && i < parent->n_runs; i++) {
        if (!find(state, parent->runs[i].id))
            put_changed(&json, &parent->runs[i], "taken_out");
    }
    ot_json_end_array(&json);
    ot_run_json_damaged(&json, state);
    ot_json_end_object(&json);
    fputc('\n', out);
}
