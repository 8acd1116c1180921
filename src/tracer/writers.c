#include "tracer/writer.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tracer/builtin/writer.h"

/* A module stays away from processes that never load PyTorch: liblttng-ust starts two threads and
 * talks to a daemon as soon as it is loaded. */
static const struct writer_row {
    const char *name;
    bool has_module;
    const struct ot_writer *writer; /* NULL: of the module, or none */
} rows[] = {
    {"builtin", false, &ot_builtin_writer},
    {"lttng", true, NULL},
    {"empty", false, NULL}, /* registers empty callbacks: the floor that overhead is measured
                               against */
    {"probe", false, NULL}, /* runs the self-test, registers nothing */
};

static const struct writer_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

static int load_module(const char *name, const char *lib_dir, void *(*dlopen_fn)(const char *, int),
                       const struct ot_writer **ret_writer, struct ot_err *err)
{
    char path[4096];
    int len = snprintf(path, sizeof(path), "%s/optally-writer-%s.so", lib_dir, name);
    if (len < 0 || (size_t)len >= sizeof(path))
        return ot_err_set(err, OT_ERR_MISSING, "the path of writer '%s' is too long", name);
    void *module = dlopen_fn(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        const char *reason = dlerror();
        return ot_err_set(err, OT_ERR_MISSING, "writer '%s' does not load: %s", name,
                          reason ? reason : "no reason given");
    }
    const struct ot_writer *writer = dlsym(module, "ot_writer");
    if (!writer || writer->abi != OT_WRITER_ABI)
        return ot_err_set(err, OT_ERR_MISSING, "%s belongs to another version of optally", path);
    *ret_writer = writer;
    return OT_OK;
}

int ot_writer_open(const char *name, const struct ot_torch *torch, const char *lib_dir,
                   void *(*dlopen_fn)(const char *, int), const struct ot_writer **ret_writer,
                   struct ot_err *err)
{
    const struct writer_row *row = find_row(name);
    if (!row)
        return ot_err_set(err, OT_ERR_USAGE, "there is no writer called '%s'", name);
    const struct ot_writer *writer = row->writer;
    int rc = row->has_module ? load_module(name, lib_dir, dlopen_fn, &writer, err) : OT_OK;
    if (rc == OT_OK && writer)
        rc = writer->open(torch, err);
    if (rc == OT_OK)
        *ret_writer = writer;
    return rc;
}
