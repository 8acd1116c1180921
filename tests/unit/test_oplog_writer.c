/* The built-in writer against a PyTorch made of functions here: what it wrote is all there, and the
 * program does not notice. Runs with ThreadSanitizer too. */
#include "pretend_torch.h"
#include "written_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "tracer/builtin/process.h"
#include "tracer/builtin/record.h"
#include "tracer/builtin/state.h"
#include "tracer/builtin/thread.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { IS_SLOW = 1 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { IS_SLOW = 1 };
#else
enum { IS_SLOW = 0 };
#endif
#else
enum { IS_SLOW = 0 };
#endif

enum { N_THREADS = 8, N_OPERATORS = 300, N_ROUNDS = IS_SLOW ? 10000 : 120000 };

static struct {
    char name[48];
    char overload[24];
} operators[N_OPERATORS];

/* Short and long, with and without an overload. */
static void name_operators(void)
{
    for (int i = 0; i < N_OPERATORS; i++) {
        snprintf(operators[i].name, sizeof(operators[i].name),
                 i % 5 ? "aten::op_%d" : "autograd::engine::evaluate_function: Op%d", i);
        if (i % 7 != 0)
            snprintf(operators[i].overload, sizeof(operators[i].overload),
                     i % 11 ? "out_%d" : "a_longer_overload_%d", i);
    }
}

static int operator_of(int thread, int round, int depth)
{
    return (thread + 7 * round + 31 * depth) % N_OPERATORS;
}

/* Three calls deep, so that each round is six events. */
static void run_round(int thread, int round)
{
    struct record_function rf[3];
    for (int d = 0; d < 3; d++) {
        int i = operator_of(thread, round, d);
        rf[d] = (struct record_function){
            .name = operators[i].name, .overload = operators[i].overload, .sequence = -1};
        begin(&rf[d]);
    }
    for (int d = 2; d >= 0; d--)
        end(&rf[d]);
}

/* The first `n` events are those of a thread that ran rounds from 0. */
static void check_rounds(const struct log *log, const struct log_thread *thread, int number)
{
    for (size_t k = 0; k < thread->n; k++) {
        int step = (int)(k % 6);
        int i = operator_of(number, (int)(k / 6), step < 3 ? step : 5 - step);
        assert_int_equal(thread->events[k].record, step < 3 ? OT_OPLOG_ENTRY : OT_OPLOG_EXIT);
        assert_true(
            log_name_is(log, thread->events[k].id, operators[i].name, operators[i].overload));
    }
}

/* Thread numbers of the log are in the order of first events; the first operator tells whose. */
static int number_from_first_event(const struct log *log, const struct log_thread *thread)
{
    for (int number = 0; number < N_THREADS; number++) {
        int i = operator_of(number, 0, 0);
        if (log_name_is(log, thread->events[0].id, operators[i].name, operators[i].overload))
            return number;
    }
    fail_msg("no thread begins so");
    return -1;
}

/* --- under load ------------------------------------------------------------------------------- */

static _Atomic bool is_registered;
static _Atomic int *progress; /* shared with the test: rounds that each thread has done */

static void *run_rounds(void *data)
{
    int number = (int)(intptr_t)data;
    while (!is_registered)
        sched_yield();
    for (int round = 0; round < N_ROUNDS; round++) {
        run_round(number, round);
        atomic_store_explicit(&progress[number], round + 1, memory_order_release);
    }
    return NULL;
}

static void start_threads(pthread_t threads[N_THREADS])
{
    for (intptr_t i = 0; i < N_THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run_rounds, (void *)i) == 0);
    pretend_open();
    is_registered = true;
}

static void run_all_rounds(void)
{
    pthread_t threads[N_THREADS];
    start_threads(threads);
    for (int i = 0; i < N_THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    ot_process_close(ot_builtin.process);
}

static void end_under_load(void)
{
    pthread_t threads[N_THREADS];
    start_threads(threads);
    while (progress[0] < N_ROUNDS / 3)
        sched_yield();
    ot_process_close(ot_builtin.process);
    for (int i = 0; i < N_THREADS; i++)
        pthread_detach(threads[i]);
}

static void be_killed_under_load(void)
{
    end_under_load();
    kill(getpid(), SIGKILL);
}

static void make_progress_shared(void)
{
    progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(progress, MAP_FAILED);
}

static void every_record_of_eight_threads_is_there(void **state)
{
    (void)state;
    struct log log;
    make_progress_shared();
    log_read(&log, path_of_log(run_in_child(run_all_rounds)));
    assert_int_equal(log.n_threads, N_THREADS);
    assert_int_equal(log.n_events, (uint64_t)N_THREADS * N_ROUNDS * 6);
    assert_int_equal(log.header.lost_events, 0);
    assert_int_equal(log.header.n_exits_of, 0);
    assert_int_equal(log.n_names[0], N_OPERATORS);
    for (uint32_t t = 1; t <= log.n_threads; t++) {
        assert_int_equal(log.threads[t].n, N_ROUNDS * 6);
        check_rounds(&log, &log.threads[t], number_from_first_event(&log, &log.threads[t]));
    }
    assert_true(log.header.closed.ticks > log.header.opened.ticks);
    assert_true(log.header.opened.ticks > log.header.loaded.ticks);
    log_release(&log);
}

static void check_progress(struct log *log)
{
    for (uint32_t t = 1; t <= log->n_threads; t++) {
        if (log->threads[t].n == 0)
            continue;
        int number = number_from_first_event(log, &log->threads[t]);
        assert_true(log->threads[t].n >= (size_t)progress[number] * 6);
        check_rounds(log, &log->threads[t], number);
    }
}

static void a_log_that_ends_under_load_has_all_that_was_done(void **state)
{
    (void)state;
    struct log log;
    make_progress_shared();
    log_read(&log, path_of_log(run_in_child(end_under_load)));
    check_progress(&log);
    log_release(&log);
}

static void a_killed_process_leaves_all_that_was_done(void **state)
{
    (void)state;
    struct log log;
    int status;
    make_progress_shared();
    setenv(OT_ENV_LOG_DIR, folder, 1);
    pid_t pid = fork();
    if (pid == 0)
        be_killed_under_load();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    log_read(&log, path_of_log(pid));
    check_progress(&log);
    log_release(&log);
}

/* --- time ------------------------------------------------------------------------------------- */

static void go_on_after_a_long_time(void)
{
    struct record_function rf = {.name = "aten::long", .overload = ""};
    pretend_open();
    call("aten::before", "");
    begin(&rf);
    /* As if the base lay further back than a record can say. */
    ot_thread_self->base_ticks -= UINT64_C(3) << OT_OPLOG_TICK_BITS;
    end(&rf);
    call("aten::after", "");
    ot_thread_self->base_ticks -= UINT64_C(3) << OT_OPLOG_TICK_BITS;
    call("aten::after", "");
}

static void times_beyond_a_record_get_a_new_base(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(go_on_after_a_long_time)));
    assert_int_equal(log.n_events, 8);
    const struct log_event *events = log.threads[1].events;
    assert_true(events[7].ticks - events[0].ticks < UINT64_C(1) << OT_OPLOG_TICK_BITS);
    assert_int_equal(log.threads[1].n_segments, 1);
    log_release(&log);
}

static void use_the_system_clock(void)
{
    ot_builtin.clock = OT_OPLOG_CLOCK_MONOTONIC;
    pretend_open();
    for (int i = 0; i < 10000; i++)
        call("aten::op", "out");
}

