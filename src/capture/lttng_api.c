#include "capture/lttng_api.h"

#include <dlfcn.h>
#include <string.h>

int ot_lttng_api_open(struct ot_lttng_api *api, struct ot_err *err)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define OT_LTTNG_ROW(name) {#name, offsetof(struct ot_lttng_api, name)},
        OT_LTTNG_FUNCTIONS(OT_LTTNG_ROW)
#undef OT_LTTNG_ROW
    };
    void *library = dlopen("liblttng-ctl.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ot_err_set(err, OT_ERR_MISSING,
                          "LTTng's control library is not installed (apt-get install lttng-tools)");
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address)
            return ot_err_set(err, OT_ERR_MISSING,
                              "this LTTng has no %s(): version 2.10 or later is needed",
                              functions[i].name);
        memcpy((char *)api + functions[i].offset, &address, sizeof(address));
    }
    return OT_OK;
}
