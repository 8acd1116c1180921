#include "corpus/history.h"

#include <stdio.h>
#include <string.h>

#include "corpus/objects.h"

int ot_history_begin(struct ot_history *history, const struct ot_corpus *corpus, const char *commit,
                     struct ot_err *err)
{
    *history = (struct ot_history){.root = corpus->root};
    int code = commit && strcmp(commit, "head") != 0
                   ? ot_objects_find_commit(corpus->root, commit, history->next, err)
                   : ot_objects_ref(corpus->root, "head", history->next, err);
    return code == OT_OK ? ot_objects_ref(corpus->root, "oldest", history->oldest, err) : code;
}

int ot_history_next(struct ot_history *history, struct ot_history_commit *ret_commit,
                    struct ot_err *err)
{
    struct ot_history_commit commit = {0};
    if (history->next[0] == '\0')
        return OT_END;
    commit.id = ot_arena_copy(&history->arena, history->next, strlen(history->next));
    if (!commit.id)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for commits");
    int code = ot_objects_commit(&history->arena, history->root, history->next, &commit.text, err);
    if (code < 0)
        return code;
    bool is_oldest = strcmp(commit.id, history->oldest) == 0;
    commit.is_cut = is_oldest && commit.text.parent[0] != '\0';
    snprintf(history->next, sizeof(history->next), "%s", is_oldest ? "" : commit.text.parent);
    *ret_commit = commit;
    return OT_OK;
}

void ot_history_release(struct ot_history *history)
{
    if (!history)
        return;
    ot_arena_release(&history->arena);
    *history = (struct ot_history){0};
}
