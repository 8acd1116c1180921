#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "corpus/corpus.h"
#include "corpus/disk.h"

static const char *const folders[] = {"commits", "runs", "sessions", "artifacts", "tmp"};

static bool is_store(const char *folder)
{
    char path[PATH_MAX];
    return ot_disk_path(path, NULL, "%s/format", folder) == OT_OK && access(path, F_OK) == 0;
}

static int check_format(const struct ot_corpus *corpus, struct ot_err *err)
{
    struct ot_arena arena = {0};
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t len = 0;
    int code = ot_disk_path(path, err, "%s/format", corpus->root);
    if (code == OT_OK)
        code = ot_disk_read(&arena, path, &bytes, &len, err);
    if (code == OT_OK && len && bytes[len - 1] == '\n')
        bytes[len - 1] = '\0';
    if (code == OT_OK && strcmp(bytes, OT_CORPUS_FORMAT) != 0)
        code = ot_err_set(err, OT_ERR_INPUT,
                          "%s: a store of version '%.40s'; this optally knows " OT_CORPUS_FORMAT
                          ": use the optally that made it, or a newer one",
                          path, bytes);
    ot_arena_release(&arena);
    return code;
}

/* The real name of the store in `dir`, or that `dir` is. OT_END: there is none. */
static int look_in(const char *dir, struct ot_corpus *ret_corpus, struct ot_err *err)
{
    char inner[PATH_MAX];
    int code = ot_disk_path(inner, err, "%s/" OT_CORPUS_FOLDER, dir);
    if (code < 0)
        return code;
    const char *found = is_store(inner) ? inner : NULL;
    if (!found && is_store(dir))
        found = dir;
    if (!found)
        return OT_END;
    if (!realpath(found, ret_corpus->root))
        return ot_err_sys(err, OT_ERR_IO, "%s", found);
    return check_format(ret_corpus, err);
}

/* `how`: what named it. */
static int find_named(const char *dir, const char *how, struct ot_corpus *ret_corpus,
                      struct ot_err *err)
{
    int code = look_in(dir, ret_corpus, err);
    if (code != OT_END)
        return code;
    return ot_err_set(err, OT_ERR_INPUT, "%s: no store is in %s: optally init makes one", how, dir);
}

static int find_upward(struct ot_corpus *ret_corpus, struct ot_err *err)
{
    char here[PATH_MAX];
    char dir[PATH_MAX];
    if (!getcwd(here, sizeof(here)))
        return ot_err_sys(err, OT_ERR_IO, "the current folder");
    memcpy(dir, here, strlen(here) + 1);
    for (;;) {
        char inner[PATH_MAX];
        int code = ot_disk_path(inner, err, "%s/" OT_CORPUS_FOLDER, dir);
        if (code < 0)
            return code;
        if (is_store(inner))
            return look_in(inner, ret_corpus, err);
        char *slash = strrchr(dir, '/');
        if (!slash || dir[1] == '\0')
            break;
        slash[slash == dir] = '\0';
    }
    return ot_err_set(err, OT_ERR_INPUT,
                      "no store is in %s or above it: optally init makes one, --store and "
                      "$OPTALLY_STORE name one elsewhere",
                      here);
}

int ot_corpus_find(const char *dir, struct ot_corpus *ret_corpus, struct ot_err *err)
{
    struct ot_corpus corpus;
    const char *named = getenv("OPTALLY_STORE");
    int code = OT_OK;
    if (dir)
        code = find_named(dir, "--store", &corpus, err);
    else if (named && named[0] != '\0')
        code = find_named(named, "$OPTALLY_STORE", &corpus, err);
    else
        code = find_upward(&corpus, err);
    if (code == OT_OK)
        *ret_corpus = corpus;
    return code;
}

static int make(const char *dir, const char *root, struct ot_err *err)
{
    char path[PATH_MAX];
    int code = ot_disk_make_folder(dir, err);
    if (code == OT_OK)
        code = ot_disk_make_folder(root, err);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && code == OT_OK; i++) {
        code = ot_disk_path(path, err, "%s/%s", root, folders[i]);
        if (code == OT_OK)
            code = ot_disk_make_folder(path, err);
    }
    /* Last: what has no format is no store yet, and can be made one again. */
    if (code == OT_OK)
        code = ot_disk_path(path, err, "%s/format", root);
    if (code == OT_OK)
        code = ot_disk_write(path, root, OT_CORPUS_FORMAT "\n", sizeof(OT_CORPUS_FORMAT), err);
    if (code == OT_OK)
        code = ot_disk_sync_folder(root, err);
    return code == OT_OK ? ot_disk_sync_folder(dir, err) : code;
}

/* A folder that is called as a store is one is that itself, for whoever looks for it there. */
static int choose_place(const char *dir, char ret_dir[PATH_MAX], char ret_root[PATH_MAX],
                        struct ot_err *err)
{
    const char *named = getenv("OPTALLY_STORE");
    if (!dir)
        dir = named && named[0] != '\0' ? named : ".";
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/')
        len--;
    struct ot_text path = {dir, len};
    struct ot_text name = ot_text_base_name(path);
    if (ot_text_same(name, ot_text_of(OT_CORPUS_FOLDER)))
        path.len -= name.len;
    while (path.len > 1 && dir[path.len - 1] == '/')
        path.len--;
    int code =
        ot_disk_path(ret_dir, err, "%.*s", path.len ? (int)path.len : 1, path.len ? dir : ".");
    return code == OT_OK ? ot_disk_path(ret_root, err, "%s/" OT_CORPUS_FOLDER, ret_dir) : code;
}

int ot_corpus_init(const char *dir, struct ot_corpus *ret_corpus, struct ot_err *err)
{
    char in[PATH_MAX];
    char root[PATH_MAX];
    int code = choose_place(dir, in, root, err);
    if (code < 0)
        return code;
    if (is_store(root))
        return ot_err_set(err, OT_ERR_INPUT, "%s is a store already", root);
    code = make(in, root, err);
    if (code < 0)
        return code;
    return realpath(root, ret_corpus->root) ? OT_OK : ot_err_sys(err, OT_ERR_IO, "%s", root);
}
