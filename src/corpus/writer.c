#include "corpus/writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "corpus/digest.h"
#include "corpus/disk.h"
#include "corpus/manifest.h"
#include "corpus/objects.h"

static int remove_left(void *context, const char *name, struct ot_err *err)
{
    char path[PATH_MAX];
    int code = ot_disk_path(path, err, "%s/%s", (const char *)context, name);
    return code == OT_OK ? ot_disk_remove_tree(path, err) : code;
}

static int make_tmp(const char *root, bool leave, struct ot_err *err)
{
    char path[PATH_MAX];
    int code = ot_disk_path(path, err, "%s/tmp", root);
    if (code == OT_OK)
        code = ot_disk_make_folder(path, err);
    return code == OT_OK && !leave ? ot_disk_list(path, remove_left, path, err) : code;
}

static int take_lock(struct ot_writer *writer, const struct ot_corpus *corpus,
                     const struct ot_writer_opts *opts, struct ot_err *err)
{
    *writer = (struct ot_writer){.corpus = *corpus, .lock = {-1}};
    int code = ot_lock_take(corpus, opts->command, opts->wait_ns, &writer->lock, err);
    if (code < 0)
        return code;
    code = make_tmp(corpus->root, opts->leave_tmp, err);
    if (code == OT_OK)
        code = ot_disk_path(writer->work, err, "%s/tmp/%ld", corpus->root, (long)getpid());
    if (code == OT_OK)
        code = ot_disk_make_folder(writer->work, err);
    if (code < 0)
        ot_lock_release(&writer->lock);
    return code;
}

int ot_writer_begin(struct ot_writer *writer, const struct ot_corpus *corpus,
                    const struct ot_writer_opts *opts, struct ot_err *err)
{
    int code = take_lock(writer, corpus, opts, err);
    if (code < 0)
        return code;
    code = ot_corpus_read(corpus, NULL, &writer->state, err);
    if (code < 0)
        ot_writer_end(writer);
    return code;
}

void ot_writer_unlock(struct ot_writer *writer)
{
    struct ot_err ignored;
    if (writer->lock.fd < 0)
        return;
    ot_disk_remove_tree(writer->work, &ignored);
    ot_lock_release(&writer->lock);
}

void ot_writer_end(struct ot_writer *writer)
{
    ot_writer_unlock(writer);
    ot_corpus_state_release(&writer->state);
}

static bool find_in(const struct ot_corpus_run *run, const char *id,
                    struct ot_corpus_session *ret_session)
{
    for (size_t i = 0; i < run->n_sessions; i++) {
        if (strcmp(run->sessions[i].id, id) != 0 ||
            ot_corpus_check_tables(&run->sessions[i], NULL) < 0)
            continue;
        *ret_session = run->sessions[i];
        return true;
    }
    return false;
}

struct search {
    struct ot_writer *writer;
    const char *id;
    struct ot_corpus_session session;
    bool found;
};

/* What cannot be read describes nothing. */
static int look_into(void *context, const char *name, struct ot_err *err)
{
    struct search *search = context;
    struct ot_corpus_run run = {0};
    struct ot_err ignored;
    char manifest[OT_CORPUS_ID_BYTES];
    (void)err;
    if (search->found || strlen(name) != OT_STORE_SHA256_HEX + strlen(".json"))
        return OT_OK;
    memcpy(manifest, name, OT_STORE_SHA256_HEX);
    manifest[OT_STORE_SHA256_HEX] = '\0';
    struct ot_writer *writer = search->writer;
    if (ot_objects_run(&writer->state.arena, writer->corpus.root, manifest, &run, &ignored) ==
        OT_OK)
        search->found = find_in(&run, search->id, &search->session);
    return OT_OK;
}

int ot_writer_find_session(struct ot_writer *writer, const char *id,
                           struct ot_corpus_session *ret_session, struct ot_err *err)
{
    char path[PATH_MAX];
    const struct ot_corpus_state *state = &writer->state;
    struct search search = {.writer = writer, .id = id};
    int code = ot_disk_path(path, err, "%s/sessions/session=%s", writer->corpus.root, id);
    if (code < 0)
        return code;
    if (!ot_disk_is_there(path))
        return OT_END;
    for (size_t i = 0; i < state->n_runs && !search.found; i++)
        search.found = find_in(&state->runs[i], id, &search.session);
    if (!search.found) {
        code = ot_disk_path(path, err, "%s/runs", writer->corpus.root);
        if (code == OT_OK)
            code = ot_disk_list(path, look_into, &search, err);
    }
    if (code < 0)
        return code;
    if (!search.found)
        return OT_END;
    *ret_session = search.session;
    return OT_OK;
}