static void without_a_counter_ticks_are_nanoseconds(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(use_the_system_clock)));
    assert_int_equal(log.header.clock, OT_OPLOG_CLOCK_MONOTONIC);
    assert_int_equal(log.header.opened.ticks, log.header.opened.monotonic_ns);
    assert_int_equal(log.header.loaded.ticks, log.header.loaded.monotonic_ns);
    assert_int_equal(log.n_events, 20000);
    log_release(&log);
}

/* --- calls that do not nest ------------------------------------------------------------------- */

static void end_out_of_order(void)
{
    struct record_function a = {.name = "aten::same", .overload = ""};
    struct record_function b = {.name = "aten::same", .overload = ""};
    struct record_function scope = {.name = "scope"};
    pretend_open();
    begin(&a);
    begin_of(1, &scope);
    begin(&b);
    end(&a); /* not the newest */
    end_of(1, &scope);
    end(&b); /* the only one that is left */
    call("aten::after", "");
}

static void a_call_that_ends_out_of_order_says_which(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(end_out_of_order)));
    const struct log_event *events = log.threads[1].events;
    static const unsigned expected[] = {OT_OPLOG_ENTRY,   OT_OPLOG_ENTRY,   OT_OPLOG_ENTRY,
                                        OT_OPLOG_EXIT_OF, OT_OPLOG_EXIT_OF, OT_OPLOG_EXIT,
                                        OT_OPLOG_ENTRY,   OT_OPLOG_EXIT};
    assert_int_equal(log.threads[1].n, 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(events[i].record, expected[i]);
    assert_int_equal(events[3].words[0], 1);
    assert_int_equal(events[3].words[1], events[0].ticks);
    assert_int_equal(events[3].id, events[0].id);
    assert_int_equal(events[4].words[1], events[1].ticks);
    assert_int_equal(log.names[0][events[1].id].kind, OT_OPLOG_NAME_ANNOTATION);
    assert_int_equal(log.header.n_exits_of, 2);
    log_release(&log);
}

static void *end_here(void *data)
{
    end(data);
    return NULL;
}

static void *begin_here(void *data)
{
    begin(data);
    return NULL;
}

static void run_thread(void *(*run)(void *), void *data)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, data) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

enum { N_STRAYS = 1000 };

static void end_on_other_threads(void)
{
    struct record_function outer = {.name = "aten::outer", .overload = ""};
    struct record_function inner = {.name = "aten::inner", .overload = ""};
    pretend_open();
    begin(&outer);
    for (int i = 0; i < N_STRAYS; i++) {
        begin(&inner);
        run_thread(end_here, &inner);
    }
    end(&outer);
    /* Its thread has ended by then. */
    run_thread(begin_here, &inner);
    end(&inner);
    call("aten::last", "");
}

static void a_call_may_end_on_another_thread(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(end_on_other_threads)));
    assert_int_equal(log.header.n_exits_of, N_STRAYS + 1);
    assert_int_equal(log.n_threads, N_STRAYS + 2);
    const struct log_thread *main_thread = &log.threads[1];
    assert_int_equal(main_thread->n, 1 + N_STRAYS + 1 + 1 + 2);
    for (uint32_t t = 2; t < 2 + N_STRAYS; t++) {
        const struct log_event *event = &log.threads[t].events[0];
        assert_int_equal(log.threads[t].n, 1);
        assert_int_equal(event->record, OT_OPLOG_EXIT_OF);
        assert_int_equal(event->words[0], 1);
        assert_int_equal(event->words[1], main_thread->events[t - 1].ticks);
    }
    const struct log_event *end_of_outer = &main_thread->events[1 + N_STRAYS];
    assert_int_equal(end_of_outer->record, OT_OPLOG_EXIT);
    assert_int_equal(end_of_outer[1].record, OT_OPLOG_EXIT_OF);
    assert_int_equal(end_of_outer[1].words[0], N_STRAYS + 2);
    log_release(&log);
}

enum { DEEP = 5000 };

static void nest_deeply(void)
{
    static struct record_function calls[DEEP];
    pretend_open();
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < DEEP; i++) {
            calls[i] = (struct record_function){.name = operators[i % N_OPERATORS].name,
                                                .overload = operators[i % N_OPERATORS].overload};
            begin(&calls[i]);
        }
        for (int i = DEEP - 1; i >= 0; i--)
            end(&calls[i]);
    }
}

static void calls_may_nest_deeply(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(nest_deeply)));
    const struct log_thread *thread = &log.threads[1];
    assert_int_equal(thread->n, 4 * DEEP);
    assert_int_equal(log.header.n_exits_of, 0);
    for (size_t k = 0; k < thread->n; k++) {
        size_t i = k % (2 * DEEP);
        size_t expected = i < DEEP ? i : 2 * DEEP - 1 - i;
        assert_true(log_name_is(&log, thread->events[k].id, operators[expected % N_OPERATORS].name,
                                operators[expected % N_OPERATORS].overload));
    }
    log_release(&log);
}

enum { N_OVERLAPPING = IS_SLOW ? 20000 : 200000, N_OVERLAPPING_NAMES = 3 };

static long kilobytes_of_data(void)
{
    char line[256];
    long kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    CHECK(file);
    while (fgets(line, sizeof(line), file))
        sscanf(line, "VmData: %ld", &kilobytes);
    fclose(file);
    CHECK(kilobytes >= 0);
    return kilobytes;
}

/* Each begins before the one before it ends. */
static void overlap(void)
{
    struct record_function calls[2];
    long at_first = 0;
    pretend_open();
    for (int i = 0; i < N_OVERLAPPING; i++) {
        calls[i % 2] = (struct record_function){
            .name = operators[i % N_OVERLAPPING_NAMES].name, .overload = "", .sequence = -1};
        begin(&calls[i % 2]);
        if (i > 0)
            end(&calls[(i + 1) % 2]);
        if (i == 1000)
            at_first = kilobytes_of_data();
    }
    end(&calls[(N_OVERLAPPING - 1) % 2]);
    CHECK(IS_SLOW || kilobytes_of_data() - at_first < 256);
}

static void calls_may_overlap_without_end(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(overlap)));
    const struct log_event *events = log.threads[1].events;
    assert_int_equal(log.threads[1].n, 2 * N_OVERLAPPING);
    assert_int_equal(log.header.n_exits_of, N_OVERLAPPING - 1);
    assert_int_equal(log.header.lost_events, 0);
    const struct log_event *entry = &events[0];
    for (size_t i = 1; i < N_OVERLAPPING; i++) {
        const struct log_event *end_of_entry = &events[2 * i];
        assert_int_equal(entry->record, OT_OPLOG_ENTRY);
        assert_true(
            log_name_is(&log, entry->id, operators[(i - 1) % N_OVERLAPPING_NAMES].name, ""));
        assert_int_equal(end_of_entry->record, OT_OPLOG_EXIT_OF);
        assert_int_equal(end_of_entry->id, entry->id);
        assert_int_equal(end_of_entry->words[0], 1);
        assert_int_equal(end_of_entry->words[1], entry->ticks);
        entry = &events[2 * i - 1];
    }
    assert_int_equal(events[2 * N_OVERLAPPING - 1].record, OT_OPLOG_EXIT);
    assert_int_equal(events[2 * N_OVERLAPPING - 1].id, entry->id);
    log_release(&log);
}

