#include "cli/import_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/verb.h"
#include "corpus/digest.h"
#include "corpus/manifest.h"

static int out_of_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a run");
}

int ot_import_runs_init(struct ot_import_runs *runs, const struct ot_import *import, size_t n_more,
                        struct ot_err *err)
{
    const struct ot_corpus_state *state = &import->writer->state;
    *runs = (struct ot_import_runs){.n_runs = state->n_runs, .cap = state->n_runs + n_more};
    runs->runs = ot_arena_alloc(import->arena, (runs->cap + 1) * sizeof(*runs->runs));
    runs->imported = ot_arena_alloc(import->arena, (n_more + 1) * sizeof(*runs->imported));
    if (!runs->runs || !runs->imported)
        return out_of_memory(err);
    if (state->n_runs)
        memcpy(runs->runs, state->runs, state->n_runs * sizeof(*runs->runs));
    return OT_OK;
}

/* --- order ------------------------------------------------------------------------------------ */

static int by_rank(const void *a, const void *b)
{
    int64_t of_a = ((const struct ot_corpus_session *)a)->rank;
    int64_t of_b = ((const struct ot_corpus_session *)b)->rank;
    return (of_a > of_b) - (of_a < of_b);
}

static void put_in_order(struct ot_corpus_session *sessions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            if (!sessions[i].has_rank || (k < i && sessions[k].rank == sessions[i].rank))
                return;
        }
    }
    qsort(sessions, n, sizeof(*sessions), by_rank);
}

/* --- names ------------------------------------------------------------------------------------ */

static struct ot_text without_ends(struct ot_text name)
{
    static const char *const ends[] = {".zst", ".gz", ".json", ".pt.trace"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (ot_text_ends_in(name, ends[i]) && name.len > strlen(ends[i]))
            name.len -= strlen(ends[i]);
    }
    return name;
}

static struct ot_text base_of(const struct ot_import_trace *trace, const char *real)
{
    if (strcmp(trace->arg, "-") == 0)
        return ot_text_of("stdin");
    /* "." and ".." are no names. */
    const char *path = trace->session.is_folder && real ? real : trace->arg;
    return without_ends(ot_text_base_name(ot_text_of(path)));
}

static bool is_separator(char c)
{
    return c == '-' || c == '_' || c == '.' || c == ' ';
}

/* What the names of the ranks of a job begin with: "job" of job_rank0 and job_rank1. */
static struct ot_text common_of(struct ot_text name, struct ot_text other)
{
    static const char rank[] = "rank";
    size_t len = 0;
    while (len < name.len && len < other.len && name.bytes[len] == other.bytes[len])
        len++;
    while (len && name.bytes[len - 1] >= '0' && name.bytes[len - 1] <= '9')
        len--;
    while (len && is_separator(name.bytes[len - 1]))
        len--;
    struct ot_text start = {.bytes = name.bytes, .len = len};
    if (start.len >= sizeof(rank) - 1 && ot_text_ends_in(start, rank))
        start.len -= sizeof(rank) - 1;
    while (start.len && is_separator(start.bytes[start.len - 1]))
        start.len--;
    return start;
}

static void add_default_name(struct ot_str *str, const struct ot_import_trace *traces, size_t n)
{
    char *real = realpath(traces[0].arg, NULL);
    struct ot_text first = base_of(&traces[0], real);
    struct ot_text name = first;
    for (size_t i = 1; i < n; i++) {
        char *other = realpath(traces[i].arg, NULL);
        struct ot_text base = base_of(&traces[i], other);
        name = i == 1 || name.len ? common_of(name, base) : name;
        free(other);
    }
    ot_str_add_text(str, name.len ? name : first);
    free(real);
}

static const struct ot_corpus_run *find_name(const struct ot_import_runs *runs, const char *name)
{
    for (size_t i = 0; i < runs->n_runs; i++) {
        if (strcmp(runs->runs[i].name, name) == 0)
            return &runs->runs[i];
    }
    return NULL;
}

static int make_name(const struct ot_import_runs *runs, const struct ot_import *import,
                     const struct ot_import_trace *traces, size_t n_traces, const char **ret_name,
                     struct ot_err *err)
{
    struct ot_str str = {0};
    add_default_name(&str, traces, n_traces);
    const char *base =
        str.failed ? NULL : ot_manifest_text(import->arena, ot_str_borrow(&str), str.len);
    const char *name = base;
    for (unsigned i = 2; name && find_name(runs, name); i++) {
        ot_str_clear(&str);
        ot_str_addf(&str, "%s-%u", base, i);
        name = str.failed ? NULL : ot_arena_copy(import->arena, ot_str_borrow(&str), str.len);
    }
    ot_str_release(&str);
    if (!name)
        return out_of_memory(err);
    *ret_name = name;
    return OT_OK;
}

