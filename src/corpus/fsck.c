#include "corpus/fsck.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "corpus/disk.h"
#include "corpus/hash_file.h"
#include "corpus/history.h"
#include "corpus/ids.h"
#include "corpus/objects.h"

/* What was looked at already, each once. */
struct ot_fsck_parts {
    const struct ot_fsck_opts *opts;
    const char *root;
    struct ot_tables_checker *checker; /* NULL: rows are not counted */
    struct ot_history history;
    struct ot_ids commits;
    struct ot_ids manifests; /* item i is run i of the result */
    struct ot_ids sessions;  /* by "session" id, and whether it is whole */
    bool *session_is_whole;
    size_t session_cap;
    struct ot_ids artifacts;
    bool *artifact_is_whole;
    size_t artifact_cap;
    size_t finding_cap;
    size_t run_cap;
    size_t commit_cap;
    int64_t newest_ns;
    size_t n_unread; /* manifests */
    bool out_of_memory;
};

static const char *copy(struct ot_fsck *fsck, const char *text)
{
    const char *made = ot_arena_copy(&fsck->arena, text, strlen(text));
    fsck->parts->out_of_memory |= !made;
    return made ? made : "";
}

static void find(struct ot_fsck *fsck, enum ot_fsck_kind kind, const char *path, const char *what)
{
    struct ot_fsck_parts *parts = fsck->parts;
    if (!ot_vec_reserve(&fsck->findings, &parts->finding_cap, fsck->n_findings + 1,
                        sizeof(*fsck->findings))) {
        parts->out_of_memory = true;
        return;
    }
    /* Messages begin with the path, as they should elsewhere. */
    size_t len = strlen(path);
    if (strncmp(what, path, len) == 0 && (what[len] == ':' || what[len] == ' '))
        what += len + strspn(what + len, ": ");
    const char *hint = strstr(what, OT_MANIFEST_HINT);
    const char *words =
        ot_arena_copy(&fsck->arena, what, hint ? (size_t)(hint - what) : strlen(what));
    parts->out_of_memory |= !words;
    fsck->findings[fsck->n_findings++] =
        (struct ot_fsck_finding){kind, copy(fsck, path), words ? words : ""};
}

static bool check_file(struct ot_fsck *fsck, const struct ot_corpus_session *session,
                       const struct ot_corpus_file *file)
{
    const struct ot_store_api *store = fsck->parts->opts->store;
    struct ot_err err = {""};
    char path[PATH_MAX];
    uint64_t n_rows = 0;
    const struct ot_corpus_session only = {.folder = session->folder, .files = file, .n_files = 1};
    if (ot_disk_path(path, &err, "%s/%s", session->folder, file->name) < 0)
        return false;
    fsck->n_files++;
    fsck->n_bytes += file->n_bytes;
    int code = ot_hash_check_tables(store, &only, &err);
    struct ot_tables_checker *checker = fsck->parts->checker;
    if (code == OT_OK && checker)
        code = store->tables_check(checker, path, &n_rows, &err);
    if (code == OT_OK && checker && n_rows != file->n_rows)
        code = ot_err_set(&err, OT_ERR_DAMAGED, "%s has %llu rows, and had %llu", path,
                          (unsigned long long)n_rows, (unsigned long long)file->n_rows);
    if (code == OT_OK)
        return true;
    find(fsck, OT_FSCK_CONTENT, path, err.msg);
    return false;
}

/* The place of an id's answer, which is made if it is not there. NULL: out of memory. */
static bool *answer_of(struct ot_ids *ids, bool **answers, size_t *cap, const char *id,
                       bool *ret_is_new)
{
    *ret_is_new = ot_ids_add(ids, id);
    if (!ot_vec_reserve(answers, cap, ids->n, sizeof(**answers)))
        return NULL;
    int64_t place = ot_ids_find(ids, id);
    return place == OT_MAP_NONE ? NULL : &(*answers)[place];
}

static bool check_tables(struct ot_fsck *fsck, const struct ot_corpus_session *session)
{
    struct ot_fsck_parts *parts = fsck->parts;
    bool is_new = false;
    bool *answer = answer_of(&parts->sessions, &parts->session_is_whole, &parts->session_cap,
                             session->id, &is_new);
    if (!answer) {
        parts->out_of_memory = true;
        return false;
    }
    if (is_new) {
        *answer = true;
        for (size_t i = 0; i < session->n_files; i++)
            *answer &= check_file(fsck, session, &session->files[i]);
    }
    return *answer;
}

