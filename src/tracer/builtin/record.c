#include "tracer/builtin/record.h"

#include <errno.h>
#include <string.h>

#include "base/tick_clock.h"
#include "tracer/builtin/guard.h"
#include "tracer/builtin/process.h"
#include "tracer/builtin/short_name.h"
#include "tracer/builtin/state.h"
#include "tracer/builtin/thread.h"
#include "tracer/fields.h"
#include "tracer/inputs.h"
#include "tracer/overload.h"

enum { SIGNATURE_WORDS_MAX = 512, SEQUENCE_WORDS = 3, EXIT_OF_WORDS = 3, MEMORY_WORDS = 4 };

static uint64_t ticks_now(void)
{
    return ot_tick_clock_read(ot_builtin.clock);
}

static void lose(void)
{
    ot_process_lose(ot_builtin.process, 1);
}

/* --- names --------------------------------------------------------------------------------------
 */

static void meet(struct ot_thread *thread, const char *name, const char *overload,
                 const struct ot_short_name *words)
{
    uint32_t slot = ot_met_slot(name);
    struct ot_met *met = ot_met_at(thread, slot);
    for (unsigned i = 0; met->name && met->name != name && i < OT_MET_PROBES; i++)
        met = ot_met_at(thread, slot ^ i * sizeof(*met));
    if (met->name && met->name != name)
        met = ot_met_at(thread, slot);
    /* A signal handler's operator finds the slot free meanwhile. */
    __atomic_store_n(&met->name, NULL, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    met->overload = overload;
    met->words = words;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&met->name, name, __ATOMIC_RELAXED);
}

/* A hit in one of the slots that hooks.c does not look at. */
OT_READS_BEYOND static const struct ot_short_name *find_met(const struct ot_thread *thread,
                                                            const char *name, const char *overload)
{
    uint32_t slot = ot_met_slot(name);
    for (unsigned i = 0; i < OT_MET_PROBES; i++) {
        const struct ot_met *met = ot_met_at(thread, slot ^ i * sizeof(*met));
        if (met->name == name && (!overload || met->overload == overload) &&
            ot_short_name_is(met->words, name, overload, overload != NULL))
            return met->words;
    }
    return NULL;
}

static const struct ot_name *intern(const struct ot_name_key *key)
{
    const struct ot_name *found = ot_names_find(&ot_builtin.process->names, key);
    struct ot_guard guard;
    if (found || !ot_guard_enter(&guard))
        return found;
    found = ot_names_intern(ot_builtin.process, key);
    ot_guard_leave(&guard);
    return found;
}

struct words {
    uint64_t entry;
    uint64_t exit;
};

/* False: there is no telling now, and the event is lost. Before PyTorch 2.7 `overload` is NULL and
 * the name's address stands for it. */
static bool find_words(struct ot_thread *thread, enum ot_oplog_name_kind kind, const void *rf,
                       const char *name, const char *overload, struct words *ret_words)
{
    if (kind == OT_OPLOG_NAME_OPERATOR) {
        const struct ot_short_name *met = find_met(thread, name, overload);
        if (met) {
            *ret_words = (struct words){met->entry_word, met->exit_word};
            return true;
        }
    }
    const char *text = overload ? overload : "";
    if (kind == OT_OPLOG_NAME_OPERATOR && !overload)
        text = ot_overload_from_table(&ot_builtin.torch, rf, name);
    struct ot_name_key key = ot_name_key_of(kind, name, text);
    const struct ot_name *found = intern(&key);
    if (!found)
        return false;
    if (found->short_name && ot_short_name_can_read(name, overload ? overload : name))
        meet(thread, name, overload, found->short_name);
    *ret_words = (struct words){found->entry_word, found->exit_word};
    return true;
}

/* --- what was asked for beside ---------------------------------------------------------------- */

/* Words in front of which the entry goes, all in one piece. */
struct extra {
    unsigned n_words;
    uint64_t words[SEQUENCE_WORDS + 1];
};

