#include "tracer/builtin/thread.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "tracer/builtin/guard.h"
#include "tracer/builtin/process.h"
#include "tracer/builtin/region.h"
#include "tracer/builtin/state.h"

enum {
    REBASE_WORDS = 2,
    /* So that what is left of a chunk is worth a segment. */
    WORDS_WORTH_IT = 4 * OT_OPLOG_SEGMENT_WORDS,
    FIRST_WORD_AT = -(OT_OPLOG_CHUNK_BYTES - (int)sizeof(struct ot_oplog_chunk)),
};

/* No name is there, and none is met at NULL (begin()). */
static const char no_name[] = "";

/* Its `at` only ever grows, which is no room whatever it is. */
static struct ot_thread nobody = {.met = {{.name = no_name}}};

__thread struct ot_thread *ot_thread_self = &nobody;

static char *window_of(struct ot_thread *thread)
{
    return (char *)thread - OT_OPLOG_CHUNK_BYTES;
}

static struct ot_thread *map_thread(void)
{
    char *window = ot_region_new(OT_OPLOG_CHUNK_BYTES + sizeof(struct ot_thread));
    return window ? (void *)(window + OT_OPLOG_CHUNK_BYTES) : NULL;
}

/* What a forked child zeroes is of no use to it: the window in front has gone, and something else
 * may have come in its place. */
static void unmap_wiped(struct ot_thread *thread)
{
    if (thread != &nobody)
        munmap(thread, sizeof(*thread));
}

static struct ot_thread *take_idle(struct ot_process *process)
{
    pthread_mutex_lock(&process->lock);
    struct ot_thread *thread = process->idle_threads;
    if (thread)
        process->idle_threads = thread->next_idle;
    pthread_mutex_unlock(&process->lock);
    return thread;
}

static void put_idle(struct ot_process *process, struct ot_thread *thread)
{
    pthread_mutex_lock(&process->lock);
    thread->next_idle = process->idle_threads;
    process->idle_threads = thread;
    pthread_mutex_unlock(&process->lock);
}

/* It has no room yet: its number is given with its first segment. */
static struct ot_thread *begin(struct ot_process *process)
{
    if (!ot_process_is_ready(process))
        return NULL;
    struct ot_thread *thread = take_idle(process);
    if (!thread)
        thread = map_thread();
    if (!thread)
        return NULL;
    if (!thread->top)
        thread->top = ot_calls_new(process);
    if (!thread->top) {
        put_idle(process, thread);
        return NULL;
    }
    uint64_t (*torch_thread)(void) = ot_builtin.torch.current_thread_id;
    thread->tid = (uint64_t)syscall(SYS_gettid);
    thread->torch_thread = torch_thread ? (uint32_t)torch_thread() : 0;
    thread->number = 0;
    thread->n_segments = 0;
    thread->events_before = 0;
    thread->nonce = process->nonce;
    /* Slots are free where `name` is NULL, which a range without a name would take for its own. */
    if (!ot_met_at(thread, ot_met_slot(NULL))->name)
        ot_met_at(thread, ot_met_slot(NULL))->name = no_name;
    unmap_wiped(ot_thread_self);
    ot_thread_self = thread;
    pthread_setspecific(ot_builtin.thread_key, thread);
    return thread;
}

static bool is_stopped(void)
{
    return atomic_load_explicit(&ot_builtin.process->is_stopped, memory_order_relaxed);
}

struct ot_thread *ot_thread_here(void)
{
    struct ot_thread *thread = ot_thread_self;
    struct ot_guard guard;
    if (thread->nonce != 0)
        return thread;
    if (is_stopped() || !ot_guard_enter(&guard))
        return NULL;
    thread = ot_thread_self; /* a signal handler may have come first */
    if (thread->nonce == 0)
        thread = begin(ot_builtin.process);
    ot_guard_leave(&guard);
    return thread;
}

