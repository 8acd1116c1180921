#include "corpus/gc.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "corpus/disk.h"
#include "corpus/history.h"
#include "corpus/ids.h"
#include "corpus/objects.h"

/* What the commits that count name. */
struct named {
    struct ot_history history;
    struct ot_arena arena;
    struct ot_ids commits;
    struct ot_ids manifests;
    struct ot_ids sessions;
    struct ot_ids artifacts;
};

static void release(struct named *named)
{
    ot_ids_release(&named->commits);
    ot_ids_release(&named->manifests);
    ot_ids_release(&named->sessions);
    ot_ids_release(&named->artifacts);
    ot_arena_release(&named->arena);
    ot_history_release(&named->history);
}

static int name_run(struct named *named, const char *root, const char *manifest, struct ot_err *err)
{
    struct ot_corpus_run run = {0};
    if (!ot_ids_add(&named->manifests, manifest))
        return OT_OK;
    int code = ot_objects_run(&named->arena, root, manifest, &run, err);
    for (size_t i = 0; i < run.n_sessions; i++) {
        ot_ids_add(&named->sessions, run.sessions[i].id);
        if (!run.sessions[i].is_linked)
            ot_ids_add(&named->artifacts, run.sessions[i].artifact);
    }
    return code;
}

static int name_all(struct named *named, struct ot_gc *gc, const struct ot_corpus *corpus,
                    int64_t keep, struct ot_err *err)
{
    struct ot_history_commit commit = {0};
    int code = ot_history_begin(&named->history, corpus, NULL, err);
    while (code == OT_OK && (keep < 1 || gc->n_kept_commits < (size_t)keep)) {
        code = ot_history_next(&named->history, &commit, err);
        if (code != OT_OK)
            break;
        gc->n_kept_commits++;
        ot_ids_add(&named->commits, commit.id);
        for (size_t i = 0; i < commit.text.n_manifests && code == OT_OK; i++)
            code = name_run(named, corpus->root, commit.text.manifests[i], err);
    }
    if (code < 0)
        return code;
    if (named->commits.failed || named->manifests.failed || named->sessions.failed ||
        named->artifacts.failed)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for what commits name");
    /* The history goes on, and will not. */
    gc->oldest = "";
    if (code == OT_OK && commit.id && named->history.next[0] != '\0')
        gc->oldest = ot_arena_copy(&gc->arena, commit.id, strlen(commit.id));
    return gc->oldest ? OT_OK : ot_err_set(err, OT_ERR_NOMEM, "out of memory for commits");
}

/* A folder of the store: how the names in it are made of ids, and which of these are named. */
struct place {
    const char *folder;
    const char *before;
    const char *after;
    const struct ot_ids *named; /* NULL: nothing is */
};

struct listing {
    struct ot_gc *gc;
    const char *root;
    const char *own; /* a path that is left out; or NULL */
    const struct place *place;
};

/* What does not look like ours is somebody else's. */
static bool read_id(const struct place *place, const char *name, char ret_id[OT_CORPUS_ID_BYTES])
{
    size_t before = strlen(place->before);
    if (strlen(name) != before + OT_STORE_SHA256_HEX + strlen(place->after) ||
        strncmp(name, place->before, before) != 0 ||
        strcmp(name + before + OT_STORE_SHA256_HEX, place->after) != 0)
        return false;
    memcpy(ret_id, name + before, OT_STORE_SHA256_HEX);
    ret_id[OT_STORE_SHA256_HEX] = '\0';
    return ot_corpus_is_prefix(ret_id);
}

static int take(void *context, const char *name, struct ot_err *err)
{
    const struct listing *listing = context;
    const struct place *place = listing->place;
    struct ot_gc *gc = listing->gc;
    char id[OT_CORPUS_ID_BYTES];
    char path[PATH_MAX];
    if (place->named && (!read_id(place, name, id) || ot_ids_has(place->named, id)))
        return OT_OK;
    int code = ot_disk_path(path, err, "%s/%s/%s", listing->root, place->folder, name);
    if (code < 0 || (listing->own && strcmp(path, listing->own) == 0))
        return code;
    const char *relative = path + strlen(listing->root) + 1;
    struct ot_gc_item item = {.path = ot_arena_copy(&gc->arena, relative, strlen(relative)),
                              .n_bytes = ot_disk_tree_bytes(path)};
    if (!item.path || !ot_vec_reserve(&gc->items, &gc->cap, gc->n_items + 1, sizeof(*gc->items)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for what no commit names");
    gc->items[gc->n_items++] = item;
    gc->n_bytes += item.n_bytes;
    return OT_OK;
}

int ot_gc_find(struct ot_gc *gc, const struct ot_corpus *corpus, int64_t keep,
               const struct ot_writer *writer, struct ot_err *err)
{
    *gc = (struct ot_gc){0};
    struct named named = {0};
    const struct place places[] = {
        {"commits", "", ".json", &named.commits},
        {"runs", "", ".json", &named.manifests},
        {"sessions", "session=", "", &named.sessions},
        {"artifacts", "", "", &named.artifacts},
        {"tmp", "", "", NULL},
    };
    int code = name_all(&named, gc, corpus, keep, err);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && code == OT_OK; i++) {
        struct listing listing = {.gc = gc,
                                  .root = corpus->root,
                                  .own = writer ? writer->work : NULL,
                                  .place = &places[i]};
        char path[PATH_MAX];
        code = ot_disk_path(path, err, "%s/%s", corpus->root, places[i].folder);
        if (code == OT_OK)
            code = ot_disk_list(path, take, &listing, err);
    }
    release(&named);
    return code;
}

int ot_gc_remove(const struct ot_gc *gc, struct ot_writer *writer, struct ot_err *err)
{
    /* First: from then on nobody looks for what is older. */
    int code = gc->oldest[0] != '\0' ? ot_writer_set_ref(writer, "oldest", gc->oldest, err) : OT_OK;
    for (size_t i = 0; i < gc->n_items && code == OT_OK; i++) {
        char path[PATH_MAX];
        code = ot_disk_path(path, err, "%s/%s", writer->corpus.root, gc->items[i].path);
        if (code == OT_OK)
            code = ot_disk_remove_tree(path, err);
    }
    return code;
}

void ot_gc_release(struct ot_gc *gc)
{
    if (!gc)
        return;
    free(gc->items);
    ot_arena_release(&gc->arena);
    *gc = (struct ot_gc){0};
}
