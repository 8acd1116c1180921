/* Logs here are written as the tracer writes them: into a mapping of the file, by this process,
 * which is why it counts as one that runs. */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oplog.h"
#include "base/tick_clock.h"
#include "ingest/oplog/alive.h"
#include "ingest/oplog/follow.h"

enum { MAX_CHUNKS = 64, MAX_THREADS = 4, T = 100000 /* ns: the unit of time here */ };

struct writer_thread {
    uint64_t *words; /* of the chunk; NULL: none yet */
    size_t at;
    uint64_t base;
    uint32_t number;
    uint64_t n_events;
};

struct writer {
    char path[128];
    unsigned char *bytes;
    struct ot_oplog_header *header;
    size_t n_chunks;
    struct writer_thread threads[MAX_THREADS + 1];
    uint64_t *names;
    size_t names_at;
};

static char folder[64];
static int64_t start_ns; /* of the log that a test writes: 10000 units ago */

static struct ot_oplog_chunk *chunk_of(struct writer *writer, size_t number)
{
    return (struct ot_oplog_chunk *)(writer->bytes + OT_OPLOG_HEADER_BYTES +
                                     number * OT_OPLOG_CHUNK_BYTES);
}

static void read_boot_id(char ret_id[40])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(file);
    assert_int_equal(fread(ret_id, 1, 36, file), 36);
    ret_id[36] = '\0';
    fclose(file);
}

static void open_writer(struct writer *writer, const char *name, uint64_t options)
{
    *writer = (struct writer){0};
    snprintf(writer->path, sizeof(writer->path), "%s/%s", folder, name);
    size_t len = OT_OPLOG_HEADER_BYTES + (size_t)MAX_CHUNKS * OT_OPLOG_CHUNK_BYTES;
    int fd = open(writer->path, O_RDWR | O_CREAT | O_EXCL, 0666);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, OT_OPLOG_HEADER_BYTES), 0);
    writer->bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(writer->bytes != MAP_FAILED);
    close(fd);
    writer->header = (struct ot_oplog_header *)writer->bytes;
    *writer->header = (struct ot_oplog_header){
        .version = OT_OPLOG_VERSION,
        .header_bytes = OT_OPLOG_HEADER_BYTES,
        .chunk_bytes = OT_OPLOG_CHUNK_BYTES,
        .clock = OT_OPLOG_CLOCK_MONOTONIC,
        .options = options,
        .pid = getpid(),
        .host_name = "node",
        .opened = {(uint64_t)start_ns, start_ns, 1000000000},
    };
    read_boot_id(writer->header->boot_id);
    memcpy(writer->header->magic, OT_OPLOG_MAGIC, 8);
}

static void close_writer(struct writer *writer)
{
    munmap(writer->bytes, OT_OPLOG_HEADER_BYTES + (size_t)MAX_CHUNKS * OT_OPLOG_CHUNK_BYTES);
    unlink(writer->path);
}

static uint64_t *new_chunk(struct writer *writer, uint32_t kind)
{
    size_t number = writer->n_chunks++;
    assert_true(number < MAX_CHUNKS);
    assert_int_equal(truncate(writer->path, OT_OPLOG_HEADER_BYTES +
                                                (off_t)writer->n_chunks * OT_OPLOG_CHUNK_BYTES),
                     0);
    writer->header->n_chunks = writer->n_chunks;
    chunk_of(writer, number)->kind = kind;
    return (uint64_t *)(chunk_of(writer, number) + 1);
}

static void name(struct writer *writer, uint32_t id, uint8_t kind, const char *first)
{
    struct ot_oplog_name entry = {.id = id, .kind = kind, .first_len = (uint32_t)strlen(first)};
    if (!writer->names)
        writer->names = new_chunk(writer, OT_OPLOG_CHUNK_NAMES);
    char *at = (char *)&writer->names[writer->names_at];
    memcpy(at + sizeof(entry), first, entry.first_len);
    memcpy(at, &entry, sizeof(entry));
    writer->names_at += (sizeof(entry) + entry.first_len + 7) / 8;
}

