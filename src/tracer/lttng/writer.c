/* writer.c: the LTTng writer: one tracepoint per hook. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracer/lttng/tracepoints.h"

#include <lttng/ust-fork.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "tracer/lttng/descriptors.h"
#include "tracer/writer.h"

/* LTTng-UST has to be told of a fork. Its own helper library wraps fork() and would have to be
 * preloaded, and LTTng-UST with it, into processes that never load PyTorch.
 *
 * A child is told at its first event and not before: that starts threads and opens sockets, and
 * most children only close all descriptors and execute something else. Until then the child is as
 * LTTng-UST left it before the fork, with its locks held. */
enum child_state { CHILD_RESUMED, CHILD_WAITS, CHILD_RESUMES };

static _Atomic int child_state;
static __thread sigset_t mask_before_fork;

static void resume_child(void)
{
    int waits = CHILD_WAITS;
    if (atomic_compare_exchange_strong(&child_state, &waits, CHILD_RESUMES)) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, NULL, &mask);
        ot_descriptors_begin_sparing();
        lttng_ust_after_fork_child(&mask);
        ot_descriptors_end_sparing();
        atomic_store(&child_state, CHILD_RESUMED);
    }
    while (atomic_load(&child_state) == CHILD_RESUMES)
        sched_yield();
}

static inline void resume_child_if_it_waits(void)
{
    if (__builtin_expect(atomic_load_explicit(&child_state, memory_order_relaxed), CHILD_RESUMED))
        resume_child();
}

static void before_fork(void)
{
    resume_child_if_it_waits();
    ot_descriptors_note();
    lttng_ust_before_fork(&mask_before_fork);
}

static void after_fork_parent(void)
{
    lttng_ust_after_fork_parent(&mask_before_fork);
}

static void after_fork_child(void)
{
    atomic_store(&child_state, CHILD_WAITS);
    pthread_sigmask(SIG_SETMASK, &mask_before_fork, NULL);
}

/* LTTng-UST's own destructor, which runs after this one, wants its locks. */
__attribute__((destructor)) static void at_exit(void)
{
    resume_child_if_it_waits();
}

/* Babeltrace 2.0.4 prints the previous event's value for an empty string field, so a trace of ours
 * holds none. "default" is PyTorch's own word for the overload without a name
 * (torch.ops.aten.abs.default); its schema parser lets no overload be called so. */
static const char *written_overload(const struct ot_op *op)
{
    return op->overload[0] != '\0' ? op->overload : "default";
}

static const char *written_name(const struct ot_op *op)
{
    return op->name[0] != '\0' ? op->name : "(no name)";
}

static void write_entry(enum ot_op_kind kind, const struct ot_op *op)
{
    resume_child_if_it_waits();
    if (kind == OT_OP_OPERATOR)
        lttng_ust_tracepoint(lttng_ust_pytorch, op_entry, written_name(op), written_overload(op));
    else
        lttng_ust_tracepoint(lttng_ust_pytorch, annotation_entry, written_name(op));
}

static void write_exit(enum ot_op_kind kind, const struct ot_op *op)
{
    resume_child_if_it_waits();
    if (kind == OT_OP_OPERATOR)
        lttng_ust_tracepoint(lttng_ust_pytorch, op_exit, written_name(op), written_overload(op));
    else
        lttng_ust_tracepoint(lttng_ust_pytorch, annotation_exit, written_name(op));
}

static int open_writer(const struct ot_torch *torch, struct ot_err *err)
{
    (void)torch;
    ot_descriptors_init();
    if (pthread_atfork(before_fork, after_fork_parent, after_fork_child) != 0)
        return ot_err_set(err, OT_ERR_NOMEM, "no memory for a fork handler");
    return OT_OK;
}

__attribute__((visibility("default"))) const struct ot_writer ot_writer = {
    .abi = OT_WRITER_ABI,
    .open = open_writer,
    .entry = write_entry,
    .exit = write_exit,
    .spares_fd = ot_descriptors_spare,
};