static void add_sequence(struct extra *extra, const void *rf)
{
    int64_t sequence = ot_fields_sequence(&ot_builtin.torch, rf);
    uint64_t forward = ot_fields_forward_thread(&ot_builtin.torch, rf);
    if (sequence < 0 && forward == 0)
        return;
    extra->words[extra->n_words++] = OT_OPLOG_WORD(OT_OPLOG_SEQUENCE_OF, 0, 0);
    extra->words[extra->n_words++] = (uint64_t)sequence;
    extra->words[extra->n_words++] = forward;
}

static void add_shapes(struct extra *extra, const void *rf)
{
    uint64_t signature[SIGNATURE_WORDS_MAX];
    size_t n = ot_inputs_signature(&ot_builtin.torch, rf, signature, SIGNATURE_WORDS_MAX);
    if (n == 0)
        return;
    const struct ot_name *found = NULL;
    if (n <= SIGNATURE_WORDS_MAX) {
        struct ot_name_key key = ot_name_key_of_shapes(signature, n);
        found = intern(&key);
    }
    if (found && found->entry_word != 0)
        extra->words[extra->n_words++] = found->entry_word;
    else if (ot_builtin.process->header)
        __atomic_fetch_add(&ot_builtin.process->header->lost_shapes, 1, __ATOMIC_RELAXED);
}

/* The first word last: it says that the others are there. */
static void store_words(uint64_t *to, const uint64_t *words, unsigned n_words)
{
    for (unsigned i = 1; i < n_words; i++)
        to[i] = words[i];
    __atomic_store_n(to, words[0], __ATOMIC_RELEASE);
}

/* --- calls ------------------------------------------------------------------------------------ */

static struct ot_call *push(struct ot_thread *thread)
{
    struct ot_call *call = thread->top + 1;
    thread->top = call;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return call;
}

static void fill(struct ot_call *call, uint64_t exit_word, uint64_t ticks)
{
    call->entry_ticks = ticks;
    __atomic_store_n(&call->exit_word, exit_word, __ATOMIC_RELEASE);
}

struct when {
    uint64_t ticks;
    uint64_t since_base;
};

