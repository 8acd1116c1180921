#include "timeline/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "timeline/run_order.h"

enum { STAGE_RECORDS = 1 << 11 /* are put in order for one write */ };

/* A run on disk, and the part of the memory that it is read through. */
struct run {
    uint64_t first;  /* of its records that is not read yet, counted from the file's start */
    uint64_t n_left; /* that are not read yet */
    struct ot_timeline_record *part;
    size_t at;
    size_t n;
};

struct ot_spill {
    const char *folder;
    int fd; /* -1: none yet */
    struct ot_timeline_record *records;
    size_t n_records;
    size_t run_records;
    struct ot_run_order order;
    uint64_t n_spilled;

    struct run *runs;
    size_t n_runs;
    size_t runs_cap;
    size_t part_records;
    uint32_t *heap; /* of runs, that with the first record on top */
    size_t heap_len;
    size_t next; /* where nothing was spilled */
};

struct ot_spill *ot_spill_new(const char *folder, size_t run_records)
{
    struct ot_spill *spill = calloc(1, sizeof(*spill));
    if (!spill)
        return NULL;
    *spill = (struct ot_spill){.folder = folder, .fd = -1, .run_records = run_records};
    spill->records = malloc(run_records * sizeof(*spill->records));
    if (spill->records && ot_run_order_init(&spill->order, run_records, NULL) == OT_OK)
        return spill;
    ot_spill_free(spill);
    return NULL;
}

/* --- runs on disk -------------------------------------------------------------------------------
 */

static int fail(const struct ot_spill *spill, const char *what, struct ot_err *err)
{
    return ot_err_sys(err, OT_ERR_IO, "cannot %s a temporary file in %s (TMPDIR names another)",
                      what, spill->folder);
}

static int open_file(struct ot_spill *spill, struct ot_err *err)
{
    spill->fd = open(spill->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spill->fd >= 0)
        return OT_OK;
    /* Not every file system has files without a name. */
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/optally.XXXXXX", spill->folder);
    if (len < 0 || (size_t)len >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return fail(spill, "make", err);
    }
    spill->fd = mkostemp(path, O_CLOEXEC);
    if (spill->fd < 0)
        return fail(spill, "make", err);
    unlink(path);
    return OT_OK;
}

