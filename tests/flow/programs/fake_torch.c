/* A library that exports what the tracer looks for in libtorch, with one callback pair at a time
 * and a name for every range. With FAKE_TORCH=silent it takes callbacks and never calls them.
 * fake_torch_run() runs operators and says how often a callback changed errno.
 *
 * The symbols are those of ATen/record_function.h; the C++ calling convention of an object that is
 * returned through a hidden pointer is that of a large C struct. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct context {
    void *words[3];
};

struct callback {
    struct context (*start)(const void *rf);
    void (*end)(const void *rf, void *context);
    double probability;
    bool scopes[10];
    char rest[30];
};

struct record_function {
    const char *name;
    int64_t sequence;
};

enum { SLOTS = 4 };
static struct callback callbacks[SLOTS];
static uint64_t n_callbacks;

uint64_t _ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE(struct callback callback)
{
    if (n_callbacks == SLOTS)
        abort();
    callbacks[n_callbacks] = callback;
    return ++n_callbacks;
}

void _ZN2at14removeCallbackEm(uint64_t id)
{
    callbacks[id - 1].scopes[0] = false;
}

const char *_ZNK2at14RecordFunction4nameEv(const struct record_function *rf)
{
    return rf->name;
}

const char *_ZNK2at14RecordFunction13overload_nameEv(const struct record_function *rf)
{
    (void)rf;
    return "";
}

void _ZN2at14RecordFunctionC1ENS_11RecordScopeE(struct record_function *rf, unsigned scope)
{
    (void)scope;
    memset(rf, 0, sizeof(*rf));
}

static bool is_called(const struct callback *callback)
{
    const char *mode = getenv("FAKE_TORCH");
    return callback->scopes[0] && !(mode && strcmp(mode, "silent") == 0);
}

void _ZN2at14RecordFunction6beforeEPKcl(struct record_function *rf, const char *name,
                                        int64_t sequence)
{
    rf->name = name;
    rf->sequence = sequence;
    for (uint64_t i = 0; i < n_callbacks; i++) {
        if (is_called(&callbacks[i]))
            callbacks[i].start(rf);
    }
}

void _ZN2at14RecordFunctionD1Ev(struct record_function *rf)
{
    for (uint64_t i = 0; i < n_callbacks; i++) {
        if (is_called(&callbacks[i]))
            callbacks[i].end(rf, NULL);
    }
}

int fake_torch_run(const char *name, int count)
{
    int changed = 0;
    for (int i = 0; i < count; i++) {
        struct record_function rf;
        errno = ENOTNAM;
        _ZN2at14RecordFunctionC1ENS_11RecordScopeE(&rf, 0);
        _ZN2at14RecordFunction6beforeEPKcl(&rf, name, i);
        changed += errno != ENOTNAM;
        errno = ENOTNAM;
        _ZN2at14RecordFunctionD1Ev(&rf);
        changed += errno != ENOTNAM;
    }
    return changed;
}