static void ignore_contexts(void)
{
    struct ot_torch torch = pretend_torch();
    torch.keeps_context = false;
    pretend_open_with(torch);
    for (int i = 0; i < 300; i++) {
        struct record_function outer = {.name = "aten::outer", .overload = "out"};
        begin(&outer);
        CHECK(outer.context == NULL);
        call("aten::inner", "");
        end(&outer);
    }
}

static void a_pytorch_without_contexts_is_recorded_by_name(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(ignore_contexts)));
    const struct log_event *events = log.threads[1].events;
    assert_int_equal(log.n_events, 1200);
    assert_int_equal(events[3].record, OT_OPLOG_EXIT);
    assert_true(log_name_is(&log, events[3].id, "aten::outer", "out"));
    log_release(&log);
}

/* --- forks ------------------------------------------------------------------------------------ */

/* Also what no fork handler of libc sees. */
static pid_t clone_barely(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

enum { N_IN_CHILD = 20000 };

static void wait_for(pid_t pid)
{
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
}

static void run_in_children(pid_t (*fork_fn)(void))
{
    struct record_function open_call = {.name = "aten::open", .overload = ""};
    begin(&open_call);
    pid_t pid = fork_fn();
    if (pid == 0) {
        end(&open_call); /* it began in the parent's log */
        for (int i = 0; i < N_IN_CHILD; i++)
            call("aten::child", "");
        pid_t grandchild = fork_fn();
        if (grandchild == 0) {
            call("aten::grandchild", "");
            _exit(0);
        }
        wait_for(grandchild);
        call("aten::child", "");
        _exit(0);
    }
    wait_for(pid);
    end(&open_call);
    FILE *file = fopen(in_folder("children"), "a");
    fprintf(file, "%ld\n", (long)pid);
    fclose(file);
}

static void fork_in_every_way(void)
{
    pretend_open();
    call("aten::parent", "");
    run_in_children(fork);
    run_in_children(clone_barely);
    pid_t idle = fork(); /* a child without events has no file */
    if (idle == 0)
        _exit(0);
    wait_for(idle);
    CHECK(access(path_of_log(idle), F_OK) != 0);
    call("aten::parent", "");
}

static void a_forked_child_has_a_log_of_its_own(void **state)
{
    (void)state;
    struct log log;
    long child;
    pid_t parent = run_in_child(fork_in_every_way);
    log_read(&log, path_of_log(parent));
    assert_int_equal(log.n_events, 8);
    assert_int_equal(log.header.n_exits_of, 0);
    assert_int_equal(log.n_names[0], 2);
    log_release(&log);

    FILE *children = fopen(in_folder("children"), "r");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fscanf(children, "%ld", &child), 1);
        log_read(&log, path_of_log((pid_t)child));
        assert_int_equal(log.header.pid, child);
        assert_int_equal(log.header.parent_pid, parent);
        assert_int_equal(log.n_events, 2 * N_IN_CHILD + 2);
        assert_int_equal(log.header.lost_events, 0);
        assert_int_equal(log.n_names[0], 1);
        assert_true(log_name_is(&log, 1, "aten::child", ""));
        log_release(&log);
    }
    fclose(children);
}

static void *fork_in_thread(void *data)
{
    (void)data;
    call("aten::thread", "");
    pid_t pid = fork();
    if (pid == 0) {
        call("aten::child", "");
        _exit(0);
    }
    wait_for(pid);
    call("aten::thread", "");
    return NULL;
}

static void *call_until_stopped(void *data)
{
    while (!*(_Atomic bool *)data)
        call("aten::busy", "");
    return NULL;
}

/* Locks of other threads may be held at any moment of a fork. */
static void fork_beside_busy_threads(void)
{
    static _Atomic bool is_stopped;
    pthread_t threads[2];
    pretend_open();
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, call_until_stopped, &is_stopped) == 0);
    for (int i = 0; i < (IS_SLOW ? 5 : 50); i++)
        run_thread(fork_in_thread, NULL);
    is_stopped = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void forks_and_threads_do_not_wait_for_each_other(void **state)
{
    (void)state;
    struct log log;
    alarm(120);
    log_read(&log, path_of_log(run_in_child(fork_beside_busy_threads)));
    alarm(0);
    assert_int_equal(log.header.lost_events, 0);
    log_release(&log);
}

/* --- threads come and go ---------------------------------------------------------------------- */

static int count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    int count = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        count += c == '\n';
    fclose(file);
    return count;
}

static int first_free_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

enum { N_SHORT_THREADS = IS_SLOW ? 1000 : 10000 };

static void *call_once(void *data)
{
    (void)data;
    call("aten::short_lived", "");
    return NULL;
}

static void run_short_threads(void)
{
    pretend_open();
    run_thread(call_once, NULL);
    int maps = count_lines("/proc/self/maps");
    int fd = first_free_descriptor();
    for (int i = 1; i < N_SHORT_THREADS; i++)
        run_thread(call_once, NULL);
    CHECK(IS_SLOW || count_lines("/proc/self/maps") <= maps + 2);
    CHECK(first_free_descriptor() == fd);
}

static void short_threads_share_chunks(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(run_short_threads)));
    assert_int_equal(log.n_threads, N_SHORT_THREADS);
    assert_int_equal(log.n_events, 2 * N_SHORT_THREADS);
    size_t bytes = N_SHORT_THREADS * (sizeof(uint64_t) * LOG_WORDS_OF_SEGMENT + 16);
    assert_true(log.header.n_chunks <= bytes / OT_OPLOG_CHUNK_BYTES + 3);
    log_release(&log);
}

/* What a thread leaves of its chunk: about where a segment is worth it, about 1024, and others. */
static const struct {
    int from;
    int step;
    int n;
} left_over[] = {{34, 1, 10}, {1016, 1, 24}, {1100, 391, 18}};

enum { N_AFTER_TAKEOVER = 6000, N_WORTH_IT = 4 * LOG_WORDS_OF_SEGMENT + 1 };

static int n_words_left(void)
{
    return (int)(-ot_thread_self->at / (int64_t)sizeof(uint64_t));
}

struct leaver {
    int n_words;
    struct record_function odd; /* one word; ends elsewhere */
};

static void *leave_words(void *data)
{
    struct leaver *leaver = data;
    for (int i = 0; n_words_left() < leaver->n_words || n_words_left() > leaver->n_words + 1; i++) {
        CHECK(i < OT_OPLOG_CHUNK_WORDS);
        call("aten::leaver", "");
    }
    if (n_words_left() > leaver->n_words) {
        leaver->odd = (struct record_function){.name = "aten::odd", .overload = ""};
        begin(&leaver->odd);
    }
    return NULL;
}

static void *take_over(void *data)
{
    const struct leaver *leaver = data;
    call("aten::heir", "");
    if (leaver->n_words >= N_WORTH_IT)
        CHECK(n_words_left() == leaver->n_words - LOG_WORDS_OF_SEGMENT - 2);
    for (int i = 1; i < N_AFTER_TAKEOVER; i++)
        call("aten::heir", "");
    return NULL;
}

static void take_over_what_others_left(void)
{
    alarm(60); /* who takes half a record for a whole one may look for ever */
    pretend_open();
    for (size_t i = 0; i < sizeof(left_over) / sizeof(left_over[0]); i++) {
        for (int k = 0; k < left_over[i].n; k++) {
            struct leaver leaver = {.n_words = left_over[i].from + k * left_over[i].step};
            run_thread(leave_words, &leaver);
            if (leaver.odd.name)
                end(&leaver.odd);
            run_thread(take_over, &leaver);
        }
    }
}