static bool check_artifact(struct ot_fsck *fsck, const struct ot_corpus_session *session)
{
    struct ot_fsck_parts *parts = fsck->parts;
    struct ot_err err = {""};
    bool is_new = false;
    bool *answer = answer_of(&parts->artifacts, &parts->artifact_is_whole, &parts->artifact_cap,
                             session->input, &is_new);
    if (!answer) {
        parts->out_of_memory = true;
        return false;
    }
    if (!is_new)
        return *answer;
    int code = ot_corpus_check_input(session, &err);
    if (code == OT_OK && !session->is_linked && !ot_disk_is_there(session->input))
        code = ot_err_set(&err, OT_ERR_IO, "%s is missing", session->input);
    else if (code == OT_OK && !session->is_linked && parts->opts->check_artifact)
        code = parts->opts->check_artifact(parts->opts->store, session, &err);
    fsck->n_files++;
    fsck->n_bytes += session->kept_bytes;
    if (code < 0)
        find(fsck, OT_FSCK_CONTENT, session->input, err.msg);
    *answer = code == OT_OK;
    return *answer;
}

static bool check_run(struct ot_fsck *fsck, const char *manifest)
{
    struct ot_fsck_parts *parts = fsck->parts;
    struct ot_corpus_run run = {.id = "", .name = ""};
    struct ot_err err = {""};
    char path[PATH_MAX];
    if (!ot_ids_add(&parts->manifests, manifest)) {
        int64_t place = ot_ids_find(&parts->manifests, manifest);
        return place != OT_MAP_NONE && fsck->runs[place].is_whole;
    }
    fsck->n_files++;
    bool is_whole = ot_objects_run(&fsck->arena, parts->root, manifest, &run, &err) == OT_OK;
    if (!is_whole && ot_disk_path(path, NULL, "%s/runs/%s.json", parts->root, manifest) == OT_OK)
        find(fsck, fsck->n_sound ? OT_FSCK_COMMIT : OT_FSCK_MANIFEST, path, err.msg);
    parts->n_unread += !is_whole;
    for (size_t i = 0; i < run.n_sessions; i++) {
        is_whole &= check_tables(fsck, &run.sessions[i]);
        is_whole &= check_artifact(fsck, &run.sessions[i]);
    }
    if (!ot_vec_reserve(&fsck->runs, &parts->run_cap, fsck->n_runs + 1, sizeof(*fsck->runs))) {
        parts->out_of_memory = true;
        return false;
    }
    fsck->runs[fsck->n_runs++] = (struct ot_fsck_run){
        .manifest = manifest, .id = run.id, .name = run.name, .is_whole = is_whole};
    return is_whole;
}

static void add_commit(struct ot_fsck *fsck, const char *id, const struct ot_commit_text *text)
{
    struct ot_fsck_parts *parts = fsck->parts;
    struct ot_fsck_commit commit = {
        .id = id, .is_readable = text != NULL, .is_whole = text != NULL};
    if (!ot_ids_add(&parts->commits, id))
        return;
    fsck->n_files++;
    for (size_t i = 0; text && i < text->n_manifests; i++)
        commit.is_whole &= check_run(fsck, text->manifests[i]);
    if (!ot_vec_reserve(&fsck->commits, &parts->commit_cap, fsck->n_commits + 1,
                        sizeof(*fsck->commits)))
        parts->out_of_memory = true;
    else
        fsck->commits[fsck->n_commits++] = commit;
}

static int take_other(void *context, const char *name, struct ot_err *err)
{
    struct ot_fsck *fsck = context;
    struct ot_commit_text text = {0};
    struct ot_err said = {""};
    char path[PATH_MAX];
    (void)err;
    if (strlen(name) != OT_STORE_SHA256_HEX + strlen(".json"))
        return OT_OK;
    const char *id = ot_arena_copy(&fsck->arena, name, OT_STORE_SHA256_HEX);
    if (!id || ot_ids_has(&fsck->parts->commits, id))
        return OT_OK;
    bool is_whole = ot_objects_commit(&fsck->arena, fsck->parts->root, id, &text, &said) == OT_OK;
    if (!is_whole && ot_disk_path(path, NULL, "%s/commits/%s", fsck->parts->root, name) == OT_OK)
        find(fsck, OT_FSCK_COMMIT, path, said.msg);
    add_commit(fsck, id, is_whole ? &text : NULL);
    if (is_whole && (!fsck->newest || text.time_ns > fsck->parts->newest_ns)) {
        fsck->newest = id;
        fsck->parts->newest_ns = text.time_ns;
    }
    return OT_OK;
}