static void usual_names(struct writer *writer)
{
    name(writer, 1, OT_OPLOG_NAME_OPERATOR, "outer");
    name(writer, 2, OT_OPLOG_NAME_OPERATOR, "inner");
    name(writer, 3, OT_OPLOG_NAME_ANNOTATION, "step");
}

/* The thread goes on at word `at` of `words`. */
static void segment(struct writer *writer, uint32_t thread, uint64_t *words, size_t at,
                    uint64_t base)
{
    struct writer_thread *to = &writer->threads[thread];
    struct ot_oplog_segment s = {.thread = thread,
                                 .number = to->number++,
                                 .tid = (uint64_t)getpid(),
                                 .base_ticks = base,
                                 .events_before = to->n_events,
                                 .thread_name = "tester"};
    memcpy(&words[at + 1], &s, sizeof(s));
    words[at] = OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0);
    to->words = words;
    to->at = at + 1 + sizeof(s) / 8;
    to->base = base;
}

static void word(struct writer *writer, uint32_t thread, uint64_t value)
{
    struct writer_thread *to = &writer->threads[thread];
    to->words[to->at++] = value;
}

static void make_room(struct writer *writer, uint32_t thread, uint64_t ticks)
{
    struct writer_thread *to = &writer->threads[thread];
    if (!to->words || to->at + 4 > OT_OPLOG_CHUNK_WORDS)
        segment(writer, thread, new_chunk(writer, OT_OPLOG_CHUNK_EVENTS), 0, ticks);
}

static void event(struct writer *writer, uint32_t thread, unsigned record, uint32_t id,
                  uint64_t ticks)
{
    struct writer_thread *to = &writer->threads[thread];
    make_room(writer, thread, ticks);
    to->n_events++;
    word(writer, thread, OT_OPLOG_WORD(record, id, ticks - to->base));
}

/* Units of time after the start of the log. */
static uint64_t at(double t)
{
    return (uint64_t)start_ns + (uint64_t)(t * T);
}

static void enter(struct writer *writer, uint32_t thread, uint32_t id, double t)
{
    event(writer, thread, OT_OPLOG_ENTRY, id, at(t));
}

static void leave(struct writer *writer, uint32_t thread, uint32_t id, double t)
{
    event(writer, thread, OT_OPLOG_EXIT, id, at(t));
}

/* Now, in that measure. What is written is in time if it lies between two polls. */
static double now_t(void)
{
    return (double)(ot_tick_clock_ns(CLOCK_MONOTONIC) - start_ns) / T;
}

/* `thread` ends the call that began at `began` on thread `home`. */
static void leave_of(struct writer *writer, uint32_t thread, uint32_t id, double t, uint32_t home,
                     double began)
{
    struct writer_thread *to = &writer->threads[thread];
    make_room(writer, thread, at(t));
    to->words[to->at + 1] = home;
    to->words[to->at + 2] = at(began);
    event(writer, thread, OT_OPLOG_EXIT_OF, id, at(t));
    writer->header->n_exits_of++;
    to->at += 2;
}

static struct ot_follow *start(uint64_t lookback_ns, size_t max_chunks)
{
    struct ot_follow *follow = NULL;
    struct ot_err err;
    struct ot_follow_opts opts = {.lookback_ns = lookback_ns, .max_chunks = max_chunks};
    assert_int_equal(ot_follow_open(folder, &opts, &follow, &err), OT_OK);
    return follow;
}

static struct ot_follow_poll poll_once(struct ot_follow *follow)
{
    struct ot_err err;
    struct ot_follow_poll poll;
    assert_int_equal(ot_follow_poll(follow, &poll, &err), OT_OK);
    return poll;
}

static struct ot_follow_call call_of(const struct ot_follow_poll *poll, const char *wanted)
{
    for (size_t i = 0; i < poll->n_calls; i++) {
        if (ot_text_same(poll->calls[i].name, ot_text_of(wanted)))
            return poll->calls[i];
    }
    return (struct ot_follow_call){0};
}