static void a_thread_that_takes_over_a_chunk_loses_nothing(void **state)
{
    (void)state;
    struct log log;
    uint32_t n_heirs = 0;
    log_read(&log, path_of_log(run_in_child(take_over_what_others_left)));
    assert_int_equal(log.header.lost_events, 0);
    for (uint32_t t = 1; t <= log.n_threads; t++) {
        const struct log_thread *thread = &log.threads[t];
        if (!log_name_is(&log, thread->events[0].id, "aten::heir", ""))
            continue;
        assert_int_equal(thread->n, 2 * N_AFTER_TAKEOVER);
        assert_true(thread->n_segments > 1);
        n_heirs++;
    }
    assert_int_equal(n_heirs, 10 + 24 + 18);
    log_release(&log);
}

/* As one that is cancelled between the taking of a word and its storing. */
static void *end_with_a_hole(void *data)
{
    call_once(data);
    CHECK(ot_thread_reserve(ot_thread_self, 1));
    return NULL;
}

static void take_over_holes(void)
{
    pretend_open();
    for (int i = 0; i < 20; i++) {
        run_thread(end_with_a_hole, NULL);
        run_thread(call_once, NULL);
    }
}

static void nobody_takes_over_a_chunk_with_a_hole(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(take_over_holes)));
    assert_int_equal(log.header.lost_events, 0);
    assert_int_equal(log.n_events, 2 * 40);
    assert_int_equal(log.n_threads, 40);
    log_release(&log);
}

static void close_everything(void)
{
    pretend_open();
    for (int i = 0; i < 20000; i++) {
        call("aten::op", "");
        for (int fd = 3; i % 4000 == 0 && fd < 64; fd++)
            close(fd);
    }
}

static void a_program_may_close_every_descriptor(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(close_everything)));
    assert_int_equal(log.n_events, 40000);
    log_release(&log);
}

/* --- trouble ---------------------------------------------------------------------------------- */

enum { N_TOO_MANY = 100000 };

static void call_too_often(void)
{
    errno = EAGAIN;
    for (int i = 0; i < N_TOO_MANY; i++) {
        char name[32];
        snprintf(name, sizeof(name), "aten::op_%d", i / 50000);
        call(name, "");
        CHECK(errno == EAGAIN);
    }
    run_thread(call_once, NULL);
}

static void put_status_file(void)
{
    put_file("status", "", 0);
    setenv(OT_ENV_STATUS, in_folder("status"), 1);
}

static void check_status(pid_t pid, const char *expected)
{
    char line[1024] = "";
    char begin_of_line[64];
    FILE *file = fopen(in_folder("status"), "r");
    assert_non_null(fgets(line, sizeof(line), file));
    snprintf(begin_of_line, sizeof(begin_of_line), "lost %ld ", (long)pid);
    assert_memory_equal(line, begin_of_line, strlen(begin_of_line));
    assert_non_null(strstr(line, expected));
    assert_null(fgets(line, sizeof(line), file));
    fclose(file);
}

static void check_lost(const struct log *log, uint32_t reason)
{
    assert_int_equal(log->header.stop_reason, reason);
    assert_true(log->n_events > 10000);
    assert_int_equal(log->n_events + log->header.lost_events, 2 * N_TOO_MANY + 2);
}

static void meet_a_file_size_limit(void)
{
    struct rlimit limit = {OT_OPLOG_HEADER_BYTES + 5 * OT_OPLOG_CHUNK_BYTES + 100, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    pretend_open();
    call_too_often();
}

static void a_limit_of_files_ends_the_log_and_not_the_program(void **state)
{
    (void)state;
    struct log log;
    put_status_file();
    pid_t pid = run_in_child(meet_a_file_size_limit);
    log_read(&log, path_of_log(pid));
    check_lost(&log, EFBIG);
    assert_int_equal(log.header.n_chunks, 5);
    check_status(pid, "File too large");
    log_release(&log);
}

static rlim_t file_size_limit;

static void limit_files(void)
{
    struct rlimit limit = {file_size_limit, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_DFL);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void open_with_a_limit(void)
{
    struct ot_torch torch = pretend_torch();
    struct ot_err err;
    limit_files();
    ot_status_open();
    CHECK(ot_builtin_writer.open(&torch, &err) == OT_ERR_IO);
    CHECK(strstr(err.msg, "File too large"));
    ot_status_line("lost", "%s", err.msg);
    CHECK(access(path_of_log(getpid()), F_OK) != 0);
    CHECK(access(in_folder("status"), F_OK) == 0);
}

/* A child's file is made at its first event. */
static void fork_with_a_limit(void)
{
    pretend_open();
    call("aten::parent", "");
    limit_files();
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 10; i++)
            call("aten::child", "");
        run_thread(call_once, NULL);
        _exit(0);
    }
    wait_for(pid);
    CHECK(access(path_of_log(pid), F_OK) != 0);
    call("aten::parent", "");
}

static void a_limit_below_the_header_records_nothing(void **state)
{
    (void)state;
    static const rlim_t limits[] = {0, 1, 4095, 4096, 32768, 65535};
    struct log log;
    char making[PATH_MAX + 8];
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        file_size_limit = limits[i];
        put_status_file();
        pid_t pid = run_in_child(open_with_a_limit);
        snprintf(making, sizeof(making), "%s.new", path_of_log(pid));
        assert_int_not_equal(access(making, F_OK), 0);
        log_read(&log, path_of_log(run_in_child(fork_with_a_limit)));
        assert_int_equal(log.n_events + log.header.lost_events, 4);
        log_release(&log);
    }
}

static void tell_at_the_limit(void)
{
    limit_files();
    ot_status_open();
    ot_status_line("lost", "one line too much");
}

static void a_status_line_beyond_the_limit_is_not_written(void **state)
{
    (void)state;
    static const char lines[4096];
    static const rlim_t limits[] = {0, sizeof(lines) - 1, sizeof(lines), sizeof(lines) + 10};
    struct stat st;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        file_size_limit = limits[i];
        put_file("status", lines, sizeof(lines));
        setenv(OT_ENV_STATUS, in_folder("status"), 1);
        run_in_child(tell_at_the_limit);
        assert_int_equal(stat(in_folder("status"), &st), 0);
        assert_int_equal(st.st_size, sizeof(lines));
    }
    file_size_limit = sizeof(lines) + 100;
    run_in_child(tell_at_the_limit);
    assert_int_equal(stat(in_folder("status"), &st), 0);
    assert_true((size_t)st.st_size > sizeof(lines));
}

static void fill_the_disk(void)
{
    pretend_open();
    call_too_often();
}

static void a_full_disk_ends_the_log_and_not_the_program(void **state)
{
    (void)state;
    struct log log;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, "size=512k") != 0)
        skip(); /* not root */
    put_status_file();
    pid_t pid = run_in_child(fill_the_disk);
    log_read(&log, path_of_log(pid));
    check_lost(&log, ENOSPC);
    check_status(pid, "No space left on device");
    log_release(&log);
    umount(folder);
}

static void open_without_a_folder(void)
{
    struct ot_torch torch = pretend_torch();
    struct ot_err err;
    setenv(OT_ENV_LOG_DIR, in_folder("nowhere"), 1);
    CHECK(ot_builtin_writer.open(&torch, &err) == OT_ERR_IO);
    CHECK(strstr(err.msg, "nowhere/") && strstr(err.msg, "No such file or directory"));
}

