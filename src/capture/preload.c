#include "capture/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ot_preload_path(char ret_path[PATH_MAX], const char *lib_dir, const char *library,
                    const char *link_dir, struct ot_err *err)
{
    char target[PATH_MAX];
    if (snprintf(target, sizeof(target), "%s/%s", lib_dir, library) >= PATH_MAX)
        return ot_err_set(err, OT_ERR_MISSING, "the path of the installation is too long");
    memcpy(ret_path, target, sizeof(target));
    if (!strpbrk(target, " :"))
        return OT_OK;
    snprintf(ret_path, PATH_MAX, "%s/%s", link_dir, library);
    if (symlink(target, ret_path) < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", ret_path);
    return OT_OK;
}

void ot_preload_set(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    if (!before || before[0] == '\0') {
        setenv("LD_PRELOAD", library, 1);
        return;
    }
    size_t size = strlen(library) + strlen(before) + 2;
    char *both = malloc(size);
    if (!both)
        return; /* the program runs untraced, and the status file says so */
    snprintf(both, size, "%s:%s", library, before);
    setenv("LD_PRELOAD", both, 1);
    free(both);
}
