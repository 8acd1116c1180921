#include "cli/store_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/paths.h"

#define MODULE "optally-store.so"

int ot_store_module_load(const struct ot_store_api **ret_store, struct ot_err *err)
{
    char dir[PATH_MAX];
    char path[PATH_MAX + sizeof(MODULE) + 1];
    int code = ot_paths_lib_dir(dir, err);
    if (code < 0)
        return code;
    snprintf(path, sizeof(path), "%s/" MODULE, dir);
    if (access(path, F_OK) < 0)
        return ot_err_set(
            err, OT_ERR_MISSING,
            "this optally was built without DuckDB (no %s): run tools/setup and build "
            "it again",
            path);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        return ot_err_set(err, OT_ERR_MISSING,
                          "DuckDB cannot be loaded (install optally again): %s", dlerror());
    const struct ot_store_api *store = dlsym(module, OT_STORE_SYMBOL);
    if (!store || store->version != OT_STORE_VERSION)
        return ot_err_set(err, OT_ERR_MISSING,
                          "%s belongs to another version: install optally again", path);
    *ret_store = store;
    return OT_OK;
}