static const uint64_t minute = UINT64_C(60) * 1000000000;

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/ot-follow-XXXXXX");
    start_ns = ot_tick_clock_ns(CLOCK_MONOTONIC) - INT64_C(10000) * T;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

/* --- tests -------------------------------------------------------------------------------------
 */

static void calls_are_told_once_with_their_self_times(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, 1, 10);
    enter(&writer, 1, 2, 12);
    leave(&writer, 1, 2, 15);
    leave(&writer, 1, 1, 20);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_events, 4);
    assert_int_equal(poll.n_alive, 1);
    assert_int_equal(poll.n_processes, 1);
    assert_null(poll.trouble);
    assert_int_equal(call_of(&poll, "outer").self_ns, 7 * T);
    assert_int_equal(call_of(&poll, "outer").inclusive_ns, 10 * T);
    assert_int_equal(call_of(&poll, "outer").n_calls, 1);
    assert_int_equal(call_of(&poll, "inner").self_ns, 3 * T);
    assert_int_equal(poll.n_threads, 1);
    assert_int_equal(poll.threads[0].busy_ns, 10 * T);
    assert_int_equal(poll.threads[0].n_calls, 2);
    assert_true(ot_text_same(poll.threads[0].name, ot_text_of("tester")));
    assert_in_range(poll.wall_ns, 10000 * (uint64_t)T, 20000 * (uint64_t)T);

    poll = poll_once(follow);
    assert_int_equal(poll.n_events, 0);
    assert_int_equal(poll.n_calls, 0);
    double now = now_t();
    usleep(5000);
    enter(&writer, 1, 2, now);
    leave(&writer, 1, 2, now + 1);
    poll = poll_once(follow);
    assert_int_equal(poll.n_calls, 1);
    assert_int_equal(call_of(&poll, "inner").self_ns, 1 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void a_call_that_goes_on_gets_its_time_as_it_passes(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, 1, 9000);
    struct ot_follow_poll poll = poll_once(follow);
    uint64_t first_ns = call_of(&poll, "outer").self_ns;
    assert_in_range(first_ns, 1000 * T, 9000 * (uint64_t)T);
    assert_int_equal(call_of(&poll, "outer").n_calls, 0);
    assert_true(ot_text_same(poll.threads[0].current, ot_text_of("outer")));
    usleep(20000);
    poll = poll_once(follow);
    assert_int_equal(call_of(&poll, "outer").self_ns, poll.wall_ns);
    assert_int_equal(poll.threads[0].busy_ns, poll.wall_ns);
    assert_true(poll.wall_ns >= 20 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void what_was_before_the_first_look_does_not_count(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    enter(&writer, 1, 2, 100);
    leave(&writer, 1, 2, 200);
    enter(&writer, 1, 1, 5000);
    struct ot_follow *follow = start(10 * T, 0);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_events, 0);
    assert_int_equal(poll.wall_ns, 10 * T);
    assert_int_equal(poll.n_calls, 1);
    /* It has been open all the time. */
    assert_int_equal(call_of(&poll, "outer").self_ns, 10 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void annotations_take_no_time_from_operators(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, 1, 10);
    enter(&writer, 1, 3, 11);
    leave(&writer, 1, 1, 20);
    leave(&writer, 1, 3, 25);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(call_of(&poll, "outer").self_ns, 10 * T);
    assert_int_equal(call_of(&poll, "step").self_ns, 14 * T);
    assert_true(call_of(&poll, "step").is_annotation);
    assert_int_equal(poll.threads[0].busy_ns, 10 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void an_end_on_another_thread_ends_the_call_at_home(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    /* The end lies in an earlier chunk than the beginning; and in an earlier look, too. */
    leave_of(&writer, 2, 1, 30, 1, 10);
    enter(&writer, 1, 1, 10);
    enter(&writer, 1, 2, 20);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(call_of(&poll, "outer").inclusive_ns, 20 * T);
    assert_int_equal(call_of(&poll, "outer").self_ns, 10 * T);
    assert_int_equal(call_of(&poll, "outer").n_calls, 1);
    leave(&writer, 1, 2, 9980);
    enter(&writer, 1, 1, 9981);
    poll_once(follow);
    leave_of(&writer, 2, 1, 9985, 1, 9981);
    poll = poll_once(follow);
    assert_int_equal(call_of(&poll, "outer").n_calls, 1);
    assert_int_equal(call_of(&poll, "outer").inclusive_ns, 4 * T);
    poll = poll_once(follow);
    assert_int_equal(poll.n_calls, 0);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void what_follows_a_call_is_no_part_of_it_wherever_it_ended(void **state)
{
    (void)state;
    enum { CALLS = 20000 };
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    /* All that the calls' own thread does lies before the ends, which are on another. */
    for (int i = 0; i < CALLS; i++) {
        enter(&writer, 1, 1, 1 + i * 0.1);
        enter(&writer, 1, 2, 1 + i * 0.1 + 0.05);
        leave(&writer, 1, 2, 1 + i * 0.1 + 0.07);
    }
    for (int i = 0; i < CALLS; i++)
        leave_of(&writer, 2, 1, 1 + i * 0.1 + 0.04, 1, 1 + i * 0.1);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(call_of(&poll, "outer").n_calls, CALLS);
    assert_int_equal(call_of(&poll, "inner").n_calls, CALLS);
    assert_in_range(call_of(&poll, "outer").self_ns, CALLS * 0.04 * T - CALLS,
                    CALLS * 0.04 * T + CALLS);
    assert_in_range(call_of(&poll, "outer").inclusive_ns, CALLS * 0.04 * T - CALLS,
                    CALLS * 0.04 * T + CALLS);
    assert_in_range(call_of(&poll, "inner").self_ns, CALLS * 0.02 * T - CALLS,
                    CALLS * 0.02 * T + CALLS);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void segments_count_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    poll_once(follow);
    /* Thread 1 ends in the second chunk, and thread 2 goes on there, from the first to the third
     * and back. */
    uint64_t *first = new_chunk(&writer, OT_OPLOG_CHUNK_EVENTS);
    uint64_t *second = new_chunk(&writer, OT_OPLOG_CHUNK_EVENTS);
    uint64_t *third = new_chunk(&writer, OT_OPLOG_CHUNK_EVENTS);
    double t = now_t();
    usleep(5000);
    segment(&writer, 1, second, 0, at(t + 1));
    enter(&writer, 1, 2, t + 2);
    leave(&writer, 1, 2, t + 3);
    segment(&writer, 2, third, 0, at(t + 10));
    enter(&writer, 2, 1, t + 11);
    segment(&writer, 2, first, 0, at(t + 12));
    enter(&writer, 2, 2, t + 13);
    segment(&writer, 2, second, writer.threads[1].at, at(t + 14));
    leave(&writer, 2, 2, t + 15);
    leave(&writer, 2, 1, t + 17);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_skipped, 0);
    assert_int_equal(poll.n_events, 6);
    assert_int_equal(call_of(&poll, "outer").inclusive_ns, 6 * T);
    assert_int_equal(call_of(&poll, "inner").inclusive_ns, 3 * T);
    assert_int_equal(call_of(&poll, "inner").n_calls, 2);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void a_ring_that_was_faster_costs_what_is_counted(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", OT_OPLOG_RING);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    uint64_t *first = new_chunk(&writer, OT_OPLOG_CHUNK_EVENTS);
    uint64_t *second = new_chunk(&writer, OT_OPLOG_CHUNK_EVENTS);
    segment(&writer, 1, first, 0, at(1));
    enter(&writer, 1, 1, 2);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_events, 1);
    /* 4 more in the first chunk, then the second, then the first again: the 4 are never seen. */
    writer.threads[1].n_events += 4;
    segment(&writer, 1, second, 0, at(20));
    enter(&writer, 1, 2, 21);
    leave(&writer, 1, 2, 22);
    memset(first, 0, OT_OPLOG_CHUNK_WORDS * sizeof(*first));
    chunk_of(&writer, 1)->generation = 1;
    segment(&writer, 1, first, 0, at(30));
    enter(&writer, 1, 2, 31);
    leave(&writer, 1, 2, 33);
    poll = poll_once(follow);
    assert_int_equal(poll.n_skipped, 4);
    assert_int_equal(poll.n_events, 4);
    assert_int_equal(call_of(&poll, "inner").inclusive_ns, 3 * T);
    /* The call that was open is not known to be, now. */
    assert_int_equal(call_of(&poll, "outer").n_calls, 0);

    /* Used again while nothing was known to be in it any more. */
    memset(second, 0, OT_OPLOG_CHUNK_WORDS * sizeof(*second));
    chunk_of(&writer, 2)->generation = 1;
    segment(&writer, 1, second, 0, at(40));
    enter(&writer, 1, 2, 41);
    leave(&writer, 1, 2, 45);
    poll = poll_once(follow);
    assert_int_equal(poll.n_skipped, 0);
    assert_int_equal(call_of(&poll, "inner").inclusive_ns, 4 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void what_is_too_much_for_a_poll_is_skipped_and_counted(void **state)
{
    (void)state;
    enum { CALLS = 30000, LIMIT = 2 };
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, LIMIT);
    enter(&writer, 1, 2, 0.5);
    leave(&writer, 1, 2, 0.6);
    poll_once(follow);
    for (int i = 0; i < CALLS; i++) {
        enter(&writer, 1, 2, 1 + i * 0.01);
        leave(&writer, 1, 2, 1 + i * 0.01 + 0.005);
    }
    struct ot_follow_poll poll = poll_once(follow);
    assert_true(poll.n_events > 8000);
    assert_true(poll.n_events <= (LIMIT + 1) * OT_OPLOG_CHUNK_WORDS);
    assert_int_equal(call_of(&poll, "inner").n_calls, poll.n_events / 2);
    assert_int_equal(poll.n_skipped + poll.n_events, 2 * CALLS);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void names_and_logs_that_come_later_are_found(void **state)
{
    (void)state;
    struct writer writer;
    struct writer other;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    poll_once(follow);
    open_writer(&other, "2.oplog", 0);
    name(&other, 1, OT_OPLOG_NAME_OPERATOR, "other");
    double now = now_t();
    usleep(5000);
    enter(&other, 1, 1, now);
    leave(&other, 1, 1, now + 1);
    name(&writer, 4, OT_OPLOG_NAME_OPERATOR, "late");
    enter(&writer, 1, 4, now);
    leave(&writer, 1, 4, now + 2);
    enter(&writer, 1, OT_OPLOG_NO_NAME, now + 2);
    leave(&writer, 1, OT_OPLOG_NO_NAME, now + 3);
    enter(&writer, 1, 77, now + 3);
    leave(&writer, 1, 77, now + 4);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_processes, 2);
    assert_int_equal(poll.n_alive, 2);
    assert_int_equal(call_of(&poll, "late").self_ns, 2 * T);
    assert_int_equal(call_of(&poll, "other").self_ns, 1 * T);
    assert_int_equal(call_of(&poll, "(name not kept)").n_calls, 2);
    ot_follow_close(follow);
    close_writer(&writer);
    close_writer(&other);
}

static void an_annotation_whose_name_was_not_kept_takes_no_operators_time(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, OT_OPLOG_NO_ANNOTATION, 10);
    enter(&writer, 1, OT_OPLOG_NO_NAME, 12);
    leave(&writer, 1, OT_OPLOG_NO_NAME, 15);
    leave(&writer, 1, OT_OPLOG_NO_ANNOTATION, 20);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_calls, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct ot_follow_call *call = &poll.calls[i];
        assert_true(ot_text_same(call->name, ot_text_of("(name not kept)")));
        assert_int_equal(call->inclusive_ns, (call->is_annotation ? 10 : 3) * T);
    }
    assert_true(poll.calls[0].is_annotation != poll.calls[1].is_annotation);
    assert_int_equal(poll.threads[0].busy_ns, 3 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void time_ends_with_the_last_event_of_one_that_has_stopped(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, 1, 10);
    enter(&writer, 1, 2, 30);
    leave(&writer, 1, 2, 40);
    writer.header->stop_reason = OT_OPLOG_STOP_SIZE;
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(call_of(&poll, "outer").self_ns, 20 * T);
    assert_int_equal(call_of(&poll, "inner").self_ns, 10 * T);
    assert_int_equal(poll.threads[0].busy_ns, 30 * T);
    assert_int_equal(poll.threads[0].current.len, 0);
    usleep(2000);
    assert_int_equal(poll_once(follow).n_calls, 0);
    writer.header->closed =
        (struct ot_oplog_moment){at(1000), (int64_t)at(1000), 1000000000 + 1000 * T};
    assert_int_equal(poll_once(follow).n_calls, 0);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void the_last_seconds_of_what_has_ended_can_be_looked_at(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    enter(&writer, 1, 2, 10);
    leave(&writer, 1, 2, 20);
    enter(&writer, 1, 1, 900);
    enter(&writer, 1, 2, 960);
    leave(&writer, 1, 2, 970);
    writer.header->closed =
        (struct ot_oplog_moment){at(1000), (int64_t)at(1000), 1000000000 + 1000 * T};
    struct ot_follow *follow = start(100 * T, 0);
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_alive, 0);
    assert_int_equal(poll.wall_ns, 100 * T);
    assert_int_equal(call_of(&poll, "outer").self_ns, 90 * T);
    assert_int_equal(call_of(&poll, "inner").self_ns, 10 * T);
    assert_int_equal(poll.last_ns, 1000000000 + 1000 * T);
    poll = poll_once(follow);
    assert_int_equal(poll.n_calls, 0);
    assert_int_equal(poll.n_processes, 1);
    ot_follow_close(follow);

    /* Likewise if it was killed; the last event is then the last that is known. */
    writer.header->closed = (struct ot_oplog_moment){0};
    writer.header->pid = INT32_MAX;
    follow = start(70 * T, 0);
    poll = poll_once(follow);
    assert_int_equal(poll.n_alive, 0);
    assert_int_equal(call_of(&poll, "outer").self_ns, 60 * T);
    assert_int_equal(call_of(&poll, "inner").self_ns, 10 * T);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void losses_and_stops_are_told(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    writer.header->lost_events = 12;
    writer.header->lost_names = 3;
    writer.header->stop_reason = OT_OPLOG_STOP_SIZE;
    struct ot_follow_poll poll = poll_once(follow);
    assert_int_equal(poll.n_lost, 12);
    assert_int_equal(poll.n_lost_names, 3);
    assert_int_equal(poll.n_stopped, 1);
    assert_int_equal(poll.stop_reason, OT_OPLOG_STOP_SIZE);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void damage_costs_no_more_than_its_chunk(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, 1, 10);
    word(&writer, 1, UINT64_MAX);
    enter(&writer, 2, 2, 10);
    leave(&writer, 2, 2, 11);
    struct ot_follow_poll poll = poll_once(follow);
    assert_non_null(poll.trouble);
    assert_non_null(strstr(poll.trouble, "1.oplog: chunk 1, word 10"));
    assert_int_equal(call_of(&poll, "inner").n_calls, 1);
    poll_once(follow);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void a_file_that_is_cut_short_is_no_crash(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    usual_names(&writer);
    struct ot_follow *follow = start(minute, 0);
    enter(&writer, 1, 1, 10);
    leave(&writer, 1, 1, 11);
    poll_once(follow);
    assert_int_equal(truncate(writer.path, OT_OPLOG_HEADER_BYTES + OT_OPLOG_CHUNK_BYTES + 100), 0);
    poll_once(follow);
    assert_int_equal(truncate(writer.path, 3), 0);
    poll_once(follow);
    poll_once(follow);
    ot_follow_close(follow);
    follow = start(minute, 0);
    for (int i = 0; i < 6; i++)
        poll_once(follow);
    assert_non_null(poll_once(follow).trouble);
    ot_follow_close(follow);
    close_writer(&writer);
}

static void a_folder_that_is_gone_is_an_error(void **state)
{
    (void)state;
    struct ot_follow *follow = start(minute, 0);
    struct ot_follow_poll poll = poll_once(follow);
    struct ot_err err;
    assert_int_equal(poll.n_processes, 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(ot_follow_poll(follow, &poll, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, folder));
    ot_follow_close(follow);
    struct ot_follow_opts opts = {0};
    assert_int_equal(ot_follow_open(folder, &opts, &follow, &err), OT_ERR_IO);
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void who_writes_a_log_is_told_from_who_has_his_number(void **state)
{
    (void)state;
    struct writer writer;
    open_writer(&writer, "1.oplog", 0);
    assert_int_equal(ot_oplog_life(writer.header), OT_OPLOG_RUNS);
    assert_true(ot_oplog_process_writes(getpid(), "1.oplog"));
    assert_false(ot_oplog_process_writes(getpid(), "2.oplog"));
    /* The log was there before the process that has the number now. */
    writer.header->opened.monotonic_ns = 1;
    assert_int_equal(ot_oplog_life(writer.header), OT_OPLOG_NOT_SEEN);
    writer.header->opened.monotonic_ns = start_ns;
    writer.header->boot_id[0] ^= 1;
    assert_int_equal(ot_oplog_life(writer.header), OT_OPLOG_NOT_SEEN);
    writer.header->closed.ticks = 1;
    assert_int_equal(ot_oplog_life(writer.header), OT_OPLOG_ENDED);
    close_writer(&writer);
}

/* A random program of a few threads, whose log is looked at every now and then: what is told adds
 * up to what it did, however it was cut. */
static void looks_add_up_however_they_lie(void **state)
{
    (void)state;
    enum { EVENTS = 60000, DEEP = 6 };
    for (unsigned seed = 1; seed <= 8; seed++) {
        struct writer writer;
        uint32_t stacks[MAX_THREADS + 1][DEEP];
        uint64_t entries[MAX_THREADS + 1][DEEP];
        size_t depth[MAX_THREADS + 1] = {0};
        uint64_t last[MAX_THREADS + 1] = {0};
        uint64_t self_ns[3] = {0};
        uint64_t inclusive_ns[3] = {0};
        uint64_t n_calls[3] = {0};
        struct {
            uint64_t inclusive_ns;
            uint64_t n_calls;
        } told[3] = {0};
        uint64_t n_told = 0;
        srand(seed);
        open_writer(&writer, "1.oplog", 0);
        usual_names(&writer);
        struct ot_follow *follow = start(minute, 0);
        for (int i = 0; i < EVENTS; i++) {
            uint32_t t = 1 + (uint32_t)rand() % MAX_THREADS;
            /* The last ones end whatever is open. */
            bool ends = depth[t] == DEEP || rand() % 2 || EVENTS - i < 4 * 500;
            double when = 1 + i * 0.1;
            uint64_t now = at(when);
            if (ends && depth[t] == 0)
                continue;
            if (depth[t])
                self_ns[stacks[t][depth[t] - 1]] += now - last[t];
            last[t] = now;
            if (ends) {
                uint32_t id = stacks[t][--depth[t]];
                inclusive_ns[id] += now - entries[t][depth[t]];
                n_calls[id]++;
                leave(&writer, t, id, when);
            } else {
                uint32_t id = 1 + (uint32_t)rand() % 2;
                stacks[t][depth[t]] = id;
                entries[t][depth[t]++] = now;
                enter(&writer, t, id, when);
            }
            if (rand() % 3000 == 0 || i == EVENTS - 1) {
                struct ot_follow_poll poll = poll_once(follow);
                assert_int_equal(poll.n_skipped, 0);
                n_told += poll.n_events;
                for (uint32_t id = 1; id < 3; id++) {
                    struct ot_follow_call call = call_of(&poll, id == 1 ? "outer" : "inner");
                    told[id].inclusive_ns += call.inclusive_ns;
                    told[id].n_calls += call.n_calls;
                }
            }
        }
        struct ot_follow_poll poll = poll_once(follow);
        n_told += poll.n_events;
        uint64_t n_written = 0;
        for (uint32_t t = 1; t <= MAX_THREADS; t++) {
            assert_int_equal(depth[t], 0);
            n_written += writer.threads[t].n_events;
        }
        assert_int_equal(n_told, n_written);
        for (uint32_t id = 1; id < 3; id++) {
            struct ot_follow_call call = call_of(&poll, id == 1 ? "outer" : "inner");
            assert_int_equal(told[id].inclusive_ns + call.inclusive_ns, inclusive_ns[id]);
            assert_int_equal(told[id].n_calls + call.n_calls, n_calls[id]);
        }
        ot_follow_close(follow);

        /* All at once, the self times are those that they are: no look has ended in a call. */
        follow = start(minute, 0);
        poll = poll_once(follow);
        assert_int_equal(call_of(&poll, "outer").self_ns, self_ns[1]);
        assert_int_equal(call_of(&poll, "inner").self_ns, self_ns[2]);
        ot_follow_close(follow);
        close_writer(&writer);
    }
}

static void nothing_in_a_file_is_a_crash(void **state)
{
    (void)state;
    enum { ROUNDS = 400, MAX_FLIPS = 20 };
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        struct writer writer;
        srand(seed);
        open_writer(&writer, "1.oplog", seed % 2 ? OT_OPLOG_RING : 0);
        usual_names(&writer);
        for (int i = 0; i < 30; i++) {
            enter(&writer, 1 + i % 3, 1 + i % 2, i);
            leave_of(&writer, 2, 1 + i % 2, i + 0.5, 1 + i % 3, i);
        }
        struct ot_follow *follow = start(minute, seed % 7);
        for (int round = 0; round < 3; round++) {
            int n_flips = rand() % MAX_FLIPS;
            for (int i = 0; i < n_flips; i++) {
                size_t chunk = (size_t)rand() % (writer.n_chunks + 1);
                size_t start_at =
                    chunk ? OT_OPLOG_HEADER_BYTES + (chunk - 1) * OT_OPLOG_CHUNK_BYTES : 12;
                size_t len = chunk ? 700 : sizeof(struct ot_oplog_header) - 12;
                unsigned char *byte = &writer.bytes[start_at + (size_t)rand() % len];
                *byte = rand() % 2 ? (unsigned char)rand() : (unsigned char)(*byte ^ 0x80);
            }
            poll_once(follow);
        }
        ot_follow_close(follow);
        close_writer(&writer);
    }
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    /* A process that began after its log was opened is not the one that opened it. */
    usleep(1200000);
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(calls_are_told_once_with_their_self_times),
        WITH_FOLDER(a_call_that_goes_on_gets_its_time_as_it_passes),
        WITH_FOLDER(what_was_before_the_first_look_does_not_count),
        WITH_FOLDER(annotations_take_no_time_from_operators),
        WITH_FOLDER(an_end_on_another_thread_ends_the_call_at_home),
        WITH_FOLDER(what_follows_a_call_is_no_part_of_it_wherever_it_ended),
        WITH_FOLDER(segments_count_in_the_order_of_their_numbers),
        WITH_FOLDER(a_ring_that_was_faster_costs_what_is_counted),
        WITH_FOLDER(what_is_too_much_for_a_poll_is_skipped_and_counted),
        WITH_FOLDER(names_and_logs_that_come_later_are_found),
        WITH_FOLDER(an_annotation_whose_name_was_not_kept_takes_no_operators_time),
        WITH_FOLDER(time_ends_with_the_last_event_of_one_that_has_stopped),
        WITH_FOLDER(the_last_seconds_of_what_has_ended_can_be_looked_at),
        WITH_FOLDER(losses_and_stops_are_told),
        WITH_FOLDER(damage_costs_no_more_than_its_chunk),
        WITH_FOLDER(a_file_that_is_cut_short_is_no_crash),
        WITH_FOLDER(a_folder_that_is_gone_is_an_error),
        WITH_FOLDER(who_writes_a_log_is_told_from_who_has_his_number),
        WITH_FOLDER(nothing_in_a_file_is_a_crash),
        WITH_FOLDER(looks_add_up_however_they_lie),
    };
    return RUN(tests);
}
