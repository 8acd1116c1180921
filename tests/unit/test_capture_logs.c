/* What the recorder does beside the built-in writer: the clock's moments, the limit of the logs'
 * size, the notes in the marker. */
#include "folder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/recording.h"
#include "base/tick_clock.h"
#include "capture/budget.h"
#include "capture/clock_file.h"
#include "capture/logs.h"
#include "capture/marker.h"
#include "capture/tracer_status.h"

static struct ot_err err;

static const char *text_of(const char *name)
{
    static char text[4096];
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static bool exists(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

/* --- logs --------------------------------------------------------------------------------------
 */

struct log_file {
    struct ot_oplog_header header;
    size_t n_chunks;
    uint64_t chunks[4][OT_OPLOG_CHUNK_BYTES / sizeof(uint64_t)];
    size_t at; /* in the newest chunk */
};

static struct log_file *log_new(uint64_t lost_events, int64_t closed_ns)
{
    struct log_file *log = calloc(1, sizeof(*log));
    assert_non_null(log);
    memcpy(log->header.magic, OT_OPLOG_MAGIC, sizeof(log->header.magic));
    log->header.version = OT_OPLOG_VERSION;
    log->header.header_bytes = OT_OPLOG_HEADER_BYTES;
    log->header.chunk_bytes = OT_OPLOG_CHUNK_BYTES;
    log->header.lost_events = lost_events;
    log->header.closed.monotonic_ns = closed_ns;
    log->header.closed.realtime_ns = closed_ns;
    return log;
}

static void log_segment(struct log_file *log, uint32_t thread, uint32_t number,
                        uint64_t events_before)
{
    struct ot_oplog_chunk head = {.kind = OT_OPLOG_CHUNK_EVENTS};
    struct ot_oplog_segment segment = {
        .thread = thread, .number = number, .events_before = events_before};
    memcpy(log->chunks[log->n_chunks], &head, sizeof(head));
    uint64_t *words = log->chunks[log->n_chunks++] + sizeof(head) / sizeof(uint64_t);
    words[0] = OT_OPLOG_WORD(OT_OPLOG_SEGMENT, 0, 0);
    memcpy(words + 1, &segment, sizeof(segment));
    log->at = sizeof(head) / sizeof(uint64_t) + 1 + sizeof(segment) / sizeof(uint64_t);
}

static void log_word(struct log_file *log, enum ot_oplog_record record, unsigned more_words)
{
    log->chunks[log->n_chunks - 1][log->at] = OT_OPLOG_WORD(record, 1, 5);
    /* As many bits as a record could be mistaken for. */
    for (unsigned i = 1; i <= more_words; i++)
        log->chunks[log->n_chunks - 1][log->at + i] = OT_OPLOG_WORD(OT_OPLOG_ENTRY, 1, i);
    log->at += 1 + more_words;
}

static void log_write(struct log_file *log, const char *name)
{
    static const char padding[OT_OPLOG_HEADER_BYTES - sizeof(log->header)];
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    log->header.n_chunks = log->n_chunks;
    assert_int_equal(fwrite(&log->header, sizeof(log->header), 1, file), 1);
    assert_int_equal(fwrite(padding, sizeof(padding), 1, file), 1);
    assert_int_equal(fwrite(log->chunks, sizeof(log->chunks[0]), log->n_chunks, file),
                     log->n_chunks);
    assert_int_equal(fclose(file), 0);
    free(log);
}

/* A log of `n_events` entries on one thread. */
static void put_log(const char *name, size_t n_events, int64_t closed_ns)
{
    struct log_file *log = log_new(0, closed_ns);
    log_segment(log, 1, 0, 0);
    for (size_t i = 0; i < n_events; i++)
        log_word(log, OT_OPLOG_ENTRY, 0);
    log_write(log, name);
}

static void check_count(const char *name, uint64_t expected)
{
    struct ot_logs logs;
    uint64_t n_events = 0;
    assert_int_equal(ot_logs_list(&logs, folder, &err), OT_OK);
    for (size_t i = 0; i < logs.n; i++) {
        if (strcmp(logs.items[i].name, name) == 0)
            assert_int_equal(ot_log_count_events(&logs, &logs.items[i], &n_events, &err), OT_OK);
    }
    ot_logs_release(&logs);
    assert_int_equal(n_events, expected);
}

static void entries_and_exits_are_counted_and_nothing_else(void **state)
{
    (void)state;
    struct log_file *log = log_new(7, 0);
    log_segment(log, 1, 0, 0);
    log_word(log, OT_OPLOG_ENTRY, 0);
    log_word(log, OT_OPLOG_SEQUENCE_OF, 2);
    log_word(log, OT_OPLOG_SHAPES_OF, 0);
    log_word(log, OT_OPLOG_MEMORY_EVENT, 3);
    log_word(log, OT_OPLOG_REBASE, 1);
    log_word(log, OT_OPLOG_EXIT, 0);
    log_word(log, OT_OPLOG_EXIT_OF, 2);
    log_write(log, "1.oplog");
    check_count("1.oplog", 7 + 3);
}

static void what_a_ring_has_overwritten_is_counted_too(void **state)
{
    (void)state;
    struct log_file *log = log_new(0, 0);
    log->header.overwritten_events = 100;
    log_segment(log, 2, 5, 60); /* nothing is left of thread 1 */
    log_word(log, OT_OPLOG_ENTRY, 0);
    log_write(log, "1.oplog");
    check_count("1.oplog", 101);
}

static void other_files_are_no_logs(void **state)
{
    (void)state;
    struct ot_logs logs;
    put_file("a.oplog", "short", 5);
    put_file("b.oplog", text_of("a.oplog"), 5);
    put_file("c.txt", "text", 4);
    put_folder("d.oplog");
    assert_int_equal(symlink("c.txt", in_folder("e.oplog")), 0);
    put_log("f.oplog", 1, 0);
    assert_int_equal(ot_logs_list(&logs, folder, &err), OT_OK);
    assert_int_equal(logs.n, 1);
    assert_string_equal(logs.items[0].name, "f.oplog");
    ot_logs_release(&logs);
    assert_int_equal(ot_logs_list(&logs, in_folder("none"), &err), OT_ERR_IO);
    ot_logs_release(&logs);
}

/* As the tracer holds it: mapped, and no descriptor. */
static void *map_log(const char *name)
{
    int fd = open(in_folder(name), O_RDWR);
    assert_true(fd >= 0);
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    close(fd);
    return memory;
}

static void a_log_is_written_while_a_process_maps_it(void **state)
{
    (void)state;
    struct ot_logs logs;
    put_log("1.oplog", 1, 0);
    assert_int_equal(ot_logs_list(&logs, folder, &err), OT_OK);
    assert_false(ot_log_is_written(&logs, &logs.items[0]));
    void *memory = map_log("1.oplog");
    assert_true(ot_log_is_written(&logs, &logs.items[0]));
    munmap(memory, 4096);
    assert_false(ot_log_is_written(&logs, &logs.items[0]));
    ot_logs_release(&logs);
}

/* --- the budget --------------------------------------------------------------------------------
 */

static struct ot_budget budget;

/* Room for ten chunks, of which `n_used` are used. */
static void begin_budget(bool is_ring, uint64_t n_used)
{
    uint64_t max_bytes = 10 * (uint64_t)OT_OPLOG_CHUNK_BYTES;
    assert_int_equal(ot_budget_open(&budget, folder, max_bytes, is_ring, &err), OT_OK);
    assert_int_equal(budget.shared->max_chunks, 10);
    assert_int_equal(budget.shared->is_ring, is_ring);
    budget.shared->used_chunks = n_used;
    put_file(OT_RECORDING_FILE, "optally recording 1\n", 20);
}

static void in_a_full_ring_the_log_that_ended_first_makes_room(void **state)
{
    (void)state;
    begin_budget(true, 10);
    put_log("1.oplog", 30, 2000);
    put_log("2.oplog", 20, 1000);
    put_log("3.oplog", 10, 3000);
    ot_budget_make_room(&budget);
    assert_false(exists("2.oplog"));
    assert_true(exists("1.oplog") && exists("3.oplog"));
    assert_int_equal(budget.shared->used_chunks, 8); /* its header and one chunk */
    assert_string_equal(text_of(OT_RECORDING_FILE), "optally recording 1\noverwritten 20\n");
    ot_budget_make_room(&budget);
    assert_true(exists("1.oplog") && exists("3.oplog"));
    ot_budget_close(&budget);
    assert_true(exists(OT_OPLOG_BUDGET_FILE)); /* for whoever starts later */
}

static void the_log_of_a_process_that_lives_stays(void **state)
{
    (void)state;
    begin_budget(true, 14);
    put_log("1.oplog", 1, 0);
    put_log("2.oplog", 1, 9000);
    put_log("3.oplog", 1, 8000);
    void *memory = map_log("1.oplog");
    ot_budget_make_room(&budget);
    assert_true(exists("1.oplog"));
    assert_false(exists("2.oplog") || exists("3.oplog"));
    assert_int_equal(budget.shared->used_chunks, 10);
    ot_budget_close(&budget);
    assert_true(exists(OT_OPLOG_BUDGET_FILE)); /* it binds the process still */
    munmap(memory, 4096);
}

static void one_log_always_stays(void **state)
{
    (void)state;
    begin_budget(true, 20);
    put_log("1.oplog", 1, 1000);
    put_log("2.oplog", 1, 2000);
    ot_budget_make_room(&budget);
    assert_false(exists("1.oplog"));
    assert_true(exists("2.oplog"));
    ot_budget_close(&budget);
}

static void without_a_ring_nothing_is_removed(void **state)
{
    (void)state;
    begin_budget(false, 20);
    put_log("1.oplog", 1, 1000);
    put_log("2.oplog", 1, 2000);
    ot_budget_make_room(&budget);
    assert_true(exists("1.oplog") && exists("2.oplog"));
    ot_budget_close(&budget);
}

/* --- clock and notes ---------------------------------------------------------------------------
 */

static size_t count_moments(void)
{
    const char *text = text_of(OT_OPLOG_CLOCK_FILE);
    uint64_t last_ticks = 0;
    size_t n = 0;
    int at = 0;
    int kind = 0;
    assert_int_equal(sscanf(text, "optally clock 1\nboot %*[0-9a-f-]\nclock %d\n%n", &kind, &at),
                     1);
    assert_int_equal(kind, ot_tick_clock_choose());
    for (const char *line = text + at; *line != '\0'; line = strchr(line, '\n') + 1) {
        uint64_t ticks = 0;
        int64_t monotonic_ns = 0;
        int64_t realtime_ns = 0;
        assert_int_equal(
            sscanf(line, "%" SCNu64 " %" SCNd64 " %" SCNd64, &ticks, &monotonic_ns, &realtime_ns),
            3);
        assert_true(ticks > last_ticks && monotonic_ns > 0 && realtime_ns > monotonic_ns);
        last_ticks = ticks;
        n++;
    }
    return n;
}

static void moments_come_first_last_and_when_they_are_due(void **state)
{
    (void)state;
    struct ot_clock_file file;
    assert_int_equal(ot_clock_file_open(&file, folder, &err), OT_OK);
    assert_int_equal(count_moments(), 1);
    ot_clock_file_tick(&file);
    assert_int_equal(count_moments(), 1); /* too early */
    file.next_ns = 0;
    ot_clock_file_tick(&file);
    assert_int_equal(count_moments(), 2);
    ot_clock_file_tick(&file);
    assert_int_equal(count_moments(), 2);
    ot_clock_file_close(&file);
    assert_int_equal(count_moments(), 3);
    assert_int_equal(ot_clock_file_open(&file, folder, &err), OT_ERR_IO);
}

static void a_moment_is_the_same_on_all_its_clocks(void **state)
{
    (void)state;
    enum ot_oplog_clock_kind kind = ot_tick_clock_choose();
    struct ot_oplog_moment a = ot_tick_clock_moment(kind);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    struct ot_oplog_moment b = ot_tick_clock_moment(kind);
    int64_t slept_ns = b.monotonic_ns - a.monotonic_ns;
    assert_true(slept_ns >= 50000000);
    assert_true(b.ticks > a.ticks);
    if (kind == OT_OPLOG_CLOCK_MONOTONIC)
        assert_int_equal((int64_t)(b.ticks - a.ticks), slept_ns);
    a = ot_tick_clock_moment(OT_OPLOG_CLOCK_MONOTONIC);
    assert_int_equal((int64_t)a.ticks, a.monotonic_ns);
}

static void notes_are_lines_of_the_marker(void **state)
{
    (void)state;
    char longest[3000];
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_false(ot_marker_add(folder, "cut nothing there"));
    put_file(OT_RECORDING_FILE, "optally recording 1\n", 20);
    assert_true(ot_marker_add(folder, OT_RECORDING_CUT "%s", longest));
    assert_true(ot_marker_add(folder, OT_RECORDING_OVERWRITTEN "%d", 5));
    const char *text = text_of(OT_RECORDING_FILE);
    assert_non_null(strstr(text, "optally recording 1\ncut xxxx"));
    assert_non_null(strstr(text, "xxxx\noverwritten 5\n"));
}

static void processes_that_lost_their_log_are_counted(void **state)
{
    (void)state;
    struct ot_tracer_status status;
    static const char lines[] = "lost 11 No space left on device\nlost 12 Permission denied\n";
    put_file("status", lines, strlen(lines));
    assert_int_equal(ot_tracer_status_read(in_folder("status"), &status, &err), OT_OK);
    assert_int_equal(status.lost, 2);
    assert_string_equal(status.loss, "No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(entries_and_exits_are_counted_and_nothing_else),
        IN_FOLDER(what_a_ring_has_overwritten_is_counted_too),
        IN_FOLDER(other_files_are_no_logs),
        IN_FOLDER(a_log_is_written_while_a_process_maps_it),
        IN_FOLDER(in_a_full_ring_the_log_that_ended_first_makes_room),
        IN_FOLDER(the_log_of_a_process_that_lives_stays),
        IN_FOLDER(one_log_always_stays),
        IN_FOLDER(without_a_ring_nothing_is_removed),
        IN_FOLDER(moments_come_first_last_and_when_they_are_due),
        cmocka_unit_test(a_moment_is_the_same_on_all_its_clocks),
        IN_FOLDER(notes_are_lines_of_the_marker),
        IN_FOLDER(processes_that_lost_their_log_are_counted),
    };
    return RUN(tests);
}
