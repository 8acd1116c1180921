#include "tracer/builtin/hooks.h"

#include "base/tick_clock.h"
#include "tracer/arch.h"
#include "tracer/builtin/record.h"
#include "tracer/builtin/short_name.h"
#include "tracer/builtin/state.h"
#include "tracer/builtin/thread.h"
#include "tracer/overload.h"

#define OT_INLINE      static inline __attribute__((always_inline))
#define OT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Takes room for one word: *ret_at says where, in bytes from `thread`. One instruction does it, so
 * a signal handler's operators come before or after. */
OT_INLINE bool take_word(struct ot_thread *thread, int64_t *ret_at)
{
#if defined(__x86_64__)
    int64_t at = sizeof(uint64_t);
    bool is_full;
    __asm__ volatile("xaddq %[at], %[next]"
                     : [next] "+m"(thread->at), [at] "+r"(at), "=@ccg"(is_full)
                     :
                     : "memory");
    *ret_at = at;
    return !OT_UNLIKELY(is_full);
#else
    *ret_at = __atomic_fetch_add(&thread->at, (int64_t)sizeof(uint64_t), __ATOMIC_RELAXED);
    return !OT_UNLIKELY(*ret_at >= 0);
#endif
}

/* --- the common case ----------------------------------------------------------------------------
 */

OT_READS_BEYOND OT_INLINE void *begin(void **ret, const void *rf, bool has_overload)
{
    const char *name = ot_builtin.torch.name(rf);
    const char *overload = has_overload ? ot_builtin.torch.overload_name(rf) : NULL;
    struct ot_thread *thread = ot_thread_self;
    const struct ot_met *met = ot_met_at(thread, ot_met_slot(name));
    const struct ot_short_name *words = met->words;
    if (OT_UNLIKELY(met->name != name) ||
        (has_overload && OT_UNLIKELY(met->overload != overload)) ||
        OT_UNLIKELY(!ot_short_name_is(words, name, overload, has_overload))) {
        /* To the others NULL means that there is no overload_name(). */
        *ret = ot_record_begin(OT_OPLOG_NAME_OPERATOR, rf, name,
                               has_overload && !overload ? "" : overload);
        return ret;
    }
    uint64_t ticks = ot_tick_clock_hardware();
    int64_t at;
    if (!take_word(thread, &at)) {
        *ret = ot_record_begin(OT_OPLOG_NAME_OPERATOR, rf, name, overload);
        return ret;
    }
    struct ot_call *call = thread->top + 1;
    uint64_t since_base = ticks - thread->base_ticks;
    if (OT_UNLIKELY(since_base >= call->span)) {
        *ret = ot_record_begin_reserved(rf, name, overload, at);
        return ret;
    }
    thread->top = call; /* before it is filled: a signal handler's calls go on top */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    call->entry_ticks = ticks;
    __atomic_store_n(&call->exit_word, words->exit_word, __ATOMIC_RELAXED);
    __atomic_store_n(ot_thread_word(thread, at), since_base + words->entry_word, __ATOMIC_RELEASE);
    *ret = call;
    return ret;
}

OT_READS_BEYOND __attribute__((used)) static void *operator_start_impl(void **ret, const void *rf)
{
    return begin(ret, rf, true);
}
OT_RETURNS_THROUGH_POINTER(operator_start, operator_start_impl)

/* Before PyTorch 2.7 there is no overload_name(), and a name's text and address stand for both. */
OT_READS_BEYOND __attribute__((used)) static void *old_operator_start_impl(void **ret,
                                                                           const void *rf)
{
    return begin(ret, rf, false);
}
OT_RETURNS_THROUGH_POINTER(old_operator_start, old_operator_start_impl)

static void operator_end(const void *rf, void *context)
{
    uint64_t ticks = ot_tick_clock_hardware();
    struct ot_thread *thread = ot_thread_self;
    struct ot_call *call = context;
    int64_t at;
    if (OT_UNLIKELY(call != thread->top) || !take_word(thread, &at)) {
        ot_record_end(OT_OPLOG_NAME_OPERATOR, rf, context, ticks);
        return;
    }
    uint64_t since_base = ticks - thread->base_ticks;
    if (OT_UNLIKELY(since_base >= call->span)) {
        ot_record_end_reserved(rf, context, thread->base_ticks + since_base, at);
        return;
    }
    __atomic_store_n(ot_thread_word(thread, at), since_base + call->exit_word, __ATOMIC_RELEASE);
    thread->top = call - 1;
}

/* --- any other case -----------------------------------------------------------------------------
 */

OT_INLINE void *begin_any(void **ret, const void *rf, enum ot_oplog_name_kind kind)
{
    const char *name = ot_builtin.torch.name(rf);
    const char *overload = NULL;
    if (name && kind == OT_OPLOG_NAME_OPERATOR && ot_builtin.torch.overload_name)
        overload = ot_overload_of(&ot_builtin.torch, rf, name);
    *ret = ot_record_begin(kind, rf, name, overload);
    return ret;
}

OT_INLINE void end_any(const void *rf, void *context, enum ot_oplog_name_kind kind)
{
    ot_record_end(kind, rf, context, ot_tick_clock_read(ot_builtin.clock));
}

__attribute__((used)) static void *any_operator_start_impl(void **ret, const void *rf)
{
    return begin_any(ret, rf, OT_OPLOG_NAME_OPERATOR);
}
OT_RETURNS_THROUGH_POINTER(any_operator_start, any_operator_start_impl)

static void any_operator_end(const void *rf, void *context)
{
    end_any(rf, context, OT_OPLOG_NAME_OPERATOR);
}

__attribute__((used)) static void *annotation_start_impl(void **ret, const void *rf)
{
    return begin_any(ret, rf, OT_OPLOG_NAME_ANNOTATION);
}
OT_RETURNS_THROUGH_POINTER(annotation_start, annotation_start_impl)

static void annotation_end(const void *rf, void *context)
{
    end_any(rf, context, OT_OPLOG_NAME_ANNOTATION);
}

struct ot_callbacks ot_builtin_callbacks(void)
{
    struct ot_callbacks callbacks = {
        .operator_start = (void *)any_operator_start,
        .operator_end = (void *)any_operator_end,
        .annotation_start = (void *)annotation_start,
        .annotation_end = (void *)annotation_end,
        .needs_inputs = (ot_builtin.options & OT_OPLOG_SHAPES) != 0,
    };
    if (ot_builtin.clock == OT_TICK_CLOCK_HARDWARE && ot_builtin.torch.keeps_context &&
        !(ot_builtin.options & (OT_OPLOG_SEQUENCE | OT_OPLOG_SHAPES))) {
        callbacks.operator_start =
            ot_builtin.torch.overload_name ? (void *)operator_start : (void *)old_operator_start;
        callbacks.operator_end = (void *)operator_end;
    }
    return callbacks;
}