static void without_a_folder_nothing_is_recorded(void **state)
{
    (void)state;
    run_in_child(open_without_a_folder);
}

static void lose_the_log(void)
{
    char path[PATH_MAX];
    char moved[PATH_MAX];
    pretend_open();
    snprintf(path, sizeof(path), "%s", path_of_log(getpid()));
    snprintf(moved, sizeof(moved), "%s", in_folder("moved"));
    CHECK(rename(path, moved) == 0);
    FILE *file = fopen(path, "w");
    CHECK(file && fclose(file) == 0);
    call_too_often();
}

static void nothing_is_written_into_another_file(void **state)
{
    (void)state;
    struct stat st;
    pid_t pid = run_in_child(lose_the_log);
    assert_int_equal(stat(path_of_log(pid), &st), 0);
    assert_int_equal(st.st_size, 0);
    struct log log;
    log_read(&log, in_folder("moved"));
    assert_int_equal(log.header.stop_reason, ENOENT);
    assert_int_equal(log.n_events + log.header.lost_events, 2 * N_TOO_MANY + 2);
    log_release(&log);
}

static void put_budget(uint64_t max_chunks, bool is_ring)
{
    struct ot_oplog_budget budget = {.max_chunks = max_chunks, .is_ring = is_ring};
    put_file(OT_OPLOG_BUDGET_FILE, &budget, sizeof(budget));
}

static struct ot_oplog_budget read_budget(void)
{
    struct ot_oplog_budget budget;
    FILE *file = fopen(in_folder(OT_OPLOG_BUDGET_FILE), "r");
    assert_int_equal(fread(&budget, sizeof(budget), 1, file), 1);
    fclose(file);
    return budget;
}

static void the_size_limit_ends_the_log(void **state)
{
    (void)state;
    struct log log;
    put_status_file();
    put_budget(7, false);
    pid_t pid = run_in_child(fill_the_disk);
    log_read(&log, path_of_log(pid));
    check_lost(&log, OT_OPLOG_STOP_SIZE);
    assert_int_equal(log.header.n_chunks, 6);
    assert_int_equal(read_budget().used_chunks, 7);
    check_status(pid, "size limit");
    log_release(&log);
}

static void *go_round(void *data)
{
    int number = (int)(intptr_t)data;
    for (int round = 0; round < N_ROUNDS / 4; round++)
        run_round(number, round);
    return NULL;
}

static void go_round_in_a_ring(void)
{
    pthread_t threads[N_THREADS];
    pretend_open();
    for (intptr_t i = 0; i < N_THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, go_round, (void *)i) == 0);
    for (int i = 0; i < N_THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < 50000; i++)
        call("aten::last", "");
}

static void a_ring_keeps_what_came_last(void **state)
{
    (void)state;
    struct log log;
    enum { MAX_CHUNKS = 14, N_LAST = 50000 };
    put_budget(MAX_CHUNKS, true);
    log_read(&log, path_of_log(run_in_child(go_round_in_a_ring)));
    assert_true(log.generation_max > 0);
    assert_int_equal(log.header.lost_events, 0);
    assert_int_equal(log.header.stop_reason, 0);
    assert_true(log.header.n_chunks < MAX_CHUNKS);
    assert_int_equal(log.n_events + log.header.overwritten_events,
                     N_THREADS * (N_ROUNDS / 4) * 6 + 2 * N_LAST);
    assert_int_equal(read_budget().used_chunks, MAX_CHUNKS);
    const struct log_thread *last = &log.threads[log.n_threads];
    assert_true(log_name_is(&log, last->events[last->n - 1].id, "aten::last", ""));
    assert_int_equal(last->first_before + last->n, 2 * N_LAST);
    assert_true(last->n > 8000);
    log_release(&log);
}

static void a_ring_that_is_too_small_still_goes_on(void **state)
{
    (void)state;
    struct log log;
    put_budget(1, true);
    log_read(&log, path_of_log(run_in_child(go_round_in_a_ring)));
    assert_int_equal(log.header.lost_events, 0);
    assert_int_equal(log.header.lost_names, 0);
    assert_true(log.header.n_chunks <= N_THREADS + 2);
    log_release(&log);
}

static void allow_descriptors(bool are_allowed)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = are_allowed ? limit.rlim_max : 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK((first_free_descriptor() >= 0) == are_allowed);
}

enum { N_PER_PHASE = 20000 };

static void run_out_of_descriptors(void)
{
    pretend_open();
    for (int phase = 0; phase < 5; phase++) {
        allow_descriptors(phase % 2 == 1);
        for (int i = 0; i < N_PER_PHASE; i++)
            call(operators[phase].name, "");
        run_thread(call_once, NULL);
    }
    allow_descriptors(true);
    for (int i = 0; i < N_PER_PHASE; i++)
        call(operators[0].name, "");
}

static void check_descriptors_came_back(struct log *log)
{
    log_read(log, path_of_log(run_in_child(run_out_of_descriptors)));
    const struct log_thread *thread = &log->threads[1];
    assert_int_equal(log->header.stop_reason, 0);
    assert_true(log->header.lost_events > 2 * N_PER_PHASE);
    assert_int_equal(log->n_events + log->header.overwritten_events + log->header.lost_events,
                     6 * 2 * N_PER_PHASE + 5 * 2);
    assert_true(log_name_is(log, thread->events[thread->n - 1].id, operators[0].name, ""));
    assert_int_equal(log->header.lost_names, 0);
}

static void recording_goes_on_when_descriptors_come_back(void **state)
{
    (void)state;
    struct log log;
    put_status_file();
    check_descriptors_came_back(&log);
    log_release(&log);
    struct stat st;
    assert_int_equal(stat(in_folder("status"), &st), 0);
    assert_int_equal(st.st_size, 0);
}

static void a_ring_goes_on_when_descriptors_come_back(void **state)
{
    (void)state;
    struct log log;
    enum { MAX_CHUNKS = 6 };
    put_budget(MAX_CHUNKS, true);
    check_descriptors_came_back(&log);
    assert_true(log.generation_max > 0);
    assert_int_equal(log.header.n_chunks, MAX_CHUNKS - 1);
    assert_int_equal(read_budget().used_chunks, MAX_CHUNKS);
    log_release(&log);
}

/* The chunk that was left has room for an event, and not for an allocation. */
static void *take_over_in_need(void *data)
{
    (void)data;
    allow_descriptors(false);
    ot_builtin_memory(512, 512, 0, -1);
    call("aten::lost", "");
    allow_descriptors(true);
    for (int i = 0; i < N_PER_PHASE; i++)
        call("aten::heir", "");
    return NULL;
}

static void leave_little(void)
{
    struct leaver leaver = {.n_words = N_WORTH_IT + 2};
    setenv(OT_ENV_LOG_OPTIONS, "2", 1); /* memory */
    pretend_open();
    call("aten::heir", "");
    run_thread(leave_words, &leaver);
    run_thread(take_over_in_need, NULL);
}

static void a_chunk_that_was_given_up_is_not_taken_over(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(leave_little)));
    const struct log_thread *heir = &log.threads[log.n_threads];
    assert_int_equal(log.header.lost_events, 3);
    assert_int_equal(heir->n, 2 * N_PER_PHASE);
    log_release(&log);
}

