/* follow.h: what goes on in a recording that is being made.
 *
 * From the folder of the built-in writer's logs, each poll tells what has happened since the one
 * before: how long each operator ran and how often, and what each thread was in. Time is counted as
 * it passes, not when a call ends, so the self times of a thread never exceed the time that is
 * looked at. What was called before the first look is not known: it counts from its next call on.
 *
 * Files are read and nothing else: the program does not notice. A poll's work and the memory are
 * bounded: what is too much is skipped, and counted. One thread.
 */
#ifndef OT_INGEST_OPLOG_FOLLOW_H
#define OT_INGEST_OPLOG_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct ot_follow;

struct ot_follow_opts {
    uint64_t lookback_ns; /* how far before now the first poll begins */
    size_t max_chunks;    /* new ones of each log, of 64 KiB, that are looked into for each second
                             since the last poll; 0: a default */
};

/* An operator or annotation of one process, since the last poll. */
struct ot_follow_call {
    struct ot_text name;
    bool is_annotation;
    uint64_t self_ns;
    uint64_t inclusive_ns; /* of the calls that ended */
    uint64_t n_calls;      /* that ended */
};

struct ot_follow_thread {
    uint64_t key; /* its own as long as it is followed */
    struct ot_text host;
    struct ot_text name;
    struct ot_text current; /* the operator it is in; empty: none, or not known */
    int64_t pid;
    uint64_t tid;
    uint64_t busy_ns; /* in any operator, since the last poll */
    uint64_t n_calls;
    bool lives;
};

/* Texts and arrays are valid until the next poll. */
struct ot_follow_poll {
    uint64_t wall_ns;
    uint64_t n_events;
    uint64_t n_skipped;
    uint64_t grown_bytes;
    const struct ot_follow_call *calls; /* the same name once for each process */
    size_t n_calls;
    const struct ot_follow_thread *threads; /* those that live, or have since the last poll */
    size_t n_threads;

    /* Of the whole recording. */
    struct ot_text host; /* of one of the processes */
    size_t n_hosts;
    uint64_t n_processes;
    uint64_t n_alive;
    uint64_t log_bytes;
    uint64_t n_lost;
    uint64_t n_lost_names; /* their calls count under one that says so */
    uint64_t n_stopped;    /* processes that stopped recording */
    uint32_t stop_reason;  /* of one of them, as the log has it */
    int64_t started_ns;    /* the first process, since the epoch; 0: none yet */
    int64_t last_ns;       /* the end of the last process, where none is alive */
    const char *trouble;   /* with one of the logs; NULL: none */
};

/* OT_ERR_IO: the folder cannot be read. Whether it is a recording is not asked. */
int ot_follow_open(const char *folder, const struct ot_follow_opts *opts,
                   struct ot_follow **ret_follow, struct ot_err *err);

/* OT_ERR_IO: the folder is gone. What is wrong with one log is only its poll's `trouble`. Where no
 * process is alive, the first poll is of the time before the end of the last one. */
int ot_follow_poll(struct ot_follow *follow, struct ot_follow_poll *ret_poll, struct ot_err *err);

void ot_follow_close(struct ot_follow *follow);

#endif
