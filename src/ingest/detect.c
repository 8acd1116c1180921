#include "ingest/detect.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/ctf/reader.h"
#include "ingest/kineto/reader.h"
#include "ingest/oplog/reader.h"
#include "ingest/strangers.h"

/* A folder of operator logs would be an empty one to the CTF reader. */
static const struct ot_reader_class *const classes[] = {&ot_oplog_reader, &ot_ctf_reader,
                                                        &ot_kineto_reader};

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* NULL with *ret_code for what no reader takes. */
static const struct ot_reader_class *find_class(const char *path, int *ret_code, struct ot_err *err)
{
    if (is_standard_input(path))
        return &ot_kineto_reader; /* the one that can stream */
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
    *ret_code = ot_describe_stranger(path, err);
    return NULL;
}

int ot_detect(const char *const *paths, size_t n_paths, const struct ot_reader_class **ret_class,
              struct ot_err *err)
{
    const struct ot_reader_class *found = NULL;
    bool has_standard_input = false;
    for (size_t i = 0; i < n_paths; i++) {
        int code = OT_OK;
        const struct ot_reader_class *class = find_class(paths[i], &code, err);
        if (!class)
            return code;
        if (found && class != found)
            return ot_err_set(err, OT_ERR_INPUT,
                              "%s is a %s, but %s is a %s: give one kind at once", paths[0],
                              found->name, paths[i], class->name);
        if (has_standard_input && is_standard_input(paths[i]))
            return ot_err_set(err, OT_ERR_USAGE, "'-' is given twice; it can be read only once");
        has_standard_input |= is_standard_input(paths[i]);
        found = class;
    }
    *ret_class = found;
    return OT_OK;
}
