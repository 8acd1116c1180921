#include "tracer/torch.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The suite runs against 1.13 and 2.13; 2.2, 2.6 and 2.14 were tried by hand. Versions are compared
 * part by part, so that 1.13 lies between 1.12 and 2.0. */
static const int oldest_known[2] = {1, 13};
static const int newest_known[2] = {2, 14};

struct symbol {
    size_t offset; /* in struct ot_torch */
    const char *name;
    bool needed;
};

#define SLOT(field) offsetof(struct ot_torch, field)
static const struct symbol symbols[] = {
    {SLOT(add_global_callback), "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", true},
    {SLOT(remove_callback), "_ZN2at14removeCallbackEm", true},
    {SLOT(name), "_ZNK2at14RecordFunction4nameEv", true},
    {SLOT(construct), "_ZN2at14RecordFunctionC1ENS_11RecordScopeE", true},
    {SLOT(destroy), "_ZN2at14RecordFunctionD1Ev", true},
    {SLOT(overload_name), "_ZNK2at14RecordFunction13overload_nameEv", false},
    {SLOT(operator_name), "_ZNK2at14RecordFunction13operator_nameEv", false},
    {SLOT(before_cstr), "_ZN2at14RecordFunction6beforeEPKcl", false},
    {SLOT(operator_delete), "_ZdlPv", false},
    {SLOT(current_thread_id), "_ZN2at14RecordFunction15currentThreadIdEv", false},
};

static const struct view_symbol {
    const char *name;
    bool pointer_first;
} view_symbols[] = {
    {"_ZN2at14RecordFunction6beforeESt7variantIJSt17basic_string_viewIcSt11char_traitsIcEESt17"
     "reference_wrapperIKN3c1014FunctionSchemaEEEEl",
     false},
    {"_ZN2at14RecordFunction6beforeESt7variantIJN3c1017basic_string_viewIcEESt17reference_"
     "wrapperIKNS2_14FunctionSchemaEEEEl",
     true},
};

static bool read_version_file(const char *path, char *ret_version, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof(line), file)) {
        char quote;
        char text[64];
        if (sscanf(line, "__version__ = %c%63[^'\"]", &quote, text) == 2) {
            snprintf(ret_version, size, "%s", text);
            found = true;
        }
    }
    fclose(file);
    return found;
}

/* version.py lies one folder above lib/ in a wheel, and in dist-packages beside Debian's library
 * folder. A libtorch without Python says it in the file's own name (libtorch_cpu.so.1.13.0) or in
 * build-version. */
static void find_version(const char *library, char *ret_version, size_t size)
{
    static const char *const places[] = {"../version.py",
                                         "../python3/dist-packages/torch/version.py"};
    char real[PATH_MAX];
    char path[PATH_MAX + 64];
    if (!realpath(library, real))
        return;
    char *slash = strrchr(real, '/');
    if (!slash)
        return;
    int dir_len = (int)(slash - real);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(path, sizeof(path), "%.*s/%s", dir_len, real, places[i]);
        if (read_version_file(path, ret_version, size))
            return;
    }
    snprintf(path, sizeof(path), "%.*s/../build-version", dir_len, real);
    FILE *file = fopen(path, "re");
    if (file) {
        char text[64];
        if (fscanf(file, "%63s", text) == 1)
            snprintf(ret_version, size, "%s", text);
        fclose(file);
        return;
    }
    const char *suffix = strstr(slash, ".so.");
    if (suffix)
        snprintf(ret_version, size, "%s", suffix + strlen(".so."));
}

int ot_torch_resolve(struct ot_torch *torch, const char *path,
                     void *(*dlopen_fn)(const char *, int), struct ot_err *err)
{
    memset(torch, 0, sizeof(*torch));
    torch->sequence_offset = torch->forward_thread_offset = torch->inputs_offset = -1;
    torch->handle = dlopen_fn(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!torch->handle)
        return ot_err_set(err, OT_ERR_MISSING, "%s was loaded and is gone", path);
    find_version(path, torch->version, sizeof(torch->version));

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *address = dlsym(torch->handle, symbols[i].name);
        if (!address && symbols[i].needed)
            return ot_err_set(err, OT_ERR_MISSING,
                              "PyTorch %s does not export %s (1.12 is the first that does)",
                              torch->version, symbols[i].name);
        memcpy((char *)torch + symbols[i].offset, &address, sizeof(address));
    }
    for (size_t i = 0; !torch->before_view && i < sizeof(view_symbols) / sizeof(view_symbols[0]);
         i++) {
        torch->before_view = dlsym(torch->handle, view_symbols[i].name);
        torch->view_is_pointer_first = view_symbols[i].pointer_first;
    }
    if (!torch->before_cstr && !torch->before_view)
        return ot_err_set(err, OT_ERR_MISSING, "PyTorch %s exports no RecordFunction::before",
                          torch->version);
    return OT_OK;
}

/* std::variant<string_view, reference_wrapper<...>>: the larger alternative, then the index. */
struct view_variant {
    uintptr_t words[2];
    uint64_t index;
};

void ot_torch_run_range(const struct ot_torch *torch, void *rf, const char *name, int64_t sequence)
{
    torch->construct(rf, 0);
    if (torch->before_cstr) {
        torch->before_cstr(rf, name, sequence);
    } else {
        bool pointer_first = torch->view_is_pointer_first;
        struct view_variant view = {.index = 0};
        view.words[pointer_first ? 0 : 1] = (uintptr_t)name;
        view.words[pointer_first ? 1 : 0] = strlen(name);
        ((void (*)(void *, struct view_variant, int64_t))torch->before_view)(rf, view, sequence);
    }
    torch->destroy(rf);
}

static int compare_versions(const int a[2], const int b[2])
{
    return a[0] != b[0] ? a[0] - b[0] : a[1] - b[1];
}

bool ot_torch_version_known(const char *text)
{
    int version[2];
    if (sscanf(text, "%d.%d", &version[0], &version[1]) != 2)
        return false;
    return compare_versions(version, oldest_known) >= 0 &&
           compare_versions(version, newest_known) <= 0;
}