enum { N_NEW_NAMES = IS_SLOW ? 100000 : 200000 };

static void use_ever_new_names(void)
{
    char name[32];
    pretend_open();
    call("aten::first", "");
    for (int i = 0; i < N_NEW_NAMES; i++) {
        snprintf(name, sizeof(name), "aten::number_%d", i);
        call(name, "");
    }
    call("aten::first", "");
}

static uint64_t count_chunks_of_names(const struct log *log)
{
    uint64_t count = 0;
    for (size_t at = OT_OPLOG_HEADER_BYTES; at < log->len; at += OT_OPLOG_CHUNK_BYTES) {
        struct ot_oplog_chunk head;
        memcpy(&head, log->bytes + at, sizeof(head));
        count += head.kind == OT_OPLOG_CHUNK_NAMES;
    }
    return count;
}

static void check_ring_with_new_names(uint64_t max_chunks, uint64_t max_chunks_of_names)
{
    struct log log;
    put_budget(max_chunks, true);
    log_read(&log, path_of_log(run_in_child(use_ever_new_names)));
    assert_int_equal(count_chunks_of_names(&log), max_chunks_of_names);
    assert_int_equal(log.header.lost_events, 0);
    assert_int_equal(log.header.stop_reason, 0);
    assert_int_equal(log.n_names[0] + log.header.lost_names, N_NEW_NAMES + 1);
    assert_int_equal(log.n_events + log.header.overwritten_events, 2 * N_NEW_NAMES + 4);
    assert_int_equal(read_budget().used_chunks, log.header.n_chunks + 1);
    assert_in_range(read_budget().used_chunks, max_chunks, max_chunks_of_names + max_chunks / 2);
    const struct log_thread *thread = &log.threads[1];
    assert_true(thread->n > 4000);
    for (size_t i = thread->n - 1000; i < thread->n - 2; i++)
        assert_int_equal(thread->events[i].id, OT_OPLOG_NO_NAME);
    assert_true(log_name_is(&log, thread->events[thread->n - 1].id, "aten::first", ""));
    log_release(&log);
}

static void use_ever_new_ranges(void)
{
    char name[32];
    pretend_open();
    for (int i = 0; i < N_NEW_NAMES; i++) {
        snprintf(name, sizeof(name), "step %d", i);
        struct record_function scope = {.name = name};
        begin_of(1, &scope);
        end_of(1, &scope);
    }
    call("aten::late", "out");
}

static void ever_new_ranges_leave_room_for_the_names_of_operators(void **state)
{
    (void)state;
    struct log log;
    put_budget(20, true);
    log_read(&log, path_of_log(run_in_child(use_ever_new_ranges)));
    assert_int_equal(count_chunks_of_names(&log), 12 + 1);
    assert_int_equal(log.n_names[0] + log.header.lost_names, N_NEW_NAMES + 1);
    const struct log_thread *thread = &log.threads[1];
    assert_int_equal(thread->events[thread->n - 3].id, OT_OPLOG_NO_ANNOTATION);
    assert_true(log_name_is(&log, thread->events[thread->n - 1].id, "aten::late", "out"));
    log_release(&log);
}

static void new_names_do_not_eat_a_ring(void **state)
{
    (void)state;
    check_ring_with_new_names(20, 16);
    check_ring_with_new_names(44, 22);
}

/* --- names ------------------------------------------------------------------------------------ */

static void use_strange_names(void)
{
    static char longest[20001];
    static char other[20001];
    char storage[16];
    memset(longest, 'x', sizeof(longest) - 1);
    memset(other, 'x', sizeof(other) - 1);
    memcpy(longest + OT_OPLOG_TEXT_MAX - 1, "\xc3\xa4", 2); /* is not cut in two */
    pretend_open();
    call(longest, "");
    call("aten::op", other);
    call("", "");
    call("", "out");
    strcpy(storage, "aten::first");
    call(storage, "out");
    strcpy(storage, "aten::other");
    call(storage, "out");
    call(NULL, "");
    call("exactly_thirty_one_characters__", "fifteen_chars__");
    call("exactly_thirty_two_characters___", "sixteen_chars___");
    struct record_function scope = {.name = "aten::op"};
    begin_of(1, &scope);
    end_of(1, &scope);
}

static void names_are_what_pytorch_says(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(use_strange_names)));
    const struct log_name *names = log.names[0];
    assert_int_equal(log.n_names[0], 9);
    assert_int_equal(log.n_events, 18);
    assert_int_equal(names[1].first_len, OT_OPLOG_TEXT_MAX - 1);
    assert_int_equal(names[1].flags, OT_OPLOG_NAME_IS_CUT);
    assert_int_equal(names[2].second_len, OT_OPLOG_TEXT_MAX);
    assert_int_equal(names[2].flags, OT_OPLOG_NAME_IS_CUT);
    assert_true(log_name_is(&log, 3, "", ""));
    assert_true(log_name_is(&log, 4, "", "out"));
    assert_true(log_name_is(&log, 5, "aten::first", "out"));
    assert_true(log_name_is(&log, 6, "aten::other", "out"));
    assert_true(log_name_is(&log, 7, "exactly_thirty_one_characters__", "fifteen_chars__"));
    assert_true(log_name_is(&log, 8, "exactly_thirty_two_characters___", "sixteen_chars___"));
    assert_int_equal(names[9].kind, OT_OPLOG_NAME_ANNOTATION);
    assert_true(log_name_is(&log, 9, "aten::op", ""));
    log_release(&log);
}

/* In front of a page that cannot be read. */
static char *at_the_end_of_a_page(const char *text)
{
    long page = sysconf(_SC_PAGESIZE);
    char *pages =
        mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK(mprotect(pages + page, (size_t)page, PROT_NONE) == 0);
    return strcpy(pages + page - strlen(text) - 1, text);
}

static void use_names_at_the_end_of_pages(void)
{
    const char *name = at_the_end_of_a_page("aten::edge");
    const char *overload = at_the_end_of_a_page("out");
    pretend_open();
    for (int i = 0; i < 3; i++) {
        call(name, "");
        call("aten::op", overload);
        call(name, overload);
    }
}

static void nothing_is_read_beyond_a_page(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(use_names_at_the_end_of_pages)));
    assert_int_equal(log.n_names[0], 3);
    assert_int_equal(log.n_events, 18);
    log_release(&log);
}

static void use_one_storage_for_all_names(void)
{
    static char name[64];
    static char overload[64];
    pretend_open();
    for (int i = 0; i < 5000; i++) {
        int n = (i * 7) % N_OPERATORS;
        strcpy(name, operators[n].name);
        strcpy(overload, operators[n].overload);
        call(name, overload);
    }
}

static void a_names_storage_may_be_used_again(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(use_one_storage_for_all_names)));
    assert_int_equal(log.n_names[0], N_OPERATORS);
    for (int i = 0; i < 5000; i++) {
        int n = (i * 7) % N_OPERATORS;
        assert_true(log_name_is(&log, log.threads[1].events[2 * i].id, operators[n].name,
                                operators[n].overload));
    }
    log_release(&log);
}

static void run_out_of_ids(void)
{
    pretend_open();
    call("aten::first", "");
    ot_builtin.process->names.n_names = OT_OPLOG_ID_MAX - 1;
    call("aten::last", "");
    for (int i = 0; i < 3; i++) {
        call("aten::one_too_many", "");
        call("aten::two_too_many", "");
    }
    call("aten::first", "");
}

