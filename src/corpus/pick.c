#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "corpus/corpus.h"

enum { MAX_LISTED = 8 };

static int refuse_runs(const struct ot_corpus_state *state, const char *text, size_t n,
                       struct ot_err *err)
{
    struct ot_str list = {0};
    for (size_t i = 0, seen = 0; i < state->n_runs && seen < MAX_LISTED; i++) {
        const struct ot_corpus_run *run = &state->runs[i];
        if (strncmp(run->id, text, strlen(text)) != 0)
            continue;
        ot_str_addf(&list, "%s%.*s (%s)", seen++ ? ", " : "", OT_CORPUS_SHORT_ID, run->id,
                    run->name);
    }
    int code = ot_err_set(err, OT_ERR_INPUT, "'%s' is the beginning of %zu runs: %s%s", text, n,
                          ot_str_borrow(&list), n > MAX_LISTED ? ", ..." : "");
    ot_str_release(&list);
    return code;
}

static int refuse_text(const struct ot_corpus_state *state, const char *text, struct ot_err *err)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < state->n_damaged && ot_corpus_is_prefix(text); i++) {
        if (strncmp(state->damaged[i].manifest, text, len) == 0)
            return ot_err_set(err, OT_ERR_INPUT, "%s", state->damaged[i].what);
    }
    struct ot_str line = {0};
    ot_str_addf(&line, "no run '%s' is in the store %s", text, state->root);
    if (state->commit[0] != '\0')
        ot_str_addf(&line, " at commit %.*s", OT_CORPUS_SHORT_ID, state->commit);
    if (state->n_damaged)
        ot_str_addf(&line, ", unless it is what cannot be read%s: %s",
                    state->n_damaged > 1 ? ", as this" : "", state->damaged[0].what);
    else if (len && len < OT_CORPUS_MIN_PREFIX && strspn(text, "0123456789abcdef") == len)
        ot_str_addf(&line, " (of an id give %d digits or more)", OT_CORPUS_MIN_PREFIX);
    else
        ot_str_addf(&line, " (optally runs lists them)");
    int code = ot_err_set(err, OT_ERR_INPUT, "%s", ot_str_borrow(&line));
    ot_str_release(&line);
    return code;
}

int ot_corpus_find_run(const struct ot_corpus_state *state, const char *text,
                       const struct ot_corpus_run **ret_run, struct ot_err *err)
{
    const struct ot_corpus_run *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < state->n_runs; i++) {
        if (strcmp(state->runs[i].name, text) == 0) {
            *ret_run = &state->runs[i];
            return OT_OK;
        }
    }
    for (size_t i = 0; i < state->n_runs && ot_corpus_is_prefix(text); i++) {
        if (strncmp(state->runs[i].id, text, strlen(text)) != 0)
            continue;
        found = &state->runs[i];
        n++;
    }
    if (n > 1)
        return refuse_runs(state, text, n, err);
    if (!found)
        return refuse_text(state, text, err);
    *ret_run = found;
    return OT_OK;
}

/* What one session is called behind its run's name. */
static void add_session(struct ot_str *str, const struct ot_corpus_session *session, size_t i)
{
    if (session->has_rank)
        ot_str_addf(str, ":rank%lld", (long long)session->rank);
    else
        ot_str_addf(str, ":#%zu", i);
}

static int refuse_word(const struct ot_corpus_run *run, const char *word, const char *why,
                       struct ot_err *err)
{
    struct ot_str list = {0};
    for (size_t i = 0; run->sessions && i < run->n_sessions && i < MAX_LISTED; i++) {
        ot_str_addf(&list, "%s", i ? ", " : "");
        add_session(&list, &run->sessions[i], i);
    }
    int code =
        ot_err_set(err, OT_ERR_INPUT, "run %s: %s session is ':%s'; it has %s%s", run->name, why,
                   word, ot_str_borrow(&list), run->n_sessions > MAX_LISTED ? ", ..." : "");
    ot_str_release(&list);
    return code;
}

static bool parse_number(const char *text, long long *ret_number)
{
    char *end = NULL;
    if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
        return false;
    *ret_number = strtoll(text, &end, 10);
    return true;
}

static bool means(const struct ot_corpus_run *run, size_t i, const char *word)
{
    static const char rank[] = "rank";
    const struct ot_corpus_session *session = &run->sessions[i];
    long long number = 0;
    if (word[0] == '#')
        return parse_number(word + 1, &number) && (size_t)number == i;
    if (strncmp(word, rank, sizeof(rank) - 1) == 0)
        return session->has_rank && parse_number(word + sizeof(rank) - 1, &number) &&
               session->rank == number;
    return ot_corpus_is_prefix(word) && strncmp(session->id, word, strlen(word)) == 0;
}

static int pick_session(const struct ot_corpus_run *run, const char *word,
                        struct ot_corpus_pick *ret_pick, struct ot_err *err)
{
    const struct ot_corpus_session *found = NULL;
    *ret_pick = (struct ot_corpus_pick){.run = run};
    for (size_t i = 0; i < run->n_sessions; i++) {
        if (!means(run, i, word))
            continue;
        if (found)
            return refuse_word(run, word, "more than one", err);
        found = &run->sessions[i];
    }
    if (!found)
        return refuse_word(run, word, "no", err);
    *ret_pick = (struct ot_corpus_pick){.run = run, .sessions = found, .n_sessions = 1};
    return OT_OK;
}

int ot_corpus_pick(const struct ot_corpus_state *state, const char *text,
                   struct ot_corpus_pick *ret_pick, struct ot_err *err)
{
    const struct ot_corpus_run *run = NULL;
    const char *colon = strrchr(text, ':');
    *ret_pick = (struct ot_corpus_pick){0};
    /* A name may have a colon in it. */
    if (ot_corpus_find_run(state, text, &run, err) == OT_OK && run) {
        *ret_pick = (struct ot_corpus_pick){
            .run = run, .sessions = run->sessions, .n_sessions = run->n_sessions};
        return OT_OK;
    }
    if (!colon)
        return OT_ERR_INPUT;
    char *name = strndup(text, (size_t)(colon - text));
    if (!name)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a name");
    int code = ot_corpus_find_run(state, name, &run, err);
    free(name);
    return code == OT_OK && run ? pick_session(run, colon + 1, ret_pick, err) : code;
}

int ot_corpus_refuse_several(const struct ot_corpus_pick *pick, struct ot_err *err)
{
    struct ot_str list = {0};
    if (pick->n_sessions <= 1)
        return OT_OK;
    for (size_t i = 0; i < pick->n_sessions && i < MAX_LISTED; i++) {
        ot_str_addf(&list, "%s%s", i ? ", " : "", pick->run->name);
        add_session(&list, &pick->sessions[i], i);
    }
    int code = ot_err_set(err, OT_ERR_INPUT,
                          "run %s has %zu sessions: choose one (%s%s), or take them together with "
                          "--all-sessions",
                          pick->run->name, pick->n_sessions, ot_str_borrow(&list),
                          pick->n_sessions > MAX_LISTED ? ", ..." : "");
    ot_str_release(&list);
    return code;
}