static int write_object(struct ot_writer *writer, const char *folder, const struct ot_str *text,
                        char ret_id[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    char path[PATH_MAX];
    ot_digest(ot_str_borrow(text), text->len, ret_id);
    int code = ot_disk_path(path, err, "%s/%s/%s.json", writer->corpus.root, folder, ret_id);
    return code == OT_OK ? ot_disk_write(path, writer->work, ot_str_borrow(text), text->len, err)
                         : code;
}

static int write_manifest(struct ot_writer *writer, struct ot_corpus_run *run, struct ot_err *err)
{
    struct ot_str text = {0};
    char id[OT_CORPUS_ID_BYTES];
    int code = ot_manifest_write_run(&text, run, err);
    if (code == OT_OK)
        code = write_object(writer, "runs", &text, id, err);
    ot_str_release(&text);
    if (code < 0)
        return code;
    run->manifest = ot_arena_copy(&writer->state.arena, id, strlen(id));
    return run->manifest ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a run");
}

static int sync_folders(struct ot_writer *writer, struct ot_err *err)
{
    static const char *const folders[] = {"artifacts", "sessions", "runs"};
    char path[PATH_MAX];
    int code = OT_OK;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && code == OT_OK; i++) {
        code = ot_disk_path(path, err, "%s/%s", writer->corpus.root, folders[i]);
        if (code == OT_OK)
            code = ot_disk_sync_folder(path, err);
    }
    return code;
}

static int write_commit(struct ot_writer *writer, const struct ot_corpus_run *runs, size_t n_runs,
                        const char *message, char ret_commit[OT_CORPUS_ID_BYTES],
                        struct ot_err *err)
{
    struct ot_str text = {0};
    char folder[PATH_MAX];
    struct ot_corpus_state *state = &writer->state;
    const char **manifests =
        ot_arena_alloc(&state->arena, (n_runs + state->n_damaged + 1) * sizeof(*manifests));
    if (!manifests)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a commit");
    for (size_t i = 0; i < n_runs; i++)
        manifests[i] = runs[i].manifest;
    for (size_t i = 0; i < state->n_damaged; i++)
        manifests[n_runs + i] = state->damaged[i].manifest;
    struct ot_commit_text commit = {
        .parent = state->commit,
        .message = message,
        .time_ns = ot_tick_clock_ns(CLOCK_REALTIME),
        .manifests = manifests,
        .n_manifests = n_runs + state->n_damaged,
    };
    int code = ot_manifest_write_commit(&text, &commit, err);
    if (code == OT_OK)
        code = write_object(writer, "commits", &text, ret_commit, err);
    if (code == OT_OK)
        code = ot_disk_path(folder, err, "%s/commits", writer->corpus.root);
    if (code == OT_OK)
        code = ot_disk_sync_folder(folder, err);
    ot_str_release(&text);
    return code;
}

int ot_writer_set_ref(struct ot_writer *writer, const char *name, const char *id,
                      struct ot_err *err)
{
    char path[PATH_MAX];
    char text[OT_CORPUS_ID_BYTES + 1];
    int len = snprintf(text, sizeof(text), "%s\n", id);
    int code = ot_disk_path(path, err, "%s/%s", writer->corpus.root, name);
    if (code == OT_OK)
        code = ot_disk_write(path, writer->work, text, (size_t)len, err);
    return code == OT_OK ? ot_disk_sync_folder(writer->corpus.root, err) : code;
}

int ot_writer_commit(struct ot_writer *writer, struct ot_corpus_run *runs, size_t n_runs,
                     const char *message, char ret_commit[OT_CORPUS_ID_BYTES], struct ot_err *err)
{
    char id[OT_CORPUS_ID_BYTES];
    int code = OT_OK;
    for (size_t i = 0; i < n_runs && code == OT_OK; i++) {
        if (!runs[i].manifest)
            code = write_manifest(writer, &runs[i], err);
    }
    if (code == OT_OK)
        code = sync_folders(writer, err);
    if (code == OT_OK)
        code = write_commit(writer, runs, n_runs, message, id, err);
    if (code == OT_OK)
        code = ot_writer_set_ref(writer, "head", id, err);
    if (code == OT_OK)
        memcpy(ret_commit, id, sizeof(id));
    return code;
}