static int write_all(struct ot_spill *spill, const void *bytes, size_t len, struct ot_err *err)
{
    const char *at = bytes;
    while (len) {
        ssize_t n = write(spill->fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(spill, "write", err);
        at += n;
        len -= (size_t)n;
    }
    return OT_OK;
}

static int write_run(struct ot_spill *spill, struct ot_err *err)
{
    int code = spill->fd < 0 ? open_file(spill, err) : OT_OK;
    if (code == OT_OK)
        code = ot_run_order_sort(&spill->order, spill->records, spill->n_records, err);
    if (code < 0)
        return code;
    if (!ot_vec_reserve(&spill->runs, &spill->runs_cap, spill->n_runs + 1, sizeof(*spill->runs)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sorting slices");
    struct ot_timeline_record stage[STAGE_RECORDS];
    for (size_t i = 0; i < spill->n_records && code == OT_OK;) {
        size_t n = 0;
        while (n < STAGE_RECORDS && i < spill->n_records)
            stage[n++] = spill->records[spill->order.items[i++]];
        code = write_all(spill, stage, n * sizeof(*stage), err);
    }
    spill->runs[spill->n_runs++] =
        (struct run){.first = spill->n_spilled, .n_left = spill->n_records};
    spill->n_spilled += spill->n_records;
    spill->n_records = 0;
    return code;
}

int ot_spill_add(struct ot_spill *spill, const struct ot_timeline_record *record,
                 struct ot_err *err)
{
    if (spill->n_records == spill->run_records) {
        int code = write_run(spill, err);
        if (code < 0)
            return code;
    }
    spill->records[spill->n_records++] = *record;
    return OT_OK;
}

/* --- merging ------------------------------------------------------------------------------------
 */

static int read_part(struct ot_spill *spill, struct run *run, struct ot_err *err)
{
    size_t n = run->n_left < spill->part_records ? (size_t)run->n_left : spill->part_records;
    char *to = (char *)run->part;
    off_t offset = (off_t)(run->first * sizeof(*run->part));
    for (size_t left = n * sizeof(*run->part); left;) {
        ssize_t got = pread(spill->fd, to, left, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return fail(spill, "read", err);
        }
        to += got;
        offset += got;
        left -= (size_t)got;
    }
    run->at = 0;
    run->n = n;
    run->first += n;
    run->n_left -= n;
    return OT_OK;
}

static inline bool is_first(const struct ot_spill *spill, uint32_t a, uint32_t b)
{
    const struct run *left = &spill->runs[a];
    const struct run *right = &spill->runs[b];
    return ot_timeline_before(&left->part[left->at], &right->part[right->at]);
}

static void sink(struct ot_spill *spill, size_t at)
{
    uint32_t run = spill->heap[at];
    for (size_t child; (child = 2 * at + 1) < spill->heap_len; at = child) {
        if (child + 1 < spill->heap_len &&
            is_first(spill, spill->heap[child + 1], spill->heap[child]))
            child++;
        if (!is_first(spill, spill->heap[child], run))
            break;
        spill->heap[at] = spill->heap[child];
    }
    spill->heap[at] = run;
}

/* The records' memory is free by now. */
static int begin_merge(struct ot_spill *spill, struct ot_err *err)
{
    spill->part_records = spill->run_records / spill->n_runs;
    spill->heap = malloc(spill->n_runs * sizeof(*spill->heap));
    if (spill->part_records < OT_SPILL_PART_RECORDS) {
        spill->part_records = OT_SPILL_PART_RECORDS;
        free(spill->records);
        spill->records =
            reallocarray(NULL, spill->n_runs * OT_SPILL_PART_RECORDS, sizeof(*spill->records));
    }
    if (!spill->heap || !spill->records)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for sorting slices");
    for (size_t i = 0; i < spill->n_runs; i++) {
        spill->runs[i].part = &spill->records[i * spill->part_records];
        int code = read_part(spill, &spill->runs[i], err);
        if (code < 0)
            return code;
        spill->heap[i] = (uint32_t)i;
    }
    spill->heap_len = spill->n_runs;
    for (size_t i = spill->heap_len / 2; i-- > 0;)
        sink(spill, i);
    return OT_OK;
}

int ot_spill_sort(struct ot_spill *spill, struct ot_err *err)
{
    if (spill->n_runs == 0)
        return ot_run_order_sort(&spill->order, spill->records, spill->n_records, err);
    int code = write_run(spill, err);
    return code == OT_OK ? begin_merge(spill, err) : code;
}

/* The record on top was handed out before: its run goes on. */
static int advance(struct ot_spill *spill, struct ot_err *err)
{
    struct run *run = &spill->runs[spill->heap[0]];
    if (run->at < run->n)
        return OT_OK;
    if (run->n_left)
        return read_part(spill, run, err);
    spill->heap[0] = spill->heap[--spill->heap_len];
    return OT_OK;
}

int ot_spill_next(struct ot_spill *spill, const struct ot_timeline_record **ret_record,
                  struct ot_err *err)
{
    if (spill->n_runs == 0) {
        if (spill->next == spill->n_records)
            return OT_END;
        *ret_record = &spill->records[spill->order.items[spill->next++]];
        return OT_OK;
    }
    if (spill->next++ && spill->heap_len) {
        int code = advance(spill, err);
        if (code < 0)
            return code;
        if (spill->heap_len)
            sink(spill, 0);
    }
    if (spill->heap_len == 0)
        return OT_END;
    struct run *run = &spill->runs[spill->heap[0]];
    *ret_record = &run->part[run->at++];
    return OT_OK;
}

void ot_spill_free(struct ot_spill *spill)
{
    if (!spill)
        return;
    if (spill->fd >= 0)
        close(spill->fd);
    free(spill->records);
    ot_run_order_release(&spill->order);
    free(spill->runs);
    free(spill->heap);
    free(spill);
}