static void names_beyond_the_last_id_are_counted(void **state)
{
    (void)state;
    char path[PATH_MAX];
    struct ot_oplog_header header;
    snprintf(path, sizeof(path), "%s", path_of_log(run_in_child(run_out_of_ids)));
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
    fclose(file);
    assert_int_equal(header.lost_names, 2);
    assert_int_equal(header.lost_events, 0);
}

/* Before PyTorch 2.7: the overload's name comes with operator_name() (test_hooks.c has the rest).
 */
static void *pretend_operator_name(void *ret, const void *rf)
{
    const struct record_function *function = rf;
    struct {
        const char *data;
        size_t length;
        char local[16];
    } *strings = ret;
    const char *texts[2] = {function->name, function->overload};
    for (int i = 0; i < 2; i++) {
        strings[i].length = strlen(texts[i]);
        strings[i].data = strcpy(strings[i].local, texts[i]);
    }
    return ret;
}

static void use_an_old_pytorch(void)
{
    static char names[3][16] = {"aten::abs", "aten::abs", "aten::abs"};
    static const char *const overloads[3] = {"", "out", "dim"};
    struct ot_torch torch = pretend_torch();
    torch.overload_name = NULL;
    torch.operator_name = (void *)pretend_operator_name;
    pretend_open_with(torch);
    for (int i = 0; i < 300; i++)
        call(names[i % 3], overloads[i % 3]);
    strcpy(names[0], "aten::neg");
    call(names[0], "out");
}

static void an_old_pytorch_has_overloads_too(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(use_an_old_pytorch)));
    const struct log_event *events = log.threads[1].events;
    assert_int_equal(log.n_names[0], 4);
    for (int i = 0; i < 300; i++)
        assert_true(log_name_is(&log, events[2 * i].id, "aten::abs",
                                (const char *[]){"", "out", "dim"}[i % 3]));
    assert_true(log_name_is(&log, events[600].id, "aten::neg", "out"));
    log_release(&log);
}

static void *call_without_names(void *data)
{
    (void)data;
    for (int i = 0; i < 100; i++) {
        call(NULL, NULL);
        call(NULL, "");
        call("aten::op", i % 2 ? "" : "out");
        call(NULL, "out");
        if (ot_builtin.torch.overload_name)
            call("aten::none", NULL);
        struct record_function scope = {.name = i % 2 ? "scope" : NULL};
        begin_of(1, &scope);
        end_of(1, &scope);
    }
    return NULL;
}

static struct ot_torch (*make_torch)(void);

static void leave_out_names(void)
{
    pretend_open_with(make_torch());
    call_without_names(NULL);
    run_thread(call_without_names, NULL);
}

static void leave_out_names_on_the_system_clock(void)
{
    ot_builtin.clock = OT_OPLOG_CLOCK_MONOTONIC;
    leave_out_names();
}

static void leave_out_the_first_overload(void)
{
    pretend_open_with(make_torch());
    call("aten::none", NULL);
    call_without_names(NULL);
}

static struct ot_torch old_torch(void)
{
    struct ot_torch torch = pretend_torch();
    torch.overload_name = NULL;
    torch.operator_name = (void *)pretend_operator_name;
    return torch;
}

static struct ot_torch torch_without_contexts(void)
{
    struct ot_torch torch = pretend_torch();
    torch.keeps_context = false;
    return torch;
}

static void check_left_out(void (*scenario)(void), uint64_t n_events)
{
    struct log log;
    log_read(&log, path_of_log(run_in_child(scenario)));
    assert_int_equal(log.header.lost_events, 0);
    assert_int_equal(log.header.lost_names, 0);
    assert_int_equal(log.n_events, n_events);
    for (uint32_t i = 1; i <= log.n_names[0]; i++)
        assert_true(log_name_is(&log, i, "aten::op", "") || log_name_is(&log, i, "scope", "") ||
                    log_name_is(&log, i, "aten::op", "out") ||
                    log_name_is(&log, i, "aten::none", ""));
    log_release(&log);
}

static void what_has_no_name_does_no_harm(void **state)
{
    (void)state;
    static struct ot_torch (*const torches[])(void) = {pretend_torch, torch_without_contexts,
                                                       old_torch};
    for (int i = 0; i < 3; i++) {
        uint64_t n_events = 2 * 2 * (100 + 50 + (torches[i] == old_torch ? 0 : 100));
        make_torch = torches[i];
        check_left_out(leave_out_names, n_events);
        check_left_out(leave_out_names_on_the_system_clock, n_events);
    }
    make_torch = pretend_torch;
    check_left_out(leave_out_the_first_overload, 2 * 251);
}

/* --- what else is recorded -------------------------------------------------------------------- */

static void record_more(void)
{
    setenv(OT_ENV_LOG_OPTIONS, "3", 1); /* sequence numbers, memory */
    pretend_open();
    for (int64_t i = 0; i < 10000; i++) {
        struct record_function rf = {.name = "aten::op", .overload = "", .sequence = i};
        struct record_function backward = {
            .name = "OpBackward", .overload = "", .sequence = i, .forward_thread = 7};
        begin(&rf);
        ot_builtin_memory(512, 1024 + i, 0, -1);
        end(&rf);
        begin(&backward);
        end(&backward);
        call("aten::none", "");
        ot_builtin_memory(-512, 1024, 0, -1);
    }
}

static void sequence_numbers_and_memory_are_with_their_calls(void **state)
{
    (void)state;
    struct log log;
    log_read(&log, path_of_log(run_in_child(record_more)));
    assert_int_equal(log.header.options, OT_OPLOG_SEQUENCE | OT_OPLOG_MEMORY);
    static const unsigned expected[] = {
        OT_OPLOG_ENTRY, OT_OPLOG_SEQUENCE_OF, OT_OPLOG_MEMORY_EVENT, OT_OPLOG_EXIT,
        OT_OPLOG_ENTRY, OT_OPLOG_SEQUENCE_OF, OT_OPLOG_EXIT,         OT_OPLOG_ENTRY,
        OT_OPLOG_EXIT,  OT_OPLOG_MEMORY_EVENT};
    const struct log_thread *thread = &log.threads[1];
    assert_int_equal(thread->n, 100000);
    for (size_t k = 0; k < thread->n; k++) {
        const struct log_event *event = &thread->events[k];
        assert_int_equal(event->record, expected[k % 10]);
        if (event->record == OT_OPLOG_SEQUENCE_OF) {
            assert_int_equal(event->words[0], k / 10);
            assert_int_equal(event->words[1], k % 10 == 1 ? 0 : 7);
        }
    }
    assert_int_equal(thread->events[2].words[0], 512);
    assert_int_equal((int64_t)thread->events[9].words[0], -512);
    assert_int_equal(thread->events[2].words[2], UINT64_C(0xffffffff) << 32);
    assert_true(thread->n_segments > 1);
    log_release(&log);
}

/* --- signals ---------------------------------------------------------------------------------- */

static void put_number(const char *name, long number)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%ld", number);
    put_file(name, text, (size_t)len);
}

static uint64_t get_number(const char *name)
{
    unsigned long number = 0;
    FILE *file = fopen(in_folder(name), "r");
    assert_int_equal(fscanf(file, "%lu", &number), 1);
    fclose(file);
    return number;
}

static _Atomic int n_handled;

static void call_in_handler(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    errno = EDOM;
    call("aten::in_handler", "");
    n_handled += errno == EDOM;
    errno = saved;
}