/* CLOCK_MONOTONIC at `ticks`, which is not long before `now`. */
static int64_t monotonic_at(uint64_t ticks, struct ot_oplog_moment now,
                            struct ot_oplog_moment opened)
{
    if (now.ticks <= opened.ticks || ticks > now.ticks)
        return 0;
    double ns_per_tick =
        (double)(now.monotonic_ns - opened.monotonic_ns) / (double)(now.ticks - opened.ticks);
    return now.monotonic_ns - (int64_t)((double)(now.ticks - ticks) * ns_per_tick);
}

/* An event that makes a new chunk necessary has happened before this, and counts from its own
 * time. */
static void set_base(struct ot_thread *thread, uint64_t ticks)
{
    struct ot_oplog_moment now = ot_tick_clock_moment(ot_builtin.clock);
    if (ticks >= now.ticks) {
        thread->base_ticks = now.ticks;
        thread->base_monotonic_ns = now.monotonic_ns;
    } else {
        thread->base_ticks = ticks;
        thread->base_monotonic_ns = monotonic_at(ticks, now, ot_builtin.process->header->opened);
    }
}

/* Where the next word would be; from here on there is no room. */
static int64_t take_away_room(struct ot_thread *thread)
{
    int64_t at = thread->at < 0 ? thread->at : 0;
    thread->at = 0;
    return at;
}

static void write_segment(struct ot_thread *thread, int64_t at)
{
    uint64_t *words = ot_thread_word(thread, at);
    struct ot_oplog_segment segment = {
        .thread = thread->number,
        .number = thread->n_segments++,
        .tid = thread->tid,
        .base_ticks = thread->base_ticks,
        .events_before = thread->events_before,
        .open_calls = ot_calls_count(thread->top),
        .torch_thread = thread->torch_thread,
        .monotonic_ns = thread->base_monotonic_ns,
    };
    prctl(PR_GET_NAME, segment.thread_name);
    memcpy(words + 1, &segment, sizeof(segment));
    __atomic_store_n(words, OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0), __ATOMIC_RELEASE);
    thread->segment_at = at;
    thread->whole_until = at;
    thread->n_other_words = OT_OPLOG_SEGMENT_WORDS;
}

/* A first word is never 0 in its upper half, which names its record. Two at a time, since this is
 * done to every chunk. */
static bool has_zero_word(const uint64_t *words, size_t n)
{
    typedef uint32_t halves __attribute__((vector_size(16), aligned(8), may_alias));
    const halves *pairs = (const halves *)(const void *)words;
    halves zeros = {0};
    for (size_t i = 0; i < n / 2; i++)
        zeros |= (halves)(pairs[i] == 0);
    return (zeros[1] | zeros[3]) != 0 || (n % 2 != 0 && words[n - 1] == 0);
}

/* A signal handler may have come between the taking of a word and its storing, and the chunk must
 * stay where it is until that is done. */
static bool has_all_words(struct ot_thread *thread, int64_t end)
{
    const uint64_t *last = ot_thread_word(thread, end);
    const uint64_t *word = ot_thread_word(thread, thread->whole_until);
    bool are_first_words = thread->n_other_words == OT_OPLOG_SEGMENT_WORDS;
    if (are_first_words && word == ot_thread_word(thread, thread->segment_at))
        word += OT_OPLOG_SEGMENT_WORDS;
    if (are_first_words && word < last && !has_zero_word(word, (size_t)(last - word)))
        word = last;
    while (word < last && *word != 0)
        word += ot_oplog_record_words(*word);
    thread->whole_until = (const char *)word - (const char *)thread;
    return word >= last;
}

/* False: a word is missing yet, and the chunk has to stay. */
static bool end_segment(struct ot_thread *thread, int64_t at)
{
    if (!has_all_words(thread, at))
        return false;
    uint64_t n_words = (uint64_t)(at - thread->segment_at) / sizeof(uint64_t);
    thread->events_before += n_words - thread->n_other_words;
    return true;
}

static bool change_chunk(struct ot_process *process, struct ot_thread *thread)
{
    struct ot_chunk chunk;
    if (thread->has_chunk)
        ot_process_finish_chunk(process, thread->chunk);
    thread->left_at = 0; /* also if there is no other now: it may be in others' hands later */
    thread->has_chunk =
        ot_process_take_chunk(process, OT_OPLOG_CHUNK_EVENTS, window_of(thread), &chunk);
    if (thread->has_chunk)
        thread->chunk = chunk.index;
    return thread->has_chunk;
}

