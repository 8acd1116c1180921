/* thread.h: where a thread writes.
 *
 * A thread has a window, at which the chunk that it writes is mapped, with its struct ot_thread
 * right behind. Room is taken with one instruction that a signal handler's operators can come
 * before or after and not between: they find their own words, and nobody's are written over. A
 * thread without a chunk, and one that a fork has zeroed, has no room, so that this is the only
 * thing to look at before a word is stored.
 *
 * Threads that end leave chunk and memory to the next one.
 */
#ifndef OT_TRACER_BUILTIN_THREAD_H
#define OT_TRACER_BUILTIN_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/oplog.h"
#include "tracer/builtin/calls.h"
#include "tracer/builtin/state.h"

struct ot_short_name;

/* An operator's name as it was met last, with where its texts lay. An address is no key by itself,
 * since PyTorch uses some again for other texts; but where it is the same, the texts can be
 * compared without looking at where pages end. */
struct ot_met {
    const char *name; /* NULL: free */
    const char *overload;
    const struct ot_short_name *words;
    uint64_t reserved;
};

enum { OT_MET_BITS = 10, OT_MET_SIZE_BITS = 5, OT_MET_PROBES = 4 };
_Static_assert(sizeof(struct ot_met) == 1 << OT_MET_SIZE_BITS, "a slot's place is a shift away");

struct ot_thread {
    int64_t at; /* from here to the next free word, in bytes: negative; 0 and more: no room */
    struct ot_call *top;
    uint64_t base_ticks;

    uint64_t nonce; /* of the process; 0: the thread has yet to begin */
    uint64_t tid;
    uint64_t n_other_words; /* of the segment, that are no entries and exits */
    uint64_t events_before; /* the segment */
    int64_t segment_at;     /* as `at`, where the segment began */
    int64_t whole_until;    /* likewise; no word is missing before it */
    int64_t base_monotonic_ns;
    uint32_t number;
    uint32_t n_segments;
    uint32_t torch_thread;
    uint32_t chunk;  /* index of the one in the window */
    int64_t left_at; /* as `at`, where the thread before has left that chunk */
    bool has_chunk;
    struct ot_thread *next_idle;
    struct ot_met met[1 << OT_MET_BITS];
};

/* Never NULL: a thread that has yet to begin shares one that never has room. */
extern __thread struct ot_thread *ot_thread_self __attribute__((tls_model("initial-exec")))
OT_HIDDEN;

/* The calling thread, begun if need be; it may have no room. NULL: the process is stopped, or it
 * must not begin here. */
struct ot_thread *ot_thread_here(void);

/* Makes room for so many words and sets a base that `ticks` is counted from. False: there is none,
 * and what was to be written is lost. */
bool ot_thread_make_room(struct ot_thread *thread, unsigned words, uint64_t ticks);

/* Makes room on the stack of calls. */
bool ot_thread_make_room_for_call(struct ot_thread *thread);

/* The key's destructor. */
void ot_thread_end(void *thread);

/* Where the kernel does not zero what a child inherits. */
void ot_thread_wipe_self(void);

/* A slot is its place in `met` in bytes, which saves the hooks a few instructions. The multiplier
 * is 2^32 divided by the golden ratio. */
static inline uint32_t ot_met_slot(const char *name)
{
    uint32_t hash = (uint32_t)(uintptr_t)name * UINT32_C(0x9e3779b1);
    return hash >> (32 - OT_MET_BITS - OT_MET_SIZE_BITS) & ((1u << OT_MET_BITS) - 1)
                                                               << OT_MET_SIZE_BITS;
}

static inline struct ot_met *ot_met_at(const struct ot_thread *thread, uint32_t slot)
{
    return (struct ot_met *)(void *)((char *)thread + slot + offsetof(struct ot_thread, met));
}

static inline uint64_t *ot_thread_word(struct ot_thread *thread, int64_t at)
{
    return (uint64_t *)(void *)((char *)thread + at);
}

/* Takes room for so many words, in one piece. NULL: there is none. */
static inline uint64_t *ot_thread_reserve(struct ot_thread *thread, unsigned words)
{
    int64_t at = __atomic_load_n(&thread->at, __ATOMIC_RELAXED);
    int64_t bytes = (int64_t)(words * sizeof(uint64_t));
    do {
        if (at + bytes > 0)
            return NULL;
    } while (!__atomic_compare_exchange_n(&thread->at, &at, at + bytes, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return ot_thread_word(thread, at);
}

#endif