static bool give_back(struct ot_thread *thread, const uint64_t *to, unsigned n_words)
{
    int64_t at = (const char *)to - (const char *)thread;
    int64_t next = at + (int64_t)(n_words * sizeof(*to));
    return __atomic_compare_exchange_n(&thread->at, &next, at, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

static bool is_in_reach(uint64_t since_base)
{
    return since_base >> OT_OPLOG_TICK_BITS == 0;
}

/* The nearest that can be said. */
static uint64_t bring_into_reach(uint64_t since_base)
{
    uint64_t most = (UINT64_C(1) << OT_OPLOG_TICK_BITS) - 1;
    if ((int64_t)since_base < 0)
        return 0;
    return since_base < most ? since_base : most;
}

/* Room for so many words, at a base that `when` is counted from. `is_late`: the time is read again,
 * as late as can be. A signal handler may change chunk and base at any moment before the words are
 * ours; when its records lie behind them already, they have to be used as they are. */
static uint64_t *reserve(struct ot_thread *thread, unsigned n_words, bool is_late,
                         struct when *when)
{
    for (;;) {
        if (is_late)
            when->ticks = ticks_now();
        uint64_t *to = ot_thread_reserve(thread, n_words);
        when->since_base = when->ticks - thread->base_ticks;
        if (to && is_in_reach(when->since_base))
            return to;
        if (to && !give_back(thread, to, n_words)) {
            when->since_base = bring_into_reach(when->since_base);
            return to;
        }
        if (!ot_thread_make_room(thread, n_words, when->ticks))
            return NULL;
    }
}

static void *begin(enum ot_oplog_name_kind kind, const void *rf, const char *name,
                   const char *overload)
{
    struct ot_thread *thread = ot_thread_here();
    struct words words;
    struct extra extra = {0};
    struct when when = {0};
    if (!thread || !find_words(thread, kind, rf, name, overload, &words))
        return NULL;
    if (ot_builtin.options & OT_OPLOG_SEQUENCE)
        add_sequence(&extra, rf);
    if (ot_builtin.options & OT_OPLOG_SHAPES)
        add_shapes(&extra, rf);
    bool has_call = ot_builtin.torch.keeps_context;
    while (has_call && thread->top[1].span == 0) {
        if (!ot_thread_make_room_for_call(thread))
            return NULL;
    }
    uint64_t *to = reserve(thread, 1 + extra.n_words, true, &when);
    if (!to)
        return NULL;
    struct ot_call *call = &ot_call_ignored;
    if (has_call) {
        call = push(thread);
        fill(call, words.exit, when.ticks);
    }
    if (extra.n_words > 0) {
        __atomic_fetch_add(&thread->n_other_words, extra.n_words, __ATOMIC_RELAXED);
        store_words(to + 1, extra.words, extra.n_words);
    }
    __atomic_store_n(to, words.entry + when.since_base, __ATOMIC_RELEASE);
    return call;
}

void *ot_record_begin(enum ot_oplog_name_kind kind, const void *rf, const char *name,
                      const char *overload)
{
    int saved_errno = errno;
    void *context = &ot_call_ignored;
    if (name) {
        context = begin(kind, rf, name, overload);
        if (!context) {
            context = &ot_call_lost;
            lose();
        }
    }
    errno = saved_errno;
    return ot_builtin.torch.keeps_context ? context : NULL;
}

static bool write_exit(struct ot_thread *thread, uint64_t exit_word, uint64_t ticks)
{
    struct when when = {.ticks = ticks};
    uint64_t *to = reserve(thread, 1, false, &when);
    if (to)
        __atomic_store_n(to, exit_word + when.since_base, __ATOMIC_RELEASE);
    return to != NULL;
}

/* Ends a call that is not the newest of this thread. */
static bool write_exit_of(struct ot_thread *thread, const struct ot_call *call, uint64_t ticks)
{
    struct when when = {.ticks = ticks};
    uint64_t *to = reserve(thread, EXIT_OF_WORDS, false, &when);
    if (!to)
        return false;
    uint64_t exit_word = __atomic_load_n(&call->exit_word, __ATOMIC_RELAXED);
    const uint64_t words[EXIT_OF_WORDS] = {
        OT_OPLOG_WORD(OT_OPLOG_EXIT_OF, ot_oplog_id_of(exit_word), when.since_base),
        ot_call_block_of(call)->thread, call->entry_ticks};
    __atomic_fetch_add(&thread->n_other_words, EXIT_OF_WORDS - 1, __ATOMIC_RELAXED);
    store_words(to, words, EXIT_OF_WORDS);
    __atomic_fetch_add(&ot_builtin.process->header->n_exits_of, 1, __ATOMIC_RELAXED);
    return true;
}

static bool end_call(struct ot_call *call, uint64_t ticks)
{
    struct ot_thread *thread = ot_thread_here();
    if (!thread) {
        __atomic_store_n(&call->exit_word, 0, __ATOMIC_RELEASE);
        return false;
    }
    if (call != thread->top)
        thread->top = ot_calls_trim(thread->top);
    if (call != thread->top) {
        bool is_written = write_exit_of(thread, call, ticks);
        __atomic_store_n(&call->exit_word, 0, __ATOMIC_RELEASE);
        return is_written;
    }
    bool is_written = write_exit(thread, call->exit_word, ticks);
    thread->top = call - 1;
    return is_written;
}

/* Where PyTorch does not hand our context back. */
static bool end_by_name(enum ot_oplog_name_kind kind, const void *rf, uint64_t ticks)
{
    struct ot_thread *thread = ot_thread_here();
    const char *name = ot_builtin.torch.name(rf);
    struct words words;
    if (!name)
        return true;
    const char *overload = NULL;
    if (kind == OT_OPLOG_NAME_OPERATOR && ot_builtin.torch.overload_name)
        overload = ot_overload_of(&ot_builtin.torch, rf, name);
    return thread && find_words(thread, kind, rf, name, overload, &words) &&
           write_exit(thread, words.exit, ticks);
}

/* A forked child ends calls that are in its parent's log. */
static bool began_in_this_process(const struct ot_call *call)
{
    return ot_call_block_of(call)->nonce == ot_builtin.process->nonce;
}

void ot_record_end(enum ot_oplog_name_kind kind, const void *rf, void *context, uint64_t ticks)
{
    int saved_errno = errno;
    if (!context) {
        if (!end_by_name(kind, rf, ticks))
            lose();
    } else if (context == &ot_call_lost) {
        lose();
    } else if (context != &ot_call_ignored && began_in_this_process(context)) {
        if (!end_call(context, ticks))
            lose();
    }
    errno = saved_errno;
}

/* --- what hooks.c began -------------------------------------------------------------------------
 */

void *ot_record_begin_reserved(const void *rf, const char *name, const char *overload,
                               int64_t reserved_at)
{
    struct ot_thread *thread = ot_thread_self;
    uint64_t *to = ot_thread_word(thread, reserved_at);
    struct words words = {OT_OPLOG_WORD(OT_OPLOG_ENTRY, OT_OPLOG_NO_NAME, 0),
                          OT_OPLOG_WORD(OT_OPLOG_EXIT, OT_OPLOG_NO_NAME, 0)};
    struct ot_call *call = &ot_call_lost;
    if (give_back(thread, to, 1))
        return ot_record_begin(OT_OPLOG_NAME_OPERATOR, rf, name, overload);
    int saved_errno = errno;
    uint64_t ticks = ticks_now();
    find_words(thread, OT_OPLOG_NAME_OPERATOR, rf, name, overload, &words);
    if (thread->top[1].span != 0 || ot_thread_make_room_for_call(thread)) {
        call = push(thread);
        fill(call, words.exit, ticks);
    }
    __atomic_store_n(to, words.entry + bring_into_reach(ticks - thread->base_ticks),
                     __ATOMIC_RELEASE);
    errno = saved_errno;
    return call;
}

void ot_record_end_reserved(const void *rf, void *context, uint64_t ticks, int64_t reserved_at)
{
    struct ot_thread *thread = ot_thread_self;
    uint64_t *to = ot_thread_word(thread, reserved_at);
    struct ot_call *call = context;
    if (give_back(thread, to, 1)) {
        ot_record_end(OT_OPLOG_NAME_OPERATOR, rf, context, ticks);
        return;
    }
    __atomic_store_n(to, call->exit_word + bring_into_reach(ticks - thread->base_ticks),
                     __ATOMIC_RELEASE);
    thread->top = call - 1;
}

/* --- memory ----------------------------------------------------------------------------------- */

void ot_builtin_memory(int64_t bytes, int64_t total, int device_type, int device_index)
{
    if (!ot_builtin.is_open)
        return;
    int saved_errno = errno;
    struct ot_thread *thread = ot_thread_here();
    struct when when = {0};
    uint64_t *to = thread ? reserve(thread, MEMORY_WORDS, true, &when) : NULL;
    if (to) {
        const uint64_t words[MEMORY_WORDS] = {
            OT_OPLOG_WORD(OT_OPLOG_MEMORY_EVENT, 0, when.since_base), (uint64_t)bytes,
            (uint64_t)total, (uint32_t)device_type | (uint64_t)(uint32_t)device_index << 32};
        __atomic_fetch_add(&thread->n_other_words, MEMORY_WORDS, __ATOMIC_RELAXED);
        store_words(to, words, MEMORY_WORDS);
    } else {
        lose();
    }
    errno = saved_errno;
}
