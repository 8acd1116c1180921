#include "ingest/detect.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "ingest/ctf/reader.h"

static const struct ot_reader_class *const classes[] = {&ot_ctf_reader};

static bool is_empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    size_t n_entries = 0;
    while (n_entries <= 2 && readdir(dir))
        n_entries++;
    closedir(dir);
    return n_entries <= 2; /* "." and ".." */
}

static int describe_stranger(const char *path, const struct stat *status, struct ot_err *err)
{
    if (!S_ISDIR(status->st_mode))
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: not a trace that can be read here; give the folder that "
                          "`optally record -o` or `lttng create` made",
                          path);
    if (is_empty_folder(path))
        return ot_err_set(err, OT_ERR_INPUT,
                          "%s: the folder is empty: nothing was recorded into it", path);
    return ot_err_set(err, OT_ERR_INPUT,
                      "%s: no trace in this folder or below: no file named 'metadata'; give the "
                      "folder that `optally record -o` or `lttng create` made",
                      path);
}

/* NULL with *ret_code for what no reader takes. */
static const struct ot_reader_class *find_class(const char *path, int *ret_code, struct ot_err *err)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        *ret_code = ot_err_sys(err, OT_ERR_IO, "%s", path);
        return NULL;
    }
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        *ret_code = classes[i]->recognise(path, err);
        if (*ret_code == OT_OK)
            return classes[i];
        if (*ret_code != OT_END)
            return NULL;
    }
    *ret_code = describe_stranger(path, &status, err);
    return NULL;
}

int ot_detect(const char *const *paths, size_t n_paths, const struct ot_reader_class **ret_class,
              struct ot_err *err)
{
    const struct ot_reader_class *found = NULL;
    for (size_t i = 0; i < n_paths; i++) {
        int code = OT_OK;
        const struct ot_reader_class *class = find_class(paths[i], &code, err);
        if (!class)
            return code;
        if (found && class != found)
            return ot_err_set(err, OT_ERR_INPUT,
                              "%s is a %s, but %s is a %s: give one kind at once", paths[0],
                              found->name, paths[i], class->name);
        found = class;
    }
    *ret_class = found;
    return OT_OK;
}
