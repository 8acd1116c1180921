/* state.h: a trace while it is being read; inner to trace.c, outline.c and trouble.c. */
#ifndef OT_INGEST_KINETO_STATE_H
#define OT_INGEST_KINETO_STATE_H

#include "base/arena.h"
#include "ingest/kineto/event.h"
#include "ingest/kineto/header.h"
#include "ingest/kineto/trace.h"

/* What a phase returns beside OT_OK (an event), OT_END and errors. */
enum { OT_TRACE_AGAIN = 2 };

enum ot_trace_phase {
    OT_PHASE_BEGIN,
    OT_PHASE_OBJECT, /* between the members of the outermost object */
    OT_PHASE_SKIP,   /* inside a member that means nothing */
    OT_PHASE_EVENTS,
    OT_PHASE_TAIL,
    OT_PHASE_DONE
};

struct ot_kineto_trace {
    struct ot_kineto_trace_opts opts;
    struct ot_kineto_window window;
    const unsigned char *at; /* what has not been read yet */
    enum ot_trace_phase phase;

    const struct ot_kineto_engine *engine;
    struct ot_kineto_parser parser;
    struct ot_kineto_raw raw;
    struct ot_kineto_builder builder;
    uint64_t n_events; /* that were met, damaged ones included */
    uint64_t n_yielded;

    bool is_object; /* and not a bare list of events */
    bool wants_key; /* in the object: a comma, or its brace, was last */
    bool may_close; /* in the object: there is no comma before */
    uint32_t seen;  /* bits of enum ot_kineto_member */
    struct ot_json_skip skip;
    struct ot_session session;
    struct ot_arena arena;

    struct ot_err trouble; /* the first damage; matters if nothing else is found */
    bool has_trouble;
};

/* --- trouble.c ------------------------------------------------------------------------------ */

/* All has been read that can be: OT_END, or what makes the whole of no use. */
int ot_trace_finish(struct ot_kineto_trace *trace, struct ot_err *err);

/* There are no more bytes, and `code` is what the source said to that: OT_END, or OT_ERR_INPUT with
 * its sentence in `err`. */
int ot_trace_end_early(struct ot_kineto_trace *trace, int code, struct ot_err *err);

/* Nothing can be made of the text at `at`, in the phase that the trace is in. Recovers, or is the
 * error. */
int ot_trace_damaged(struct ot_kineto_trace *trace, const unsigned char *at, const char *what,
                     struct ot_err *err);

/* The event that was just read cannot be believed; `err` says why. */
int ot_trace_disbelieve(struct ot_kineto_trace *trace, int code, struct ot_err *err);

/* Puts more bytes behind those from `keep` on, which become trace->at. */
int ot_trace_more(struct ot_kineto_trace *trace, const unsigned char *keep, struct ot_err *err);

/* A token came to nothing: as ot_trace_more() or ot_trace_damaged(). */
int ot_trace_stopped(struct ot_kineto_trace *trace, const struct ot_json_cursor *cur,
                     enum ot_json_code code, const unsigned char *keep, struct ot_err *err);

/* `number`: of an event, or 0. */
void ot_trace_warn(struct ot_kineto_trace *trace, enum ot_warning warning, uint64_t number,
                   const unsigned char *at);

/* --- outline.c ------------------------------------------------------------------------------ */

/* The phases of the outermost object; each does one step. */
int ot_trace_read_object(struct ot_kineto_trace *trace, struct ot_event *event, struct ot_err *err);
int ot_trace_read_skipped(struct ot_kineto_trace *trace, struct ot_event *event,
                          struct ot_err *err);

/* The list of events begins at `at`, behind its bracket. */
void ot_trace_enter_list(struct ot_kineto_trace *trace, const unsigned char *at);

#endif
