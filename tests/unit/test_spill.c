/* Records come out sorted, however many runs they make. */
#include "folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/spill.h"

static struct ot_err err;

static struct ot_timeline_record record(uint32_t lane, int64_t ts_ns, int64_t dur_ns,
                                        uint64_t order)
{
    return (struct ot_timeline_record){
        .lane = lane, .ts_ns = ts_ns, .dur_ns = dur_ns, .order = order, .name = (uint32_t)order};
}

static int compare(const void *a, const void *b)
{
    return ot_timeline_before(b, a) - ot_timeline_before(a, b);
}

/* Pseudo-random, with many ties. */
static void fill(struct ot_timeline_record *records, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        records[i] = record(seed >> 28 & 3, seed >> 20 & 31, seed >> 16 & 3, i);
    }
}

static void assert_sorts(const struct ot_timeline_record *records, size_t n, size_t run_records)
{
    struct ot_timeline_record *sorted = malloc((n + 1) * sizeof(*sorted));
    memcpy(sorted, records, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare);
    struct ot_spill *spill = ot_spill_new(folder, run_records);
    assert_non_null(spill);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ot_spill_add(spill, &records[i], &err), OT_OK);
    assert_int_equal(ot_spill_sort(spill, &err), OT_OK);
    const struct ot_timeline_record *next = NULL;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(ot_spill_next(spill, &next, &err), OT_OK);
        assert_memory_equal(next, &sorted[i], sizeof(*next));
    }
    assert_int_equal(ot_spill_next(spill, &next, &err), OT_END);
    assert_int_equal(ot_spill_next(spill, &next, &err), OT_END);
    ot_spill_free(spill);
    free(sorted);
}

static void any_number_of_runs_is_sorted_as_one(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct ot_timeline_record records[N];
    static const size_t counts[] = {0, 1, 2, 9, 10, 11, 20, 999, 1000};
    static const size_t runs[] = {1, 2, 10, 64, 999, 1000, 1001};
    for (uint32_t seed = 0; seed < 4; seed++) {
        fill(records, N, seed);
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            for (size_t r = 0; r < sizeof(runs) / sizeof(runs[0]); r++)
                assert_sorts(records, counts[c], runs[r]);
        }
    }
}

static void records_go_by_lane_start_length_and_place(void **state)
{
    (void)state;
    struct ot_timeline_record rows[] = {
        record(0, 5, 1, 9),         record(1, -3, 0, 1),
        record(1, 5, INT64_MAX, 8), /* an arrow's end, before what begins then */
        record(1, 5, 10, 7),        /* the longer one first */
        record(1, 5, 2, 3),         /* then as they were written */
        record(1, 5, 2, 4),         record(1, 5, 0, 2),
        record(2, 0, 0, 0),
    };
    enum { N = sizeof(rows) / sizeof(rows[0]) };
    for (size_t i = 0; i + 1 < N; i++) {
        assert_true(ot_timeline_before(&rows[i], &rows[i + 1]));
        assert_false(ot_timeline_before(&rows[i + 1], &rows[i]));
    }
    /* Of paired slices the entries' order decides, and not how long they are. */
    struct ot_timeline_record first = record(1, 5, 2, 3);
    struct ot_timeline_record second = record(1, 5, 10, 4);
    first.flags = second.flags = OT_RECORD_PAIRED;
    assert_true(ot_timeline_before(&first, &second));
    assert_false(ot_timeline_before(&second, &first));
}

static size_t count_files(void)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void the_temporary_file_has_no_name(void **state)
{
    (void)state;
    size_t before = count_files();
    struct ot_spill *spill = ot_spill_new(folder, 4);
    for (uint64_t i = 0; i < 100; i++) {
        struct ot_timeline_record item = record(0, (int64_t)i, 0, i);
        assert_int_equal(ot_spill_add(spill, &item, &err), OT_OK);
    }
    assert_int_equal(count_files(), before);
    ot_spill_free(spill);
    assert_int_equal(count_files(), before);
}

static void a_folder_that_is_not_there_is_told_if_it_is_needed(void **state)
{
    (void)state;
    struct ot_timeline_record item = record(0, 0, 0, 0);
    struct ot_spill *spill = ot_spill_new("/nowhere/at/all", 2);
    assert_int_equal(ot_spill_add(spill, &item, &err), OT_OK);
    assert_int_equal(ot_spill_add(spill, &item, &err), OT_OK);
    assert_int_equal(ot_spill_add(spill, &item, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "/nowhere/at/all"));
    assert_non_null(strstr(err.msg, "TMPDIR"));
    ot_spill_free(spill);
    /* What fits the memory needs none. */
    spill = ot_spill_new("/nowhere/at/all", 2);
    assert_int_equal(ot_spill_add(spill, &item, &err), OT_OK);
    assert_int_equal(ot_spill_sort(spill, &err), OT_OK);
    ot_spill_free(spill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(any_number_of_runs_is_sorted_as_one),
        IN_FOLDER(records_go_by_lane_start_length_and_place),
        IN_FOLDER(the_temporary_file_has_no_name),
        IN_FOLDER(a_folder_that_is_not_there_is_told_if_it_is_needed),
    };
    return RUN(tests);
}
