/* A library that exports what the tracer looks for in libtorch, with one callback pair at a time
 * and a name for every range. With FAKE_TORCH=silent it takes callbacks and never calls them; with
 * FAKE_TORCH=forgetful it does not hand back what the start callback has returned.
 * fake_torch_run() runs operators and says how often a callback changed errno.
 *
 * The symbols are those of ATen/record_function.h; the C++ calling convention of an object that is
 * returned through a hidden pointer is that of a large C struct. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* std::unique_ptr<at::ObserverContext>, whose destructor is virtual: the second in the table also
 * releases the object's memory. Only the first word is ever written. */
struct observer_context {
    void (*const *vtable)(struct observer_context *);
};

struct context {
    struct observer_context *observer;
    void *rest[2];
};

struct callback {
    struct context (*start)(const void *rf);
    void (*end)(const void *rf, struct observer_context *context);
    double probability;
    bool scopes[10];
    char rest[30];
};

enum { SLOTS = 4 };

struct record_function {
    const char *name;
    int64_t sequence;
    struct observer_context *contexts[SLOTS];
};

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

static bool is_mode(const char *name)
{
    const char *mode = getenv("FAKE_TORCH");
    return mode && strcmp(mode, name) == 0;
}

static bool is_silent;
static bool is_forgetful;

__attribute__((constructor)) static void look_up_mode(void)
{
    is_silent = is_mode("silent");
    is_forgetful = is_mode("forgetful");
}

static bool is_called(const struct callback *callback)
{
    return callback->scopes[0] && !is_silent;
}

void _ZN2at14RecordFunction6beforeEPKcl(struct record_function *rf, const char *name,
                                        int64_t sequence)
{
    rf->name = name;
    rf->sequence = sequence;
    for (uint64_t i = 0; i < n_callbacks; i++) {
        if (is_called(&callbacks[i]))
            rf->contexts[i] = callbacks[i].start(rf).observer;
    }
}

void _ZN2at14RecordFunctionD1Ev(struct record_function *rf)
{
    for (uint64_t i = 0; i < n_callbacks; i++) {
        struct observer_context *context = rf->contexts[i];
        if (!is_called(&callbacks[i]))
            continue;
        callbacks[i].end(rf, is_forgetful ? NULL : context);
        if (context)
            context->vtable[1](context);
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
