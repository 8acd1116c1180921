#include "tracer/probe.h"

#include <string.h>

#include "tracer/arch.h"

static const char probe_name[] = "optally::self_test";
static const int64_t probe_sequence = 0x6f7074616c6c79;

/* The inline fields lie in the first part of RecordFunction; what follows belongs to others. */
enum { SCAN_BYTES = 512, RUNS = 2 };

/* PyTorch hands a callback nothing of ours, so the probe leaves what it saw with the thread. */
static __thread struct probe_state {
    const struct ot_torch *torch;
    int starts;
    int ends;
    int contexts;                /* that came back */
    int deletions;               /* of contexts */
    char seen[RUNS][SCAN_BYTES]; /* RecordFunction as it was in each start */
} state __attribute__((tls_model("initial-exec")));

/* A polymorphic object of C++, with a virtual destructor alone (Itanium C++ ABI 2.5): in front of
 * where the object's pointer points lie the offset to the top and the type; the destructor has two
 * slots, the second of which also frees. at::ObserverContext is one. */
struct context {
    void (*const *vtable)(struct context *);
};

static void context_destroyed(struct context *context)
{
    (void)context;
}

static void context_deleted(struct context *context)
{
    (void)context;
    state.deletions++;
}

static const struct {
    ptrdiff_t offset_to_top;
    const void *type;
    void (*destructors[2])(struct context *);
} context_class = {0, NULL, {context_destroyed, context_deleted}};

static struct context probe_context = {context_class.destructors};

static bool is_ours(const void *rf)
{
    const char *name = state.torch ? state.torch->name(rf) : NULL;
    return name && strcmp(name, probe_name) == 0;
}

static int64_t word_at(const char *object, ptrdiff_t at)
{
    int64_t value;
    memcpy(&value, object + at, sizeof(value));
    return value;
}

static ptrdiff_t find_word(const char *object, ptrdiff_t from, int64_t wanted)
{
    for (ptrdiff_t at = from; at + (ptrdiff_t)sizeof(wanted) <= SCAN_BYTES; at += 8) {
        if (word_at(object, at) == wanted)
            return at;
    }
    return -1;
}

__attribute__((used)) static void *probe_start_impl(void **ret, const void *rf)
{
    *ret = NULL;
    if (!is_ours(rf))
        return ret;
    if (state.starts < RUNS)
        memcpy(state.seen[state.starts], rf, SCAN_BYTES);
    state.starts++;
    *ret = &probe_context;
    return ret;
}
OT_RETURNS_THROUGH_POINTER(probe_start, probe_start_impl)

static void probe_end(const void *rf, void *context)
{
    if (!is_ours(rf))
        return;
    state.ends++;
    state.contexts += context == &probe_context;
}

/* Behind the sequence number lie, as far as this matters, the inputs (pointer, length), things
 * that are empty here, and then
 *
 *     uint64_t fwd_thread_id_;    0
 *     uint64_t handle_;           with needs_ids a number of its own for each range
 *     bool is_async_;             false
 *     int64_t debug_handle_;      -1
 */
static void find_fields(struct ot_torch *torch, const struct probe_state *seen)
{
    enum { FORWARD_THREAD = -24, HANDLE = -16, IS_ASYNC = -8 }; /* from debug_handle_ */
    const char *first = seen->seen[0];
    const char *second = seen->seen[1];
    ptrdiff_t sequence = find_word(first, 0, probe_sequence);
    if (sequence < 0 || word_at(second, sequence) != probe_sequence)
        return;
    torch->sequence_offset = sequence;

    ptrdiff_t inputs = sequence + 8;
    if (inputs + 16 > SCAN_BYTES || word_at(first, inputs) != 0 || word_at(first, inputs + 8) != 0)
        return;
    torch->inputs_offset = inputs;

    ptrdiff_t debug_handle = find_word(first, inputs + 16, -1);
    if (debug_handle + FORWARD_THREAD < inputs + 16 ||
        word_at(first, debug_handle + FORWARD_THREAD) != 0 ||
        word_at(first, debug_handle + HANDLE) <= 0 ||
        word_at(first, debug_handle + HANDLE) >= word_at(second, debug_handle + HANDLE) ||
        (word_at(first, debug_handle + IS_ASYNC) & 0xff) != 0 ||
        word_at(second, debug_handle) != -1)
        return;
    torch->forward_thread_offset = debug_handle + FORWARD_THREAD;
}

int ot_probe_run(struct ot_torch *torch, struct ot_err *err)
{
    struct ot_torch_callback callback = {
        .start = (void *)probe_start,
        .end = (void *)probe_end,
        .sampling_probability = 1.0,
        .needs_ids = true,
    };
    callback.scopes[0] = true;

    state = (struct probe_state){.torch = torch};
    uint64_t id = torch->add_global_callback(callback);
    for (int run = 0; run < RUNS; run++) {
        _Alignas(64) char record_function[OT_TORCH_RECORD_FUNCTION_BYTES] = {0};
        ot_torch_run_range(torch, record_function, probe_name, probe_sequence);
    }
    torch->remove_callback(id);
    state.torch = NULL;

    if (state.starts != RUNS || state.ends != RUNS)
        return ot_err_set(err, OT_ERR_INPUT,
                          "the ABI self-test saw %d starts and %d ends where %d of each belong",
                          state.starts, state.ends, RUNS);
    torch->keeps_context = state.contexts == RUNS && state.deletions == RUNS;
    find_fields(torch, &state);
    return OT_OK;
}
