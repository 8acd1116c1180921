#include <string.h>

#include "corpus/corpus.h"
#include "corpus/objects.h"

static int copy(struct ot_arena *arena, const char *text, const char **ret_copy, struct ot_err *err)
{
    *ret_copy = ot_arena_copy(arena, text, strlen(text));
    return *ret_copy ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for the store");
}

static int choose(const struct ot_corpus *corpus, const char *commit, char ret_id[],
                  struct ot_err *err)
{
    if (!commit || strcmp(commit, "head") == 0)
        return ot_objects_ref(corpus->root, "head", ret_id, err);
    return ot_objects_find_commit(corpus->root, commit, ret_id, err);
}

/* One bad file does not keep the other runs from answering. */
static int read_runs(struct ot_corpus_state *state, const struct ot_commit_text *commit,
                     struct ot_err *err)
{
    int code = OT_OK;
    for (size_t i = 0; i < commit->n_manifests && code == OT_OK; i++) {
        struct ot_err said;
        struct ot_corpus_damage *damage = &state->damaged[state->n_damaged];
        code = ot_objects_run(&state->arena, state->root, commit->manifests[i],
                              &state->runs[state->n_runs], &said);
        if (code == OT_OK) {
            state->n_runs++;
        } else if (code == OT_ERR_NOMEM) {
            *err = said;
        } else {
            damage->manifest = commit->manifests[i];
            code = copy(&state->arena, said.msg, &damage->what, err);
            state->n_damaged++;
        }
    }
    return code;
}

static int read_commit(struct ot_corpus_state *state, struct ot_err *err)
{
    struct ot_commit_text commit = {0};
    int code = ot_objects_commit(&state->arena, state->root, state->commit, &commit, err);
    if (code < 0)
        return code;
    state->parent = commit.parent;
    state->message = commit.message;
    state->time_ns = commit.time_ns;
    state->runs = ot_arena_alloc(&state->arena, (commit.n_manifests + 1) * sizeof(*state->runs));
    state->damaged =
        ot_arena_alloc(&state->arena, (commit.n_manifests + 1) * sizeof(*state->damaged));
    if (!state->runs || !state->damaged)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for runs");
    return read_runs(state, &commit, err);
}

int ot_corpus_read(const struct ot_corpus *corpus, const char *commit,
                   struct ot_corpus_state *ret_state, struct ot_err *err)
{
    char id[OT_CORPUS_ID_BYTES];
    *ret_state = (struct ot_corpus_state){.commit = "", .parent = "", .message = ""};
    int code = choose(corpus, commit, id, err);
    if (code == OT_OK)
        code = copy(&ret_state->arena, corpus->root, &ret_state->root, err);
    if (code == OT_OK)
        code = copy(&ret_state->arena, id, &ret_state->commit, err);
    if (code == OT_OK && id[0] != '\0')
        code = read_commit(ret_state, err);
    return code;
}

void ot_corpus_state_release(struct ot_corpus_state *state)
{
    if (!state)
        return;
    ot_arena_release(&state->arena);
    *state = (struct ot_corpus_state){0};
}