enum { N_INTERRUPTED = IS_SLOW ? 20000 : 2000000 };

static void be_interrupted(void)
{
    const struct itimerval once = {.it_value.tv_usec = 10};
    pretend_open();
    signal(SIGALRM, call_in_handler);
    for (int i = 0; i < N_INTERRUPTED; i++) {
        if (i % 64 == 0) /* again and again, so that the handler cannot take all the time */
            setitimer(ITIMER_REAL, &once, NULL);
        call(i % 2 ? "aten::odd" : "aten::even", "");
    }
    signal(SIGALRM, SIG_IGN);
    put_number("handled", n_handled);
}

static void a_signal_handlers_calls_come_between(void **state)
{
    (void)state;
    struct log log;
    log_read_unordered(&log, path_of_log(run_in_child(be_interrupted)));
    uint64_t handled = get_number("handled");
    assert_true(handled > 0);
    assert_int_equal(log.n_events + log.header.lost_events, 2 * N_INTERRUPTED + 2 * handled);
    size_t next = 0;
    for (size_t k = 0; k < log.threads[1].n; k++) {
        const struct log_event *event = &log.threads[1].events[k];
        if (log_name_is(&log, event->id, "aten::in_handler", ""))
            continue;
        assert_int_equal(event->record, next % 2 ? OT_OPLOG_EXIT : OT_OPLOG_ENTRY);
        assert_true(log_name_is(&log, event->id, next / 2 % 2 ? "aten::odd" : "aten::even", ""));
        next++;
    }
    assert_int_equal(next, 2 * N_INTERRUPTED);
    log_release(&log);
}

enum { N_PER_SIGNAL = 2000, N_SIGNALS = IS_SLOW ? 100 : 1000 };

static void call_often_in_handler(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    for (int i = 0; i < N_PER_SIGNAL; i++)
        call("aten::in_handler", "");
    n_handled++;
    errno = saved;
}

static void be_interrupted_for_long(void)
{
    int n_asked_for = 0;
    long n_calls = 0;
    pretend_open();
    signal(SIGALRM, call_often_in_handler);
    for (; n_handled < N_SIGNALS; n_calls++) {
        if (n_handled == n_asked_for) {
            const struct itimerval once = {.it_value.tv_usec = 5 + n_asked_for++ % 7};
            setitimer(ITIMER_REAL, &once, NULL);
        }
        call("aten::op", "");
    }
    put_number("calls", n_calls);
}

static void a_signal_handler_may_run_many_calls(void **state)
{
    (void)state;
    struct log log;
    log_read_unordered(&log, path_of_log(run_in_child(be_interrupted_for_long)));
    assert_int_equal(log.n_events + log.header.lost_events,
                     2 * get_number("calls") + UINT64_C(2) * N_SIGNALS * N_PER_SIGNAL);
    assert_int_equal(log.header.stop_reason, 0);
    log_release(&log);
}

/* As one sees it that comes between the taking of a word and its storing. */
static void call_before_a_word_is_stored(void)
{
    long n_calls = 1;
    pretend_open();
    call("aten::op", "");
    for (int n_before = 100; n_before <= 5000; n_before += 100) {
        uint64_t *word = ot_thread_reserve(ot_thread_self, 1);
        for (; !word; word = ot_thread_reserve(ot_thread_self, 1), n_calls++)
            call("aten::op", "");
        for (int i = 0; i < n_before; i++, n_calls++)
            call("aten::op", "");
        CHECK(*word == 0);
        __atomic_store_n(word, OT_OPLOG_WORD(OT_OPLOG_ENTRY, 1, 0), __ATOMIC_RELEASE);
    }
    put_number("calls", n_calls);
}

static void a_word_may_be_stored_long_after_it_was_taken(void **state)
{
    (void)state;
    struct log log;
    log_read_unordered(&log, path_of_log(run_in_child(call_before_a_word_is_stored)));
    assert_int_equal(log.n_events + log.header.lost_events, 2 * get_number("calls") + 50);
    assert_int_equal(log.header.stop_reason, 0);
    log_release(&log);
}

static void keep_errno(void)
{
    pretend_open();
    for (int i = 0; i < 10000; i++) {
        errno = EAGAIN;
        call("aten::op", "");
        CHECK(errno == EAGAIN);
    }
}

static void errno_is_kept(void **state)
{
    (void)state;
    run_in_child(keep_errno);
}

int main(void)
{
    name_operators();
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_record_of_eight_threads_is_there),
        IN_FOLDER(a_log_that_ends_under_load_has_all_that_was_done),
        IN_FOLDER(a_killed_process_leaves_all_that_was_done),
        IN_FOLDER(times_beyond_a_record_get_a_new_base),
        IN_FOLDER(without_a_counter_ticks_are_nanoseconds),
        IN_FOLDER(a_call_that_ends_out_of_order_says_which),
        IN_FOLDER(a_call_may_end_on_another_thread),
        IN_FOLDER(calls_may_nest_deeply),
        IN_FOLDER(calls_may_overlap_without_end),
        IN_FOLDER(a_pytorch_without_contexts_is_recorded_by_name),
        IN_FOLDER(a_forked_child_has_a_log_of_its_own),
        IN_FOLDER(forks_and_threads_do_not_wait_for_each_other),
        IN_FOLDER(short_threads_share_chunks),
        IN_FOLDER(a_thread_that_takes_over_a_chunk_loses_nothing),
        IN_FOLDER(nobody_takes_over_a_chunk_with_a_hole),
        IN_FOLDER(a_program_may_close_every_descriptor),
        IN_FOLDER(a_limit_of_files_ends_the_log_and_not_the_program),
        IN_FOLDER(a_limit_below_the_header_records_nothing),
        IN_FOLDER(a_status_line_beyond_the_limit_is_not_written),
        IN_FOLDER(without_a_folder_nothing_is_recorded),
        IN_FOLDER(nothing_is_written_into_another_file),
        IN_FOLDER(the_size_limit_ends_the_log),
        IN_FOLDER(a_ring_keeps_what_came_last),
        IN_FOLDER(a_ring_that_is_too_small_still_goes_on),
        IN_FOLDER(recording_goes_on_when_descriptors_come_back),
        IN_FOLDER(a_ring_goes_on_when_descriptors_come_back),
        IN_FOLDER(a_chunk_that_was_given_up_is_not_taken_over),
        IN_FOLDER(new_names_do_not_eat_a_ring),
        IN_FOLDER(ever_new_ranges_leave_room_for_the_names_of_operators),
        IN_FOLDER(names_are_what_pytorch_says),
        IN_FOLDER(nothing_is_read_beyond_a_page),
        IN_FOLDER(a_names_storage_may_be_used_again),
        IN_FOLDER(names_beyond_the_last_id_are_counted),
        IN_FOLDER(an_old_pytorch_has_overloads_too),
        IN_FOLDER(what_has_no_name_does_no_harm),
        IN_FOLDER(sequence_numbers_and_memory_are_with_their_calls),
        IN_FOLDER(a_signal_handlers_calls_come_between),
        IN_FOLDER(a_signal_handler_may_run_many_calls),
        IN_FOLDER(a_word_may_be_stored_long_after_it_was_taken),
        IN_FOLDER(errno_is_kept),
        /* Last, since it makes a mount namespace. */
        IN_FOLDER(a_full_disk_ends_the_log_and_not_the_program),
    };
    return RUN(tests);
}