static bool begin_segment(struct ot_process *process, struct ot_thread *thread, unsigned words,
                          uint64_t ticks)
{
    int64_t at = take_away_room(thread);
    if (thread->number == 0) {
        at = thread->left_at;
        int64_t needed = (int64_t)((WORDS_WORTH_IT + words) * sizeof(uint64_t));
        if (at + needed > 0)
            at = 0;
    } else if (thread->has_chunk && !end_segment(thread, at)) {
        thread->at = at;
        return false;
    } else {
        at = 0;
    }
    if (at == 0) {
        if (!change_chunk(process, thread))
            return false;
        at = FIRST_WORD_AT;
    }
    if (thread->number == 0) {
        thread->number = __atomic_add_fetch(&process->n_threads, 1, __ATOMIC_RELAXED);
        ot_call_block_of(thread->top)->thread = thread->number;
    }
    set_base(thread, ticks);
    write_segment(thread, at);
    struct ot_oplog_chunk *head = (void *)window_of(thread);
    __atomic_store_n(&head->kind, OT_OPLOG_CHUNK_EVENTS, __ATOMIC_RELEASE);
    thread->at = at + (int64_t)(OT_OPLOG_SEGMENT_WORDS * sizeof(uint64_t));
    return true;
}

static void rebase(struct ot_thread *thread, uint64_t ticks)
{
    uint64_t *words = ot_thread_word(thread, thread->at);
    set_base(thread, ticks);
    words[1] = thread->base_ticks;
    __atomic_store_n(words, OT_OPLOG_WORD(OT_OPLOG_REBASE, 0, 0), __ATOMIC_RELEASE);
    thread->n_other_words += REBASE_WORDS;
    thread->at += (int64_t)(REBASE_WORDS * sizeof(uint64_t));
}

bool ot_thread_make_room(struct ot_thread *thread, unsigned words, uint64_t ticks)
{
    struct ot_process *process = ot_builtin.process;
    struct ot_guard guard;
    if ((is_stopped() && !thread->has_chunk) || !ot_guard_enter(&guard))
        return false;
    int64_t needed = (int64_t)((words + REBASE_WORDS) * sizeof(uint64_t));
    bool has_room = thread->number > 0 && thread->at + needed <= 0;
    if (!has_room)
        has_room = begin_segment(process, thread, words, ticks);
    else if ((ticks - thread->base_ticks) >> OT_OPLOG_TICK_BITS != 0)
        rebase(thread, ticks);
    ot_guard_leave(&guard);
    return has_room;
}

bool ot_thread_make_room_for_call(struct ot_thread *thread)
{
    struct ot_guard guard;
    struct ot_call *top = ot_calls_trim(thread->top);
    if (top[1].span == 0) {
        if (!ot_guard_enter(&guard))
            return false;
        top = ot_calls_grow(ot_builtin.process, top);
        ot_guard_leave(&guard);
    }
    if (top)
        thread->top = top;
    return top != NULL;
}

void ot_thread_end(void *data)
{
    struct ot_thread *thread = data;
    struct ot_process *process = ot_builtin.process;
    struct ot_guard guard;
    if (thread != ot_thread_self || thread->nonce == 0 || !ot_guard_enter(&guard))
        return;
    ot_thread_self = &nobody;
    int64_t at = take_away_room(thread);
    /* Behind a word that was never stored (the thread was cancelled) nobody would look. */
    if (thread->number > 0)
        thread->left_at = thread->has_chunk && has_all_words(thread, at) ? at : 0;
    thread->nonce = 0;
    thread->top = ot_calls_trim(thread->top);
    if (ot_calls_count(thread->top) > 0)
        thread->top = NULL; /* whoever ends these calls needs them */
    put_idle(process, thread);
    ot_guard_leave(&guard);
}

void ot_thread_wipe_self(void)
{
    struct ot_thread *thread = ot_thread_self;
    if (thread != &nobody)
        memset(thread, 0, sizeof(*thread));
}