/* `old`: the run that it is already; may keep its name. */
static int choose_name(const struct ot_import_runs *runs, const struct ot_import *import,
                       const struct ot_import_trace *traces, size_t n_traces,
                       const struct ot_import_naming *naming, const struct ot_corpus_run *old,
                       const char **ret_name, struct ot_err *err)
{
    if (!naming->name && old) {
        *ret_name = old->name;
        return OT_OK;
    }
    if (!naming->name)
        return make_name(runs, import, traces, n_traces, ret_name, err);
    const char *name = ot_manifest_text(import->arena, naming->name, strlen(naming->name));
    if (!name)
        return out_of_memory(err);
    const struct ot_corpus_run *other = find_name(runs, name);
    if (other && other != old)
        return ot_err_set(err, OT_ERR_INPUT,
                          "run %.*s is called %s already: give this one another name with --name",
                          OT_CORPUS_SHORT_ID, other->id, name);
    *ret_name = name;
    return OT_OK;
}

/* --- labels ----------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct ot_corpus_label *)a)->key,
                  ((const struct ot_corpus_label *)b)->key);
}

static size_t set_label(struct ot_corpus_label *labels, size_t n, struct ot_corpus_label label)
{
    size_t i = 0;
    while (i < n && strcmp(labels[i].key, label.key) != 0)
        i++;
    if (label.value[0] != '\0') {
        labels[i] = label;
        return i == n ? n + 1 : n;
    }
    if (i < n)
        labels[i] = labels[--n];
    return n;
}

static int merge_labels(const struct ot_import *import, const struct ot_corpus_run *old,
                        const struct ot_import_naming *naming, struct ot_corpus_run *run,
                        struct ot_err *err)
{
    size_t n = old ? old->n_labels : 0;
    struct ot_corpus_label *labels =
        ot_arena_alloc(import->arena, (n + naming->n_labels + 1) * sizeof(*labels));
    if (!labels)
        return out_of_memory(err);
    if (n)
        memcpy(labels, old->labels, n * sizeof(*labels));
    for (size_t i = 0; i < naming->n_labels; i++) {
        const char *key = naming->labels[i].key;
        const char *value = naming->labels[i].value;
        struct ot_corpus_label label = {ot_manifest_text(import->arena, key, strlen(key)),
                                        ot_manifest_text(import->arena, value, strlen(value))};
        if (!label.key || !label.value)
            return out_of_memory(err);
        n = set_label(labels, n, label);
    }
    qsort(labels, n, sizeof(*labels), by_key);
    run->labels = labels;
    run->n_labels = n;
    return OT_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

static int check_kinds(const struct ot_import_trace *traces, size_t n, struct ot_err *err)
{
    for (size_t i = 1; i < n; i++) {
        const struct ot_corpus_session *session = &traces[i].session;
        if (strcmp(session->format, traces[0].session.format) != 0)
            return ot_err_set(err, OT_ERR_INPUT,
                              "%s (%s) and %s (%s) are of different kinds and cannot be one run: "
                              "import each as a run of its own with --each",
                              traces[0].arg, traces[0].session.format, traces[i].arg,
                              session->format);
    }
    return OT_OK;
}

/* Why the two can hardly be of one job; NULL: nothing speaks against it. */
static const char *what_differs(const struct ot_corpus_session *a,
                                const struct ot_corpus_session *b)
{
    if (a->has_world_size && b->has_world_size && a->world_size != b->world_size)
        return "they tell other numbers of ranks";
    if (a->has_rank && b->has_rank && a->rank == b->rank)
        return "they tell the same rank";
    if (a->devices[0] != '\0' && b->devices[0] != '\0' && strcmp(a->devices, b->devices) != 0)
        return "they tell other devices";
    return NULL;
}

void ot_import_warn_of_strangers(const char *verb, const struct ot_import_trace *traces,
                                 size_t n_traces)
{
    for (size_t i = 1; i < n_traces; i++) {
        for (size_t k = 0; k < i; k++) {
            const char *why = what_differs(&traces[k].session, &traces[i].session);
            if (!why)
                continue;
            ot_complain(verb,
                        "warning: %s and %s do not look like parts of one job: %s; --each imports "
                        "each trace as a run of its own",
                        traces[k].arg, traces[i].arg, why);
            return;
        }
    }
}

