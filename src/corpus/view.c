#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "corpus/corpus.h"

/* A session is in the view once, however many runs it is in. */
struct building {
    struct ot_arena *arena;
    struct ot_sql_view_session *sessions;
    size_t n_sessions;
    struct ot_map map;
};

static bool same_session(const void *owner, size_t i, const void *key)
{
    return strcmp(((const struct building *)owner)->sessions[i].session, key) == 0;
}

/* Out of memory: false. */
static bool place_session(struct building *building, const struct ot_corpus_session *session,
                          size_t *ret_number)
{
    uint64_t hash = ot_hash_bytes(session->id, strlen(session->id));
    int64_t found = ot_map_find(&building->map, hash, same_session, building, session->id);
    if (found != OT_MAP_NONE) {
        *ret_number = (size_t)found;
        return true;
    }
    char name[sizeof("sha256:") + OT_STORE_SHA256_HEX];
    stpcpy(stpcpy(name, "sha256:"), session->artifact);
    const char *artifact = ot_arena_copy(building->arena, name, strlen(name));
    if (!artifact || !ot_map_put(&building->map, hash, building->n_sessions))
        return false;
    *ret_number = building->n_sessions;
    building->sessions[building->n_sessions++] =
        (struct ot_sql_view_session){.session = session->id,
                                     .artifact = artifact,
                                     .artifact_bytes = (int64_t)session->artifact_bytes,
                                     .path = session->path,
                                     .folder = session->folder};
    return true;
}

static bool place_run(struct building *building, const struct ot_corpus_run *run,
                      struct ot_sql_view_run *ret_run)
{
    const char **labels =
        ot_arena_alloc(building->arena, (2 * run->n_labels + 1) * sizeof(*labels));
    size_t *sessions = ot_arena_alloc(building->arena, (run->n_sessions + 1) * sizeof(*sessions));
    bool fits = labels && sessions;
    for (size_t i = 0; fits && i < run->n_labels; i++) {
        labels[2 * i] = run->labels[i].key;
        labels[2 * i + 1] = run->labels[i].value;
    }
    for (size_t i = 0; fits && i < run->n_sessions; i++)
        fits = place_session(building, &run->sessions[i], &sessions[i]);
    *ret_run = (struct ot_sql_view_run){
        .run = run->id,
        .name = run->name,
        .imported_ns = run->imported_ns,
        .labels = labels,
        .n_labels = run->n_labels,
        .sessions = sessions,
        .n_sessions = run->n_sessions,
    };
    return fits;
}

static int check_tables(const struct ot_corpus_state *state, struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < state->n_runs; i++) {
        for (size_t k = 0; k < state->runs[i].n_sessions && code == OT_OK; k++)
            code = ot_corpus_check_tables(&state->runs[i].sessions[k], err);
    }
    return code;
}

int ot_corpus_view(struct ot_corpus_state *state, struct ot_sql_view *ret_view, struct ot_err *err)
{
    struct building building = {.arena = &state->arena};
    size_t n_all = 0;
    int code = check_tables(state, err);
    if (code < 0)
        return code;
    for (size_t i = 0; i < state->n_runs; i++)
        n_all += state->runs[i].n_sessions;
    struct ot_sql_view_run *runs =
        ot_arena_alloc(&state->arena, (state->n_runs + 1) * sizeof(*runs));
    building.sessions = ot_arena_alloc(&state->arena, (n_all + 1) * sizeof(*building.sessions));
    bool fits = runs && building.sessions;
    for (size_t i = 0; fits && i < state->n_runs; i++)
        fits = place_run(&building, &state->runs[i], &runs[i]);
    ot_map_release(&building.map);
    if (!fits)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for runs");
    *ret_view = (struct ot_sql_view){
        .runs = runs,
        .n_runs = state->n_runs,
        .sessions = building.sessions,
        .n_sessions = building.n_sessions,
        .commit = state->commit,
    };
    return OT_OK;
}