static int take_lost(void *context, const char *name, struct ot_err *err)
{
    struct ot_fsck *fsck = context;
    (void)err;
    if (strlen(name) != OT_STORE_SHA256_HEX + strlen(".json"))
        return OT_OK;
    const char *manifest = ot_arena_copy(&fsck->arena, name, OT_STORE_SHA256_HEX);
    size_t n_before = fsck->n_runs;
    if (manifest && !ot_ids_has(&fsck->parts->manifests, manifest))
        check_run(fsck, manifest);
    if (fsck->n_runs > n_before)
        fsck->runs[n_before].is_lost = true;
    return OT_OK;
}

/* Which commits a broken chain led to nobody knows, nor which runs these had; all that are there
 * are looked at. */
static int check_others(struct ot_fsck *fsck, struct ot_err *err)
{
    char path[PATH_MAX];
    int code = ot_disk_path(path, err, "%s/commits", fsck->parts->root);
    if (code == OT_OK)
        code = ot_disk_list(path, take_other, fsck, err);
    if (code == OT_OK)
        code = ot_disk_path(path, err, "%s/runs", fsck->parts->root);
    return code == OT_OK ? ot_disk_list(path, take_lost, fsck, err) : code;
}

static bool check_ref(struct ot_fsck *fsck, const char *name, enum ot_fsck_kind kind)
{
    struct ot_err said = {""};
    char id[OT_CORPUS_ID_BYTES];
    char path[PATH_MAX];
    if (ot_objects_ref(fsck->parts->root, name, id, &said) == OT_OK)
        return true;
    if (ot_disk_path(path, NULL, "%s/%s", fsck->parts->root, name) == OT_OK)
        find(fsck, kind, path, said.msg);
    return false;
}

static int check_chain(struct ot_fsck *fsck, const struct ot_corpus *corpus, struct ot_err *err)
{
    struct ot_fsck_parts *parts = fsck->parts;
    struct ot_history_commit commit;
    struct ot_err said = {""};
    char path[PATH_MAX];
    if (!check_ref(fsck, "head", OT_FSCK_HEAD) || !check_ref(fsck, "oldest", OT_FSCK_OLDEST))
        return check_others(fsck, err);
    int code = ot_history_begin(&parts->history, corpus, NULL, err);
    if (code < 0)
        return code;
    while ((code = ot_history_next(&parts->history, &commit, &said)) == OT_OK) {
        fsck->is_cut |= commit.is_cut;
        add_commit(fsck, commit.id, &commit.text);
        fsck->n_sound += parts->n_unread == 0;
    }
    if (code == OT_END)
        return OT_OK;
    if (ot_disk_path(path, NULL, "%s/commits/%s.json", parts->root, parts->history.next) == OT_OK)
        find(fsck, fsck->n_commits ? OT_FSCK_COMMIT : OT_FSCK_HEAD, path, said.msg);
    add_commit(fsck, parts->history.next, NULL);
    return check_others(fsck, err);
}

int ot_fsck(struct ot_fsck *fsck, const struct ot_corpus *corpus, const struct ot_fsck_opts *opts,
            struct ot_err *err)
{
    *fsck = (struct ot_fsck){.parts = calloc(1, sizeof(*fsck->parts))};
    if (!fsck->parts)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a check");
    fsck->parts->opts = opts;
    fsck->parts->root = corpus->root;
    int code = OT_OK;
    if (opts->count_rows)
        code = opts->store->tables_checker_open(corpus->root, &fsck->parts->checker, err);
    if (code == OT_OK)
        code = check_chain(fsck, corpus, err);
    if (code == OT_OK && fsck->parts->out_of_memory)
        code = ot_err_set(err, OT_ERR_NOMEM, "out of memory for a check");
    return code;
}

void ot_fsck_release(struct ot_fsck *fsck)
{
    if (!fsck)
        return;
    if (fsck->parts) {
        if (fsck->parts->checker)
            fsck->parts->opts->store->tables_checker_close(fsck->parts->checker);
        ot_ids_release(&fsck->parts->commits);
        ot_ids_release(&fsck->parts->manifests);
        ot_ids_release(&fsck->parts->sessions);
        ot_ids_release(&fsck->parts->artifacts);
        free(fsck->parts->session_is_whole);
        free(fsck->parts->artifact_is_whole);
        ot_history_release(&fsck->parts->history);
    }
    free(fsck->parts);
    free(fsck->findings);
    free(fsck->runs);
    free(fsck->commits);
    ot_arena_release(&fsck->arena);
    *fsck = (struct ot_fsck){0};
}