static int gather_sessions(const struct ot_import *import, const struct ot_import_trace *traces,
                           size_t n, struct ot_corpus_run *run, struct ot_err *err)
{
    struct ot_corpus_session *sessions = ot_arena_alloc(import->arena, n * sizeof(*sessions));
    char id[OT_CORPUS_ID_BYTES];
    if (!sessions)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++)
        sessions[i] = traces[i].session;
    put_in_order(sessions, n);
    run->sessions = sessions;
    run->n_sessions = n;
    int code = ot_corpus_run_id(sessions, n, id, err);
    if (code < 0)
        return code;
    run->id = ot_arena_copy(import->arena, id, strlen(id));
    return run->id ? OT_OK : out_of_memory(err);
}

static struct ot_corpus_run *find_run(const struct ot_import_runs *runs, const char *id)
{
    for (size_t i = 0; i < runs->n_runs; i++) {
        if (id && strcmp(runs->runs[i].id, id) == 0)
            return &runs->runs[i];
    }
    return NULL;
}

/* Whether its manifest would be the one that is there. */
static int compare(const struct ot_corpus_run *run, const struct ot_corpus_run *old,
                   bool *ret_is_same, struct ot_err *err)
{
    struct ot_str text = {0};
    char id[OT_CORPUS_ID_BYTES];
    int code = ot_manifest_write_run(&text, run, err);
    if (code == OT_OK) {
        ot_digest(ot_str_borrow(&text), text.len, id);
        *ret_is_same = old->manifest && strcmp(id, old->manifest) == 0;
    }
    ot_str_release(&text);
    return code;
}

int ot_import_runs_add(struct ot_import_runs *runs, const struct ot_import *import,
                       struct ot_import_trace *traces, size_t n_traces,
                       const struct ot_import_naming *naming, struct ot_err *err)
{
    struct ot_imported imported = {.change = OT_IMPORT_NEW};
    struct ot_corpus_run *run = &imported.run;
    bool is_same = false;
    int code = check_kinds(traces, n_traces, err);
    if (code == OT_OK)
        code = gather_sessions(import, traces, n_traces, run, err);
    if (code < 0)
        return code;
    struct ot_corpus_run *old = find_run(runs, run->id);
    run->imported_ns = old ? old->imported_ns : import->now_ns;
    code = choose_name(runs, import, traces, n_traces, naming, old, &run->name, err);
    if (code == OT_OK)
        code = merge_labels(import, old, naming, run, err);
    if (code == OT_OK && old)
        code = compare(run, old, &is_same, err);
    if (code < 0)
        return code;
    if (is_same)
        run->manifest = old->manifest;
    if (old) {
        imported.change = is_same ? OT_IMPORT_SAME : OT_IMPORT_CHANGED;
        imported.old_name = old->name;
    }
    *(old ? old : &runs->runs[runs->n_runs++]) = *run;
    runs->imported[runs->n_imported++] = imported;
    return OT_OK;
}

bool ot_import_runs_changed(const struct ot_import_runs *runs)
{
    for (size_t i = 0; i < runs->n_imported; i++) {
        if (runs->imported[i].change != OT_IMPORT_SAME)
            return true;
    }
    return false;
}

static bool is_renamed(const struct ot_imported *imported)
{
    return imported->old_name && strcmp(imported->old_name, imported->run.name) != 0;
}

static const char *deed_of(const struct ot_imported *imported)
{
    if (imported->change == OT_IMPORT_NEW)
        return "import ";
    return is_renamed(imported) ? "rename " : "change ";
}

void ot_import_runs_message(struct ot_str *message, const struct ot_import_runs *runs)
{
    enum { MAX_NAMED = 3 };
    const char *last = "";
    size_t n = 0;
    for (size_t i = 0; i < runs->n_imported; i++) {
        const struct ot_imported *imported = &runs->imported[i];
        if (imported->change == OT_IMPORT_SAME || n++ >= MAX_NAMED)
            continue;
        const char *deed = deed_of(imported);
        ot_str_addf(message, "%s%s", n > 1 ? ", " : "", strcmp(deed, last) == 0 ? "" : deed);
        if (is_renamed(imported))
            ot_str_addf(message, "%s to ", imported->old_name);
        ot_str_addf(message, "%s", imported->run.name);
        last = deed;
    }
    if (n > MAX_NAMED)
        ot_str_addf(message, " and %zu more", n - MAX_NAMED);
}
