#include "ingest/oplog/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { MAX_CLOCKS = 1 << 13, CLOCK_FILE_LINE = 128 };

static const int64_t shortest_line_ns = INT64_C(500000000);

static int new_clock(struct ot_oplog_clocks *clocks, const struct ot_oplog_clock *like,
                     struct ot_oplog_clock **ret_clock, struct ot_err *err)
{
    if (clocks->n_items >= MAX_CLOCKS)
        return ot_err_set(err, OT_ERR_NOMEM, "logs of more than %d boots", MAX_CLOCKS);
    struct ot_oplog_clock *clock = malloc(sizeof(*clock));
    if (!clock || !ot_vec_reserve(&clocks->items, &clocks->cap, clocks->n_items + 1,
                                  sizeof(struct ot_oplog_clock *))) {
        free(clock);
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for clocks");
    }
    *clock = *like;
    clocks->items[clocks->n_items++] = clock;
    *ret_clock = clock;
    return OT_OK;
}

static int find(struct ot_oplog_clocks *clocks, const char *boot_id, uint32_t kind,
                struct ot_oplog_clock **ret_clock, struct ot_err *err)
{
    struct ot_oplog_clock wanted = {.kind = kind};
    snprintf(wanted.boot_id, sizeof(wanted.boot_id), "%s", boot_id);
    if (boot_id[0] == '\0')
        wanted.lone = ++clocks->n_lone;
    /* Newest first: logs of one boot come together, and there are few boots. */
    for (size_t i = clocks->n_items; i-- > 0 && !wanted.lone;) {
        struct ot_oplog_clock *clock = clocks->items[i];
        if (clock->kind == kind && strcmp(clock->boot_id, wanted.boot_id) == 0) {
            *ret_clock = clock;
            return OT_OK;
        }
    }
    return new_clock(clocks, &wanted, ret_clock, err);
}

int ot_oplog_clocks_find(struct ot_oplog_clocks *clocks, const struct ot_oplog_header *header,
                         struct ot_oplog_clock **ret_clock, struct ot_err *err)
{
    char boot_id[sizeof(header->boot_id) + 1] = {0};
    memcpy(boot_id, header->boot_id, sizeof(header->boot_id));
    int code = find(clocks, boot_id, header->clock, ret_clock, err);
    if (code == OT_OK)
        (*ret_clock)->is_used = true;
    return code;
}

int ot_oplog_clock_add(struct ot_oplog_clocks *clocks, struct ot_oplog_clock *clock,
                       const struct ot_oplog_moment *moment, struct ot_err *err)
{
    if (moment->monotonic_ns <= 0)
        return OT_OK;
    if (clocks->n_moments >= OT_OPLOG_MOMENTS_MAX ||
        !ot_vec_reserve(&clock->moments, &clock->moments_cap, clock->n_moments + 1,
                        sizeof(*clock->moments)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for the moments of a clock");
    clock->moments[clock->n_moments++] = *moment;
    clocks->n_moments++;
    return OT_OK;
}

int ot_oplog_clock_add_header(struct ot_oplog_clocks *clocks, struct ot_oplog_clock *clock,
                              const struct ot_oplog_header *header, struct ot_err *err)
{
    int code = ot_oplog_clock_add(clocks, clock, &header->loaded, err);
    if (code == OT_OK)
        code = ot_oplog_clock_add(clocks, clock, &header->opened, err);
    if (code == OT_OK)
        code = ot_oplog_clock_add(clocks, clock, &header->closed, err);
    return code;
}

/* --- the file beside the logs -------------------------------------------------------------------
 */

struct clock_file {
    struct ot_oplog_clocks *clocks;
    struct ot_oplog_clock *clock;
    char boot_id[sizeof(((struct ot_oplog_header *)0)->boot_id) + 1];
};

static bool read_moment(const char *line, struct ot_oplog_moment *ret)
{
    int len = 0;
    return sscanf(line, "%" SCNu64 " %" SCNd64 " %" SCNd64 "%n", &ret->ticks, &ret->monotonic_ns,
                  &ret->realtime_ns, &len) == 3 &&
           line[len] == '\0';
}

/* `number` counts from 1. */
static int take_line(struct clock_file *file, const char *line, unsigned number, struct ot_err *err)
{
    unsigned kind = 0;
    struct ot_oplog_moment moment = {0};
    if (number == 1)
        return strcmp(line, "optally clock 1") == 0
                   ? OT_OK
                   : ot_err_set(err, OT_ERR_DAMAGED, "not 'optally clock 1'");
    if (number == 2 && strncmp(line, "boot ", 5) == 0) {
        snprintf(file->boot_id, sizeof(file->boot_id), "%.40s", line + 5);
        return OT_OK;
    }
    if (number == 2)
        return ot_err_set(err, OT_ERR_DAMAGED, "not 'boot' and its id");
    if (number == 3) {
        if (sscanf(line, "clock %u", &kind) != 1)
            return ot_err_set(err, OT_ERR_DAMAGED, "not 'clock' and its kind");
        return find(file->clocks, file->boot_id, kind, &file->clock, err);
    }
    if (!file->clock || !read_moment(line, &moment))
        return ot_err_set(err, OT_ERR_DAMAGED, "not a moment on three clocks");
    return ot_oplog_clock_add(file->clocks, file->clock, &moment, err);
}

static int take_lines(struct clock_file *file, FILE *stream, struct ot_err *err)
{
    char line[CLOCK_FILE_LINE];
    for (unsigned number = 1; fgets(line, sizeof(line), stream); number++) {
        size_t len = strlen(line);
        if (len == 0 || line[len - 1] != '\n') {
            if (feof(stream))
                return OT_OK; /* not whole yet */
            return ot_err_set(err, OT_ERR_DAMAGED, "line %u: too long", number);
        }
        line[len - 1] = '\0';
        int code = take_line(file, line, number, err);
        if (code < 0) {
            ot_err_context(err, "line %u", number);
            return code;
        }
    }
    return ferror(stream) ? ot_err_sys(err, OT_ERR_IO, "cannot be read") : OT_OK;
}

int ot_oplog_clocks_add_file(struct ot_oplog_clocks *clocks, const char *path, struct ot_err *err)
{
    FILE *stream = fopen(path, "re");
    if (!stream && (errno == ENOENT || errno == ENOTDIR))
        return OT_OK;
    if (!stream)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    struct clock_file file = {.clocks = clocks};
    int code = take_lines(&file, stream, err);
    fclose(stream);
    if (code < 0)
        ot_err_context(err, "%s", path);
    return code;
}

/* --- lines --------------------------------------------------------------------------------------
 */

static int compare_moments(const void *a, const void *b)
{
    const struct ot_oplog_moment *moment_a = a;
    const struct ot_oplog_moment *moment_b = b;
    if (moment_a->ticks != moment_b->ticks)
        return moment_a->ticks < moment_b->ticks ? -1 : 1;
    return (moment_a->monotonic_ns > moment_b->monotonic_ns) -
           (moment_a->monotonic_ns < moment_b->monotonic_ns);
}

/* Keeps moments that are far enough apart, the first and the last of them all. What contradicts an
 * earlier one is dropped, so that time never runs backwards. Returns how many it kept. */
static size_t choose_moments(const struct ot_oplog_clock *clock, struct ot_oplog_moment *chosen)
{
    size_t n = 0;
    const struct ot_oplog_moment *last = NULL; /* that goes on from the one that was kept */
    for (size_t i = 0; i < clock->n_moments; i++) {
        const struct ot_oplog_moment *moment = &clock->moments[i];
        if (n == 0) {
            chosen[n++] = *moment;
            continue;
        }
        const struct ot_oplog_moment *before = &chosen[n - 1];
        if (moment->ticks <= before->ticks || moment->monotonic_ns <= before->monotonic_ns)
            continue;
        if (moment->monotonic_ns - before->monotonic_ns >= shortest_line_ns) {
            chosen[n++] = *moment;
            last = NULL;
        } else {
            last = moment;
        }
    }
    if (last && n > 1)
        chosen[n - 1] = *last; /* so that the last line is not a short one */
    else if (last)
        chosen[n++] = *last;
    return n;
}

/* How long a tick is, as exactly as 64 bits can say it. */
static void set_slope(struct ot_oplog_span *span, uint64_t ticks, uint64_t ns)
{
    unsigned __int128 factor = ns;
    unsigned shift = 0;
    while (shift < 64 && (factor << 1) / ticks < (unsigned __int128)1 << 63) {
        factor <<= 1;
        shift++;
    }
    span->factor = (uint64_t)(factor / ticks);
    span->shift = shift;
}

static struct ot_oplog_span *add_span(struct ot_oplog_clock *clock,
                                      const struct ot_oplog_moment *from, uint64_t ticks,
                                      int64_t ns)
{
    struct ot_oplog_span *span = &clock->spans[clock->n_spans++];
    *span = (struct ot_oplog_span){.from = from->ticks, .at_ns = from->monotonic_ns};
    set_slope(span, ticks, (uint64_t)ns);
    return span;
}

/* Before the first moment nothing should have happened; what did lies on a line backwards, that
 * ends at 0. */
static void add_first_span(struct ot_oplog_clock *clock, const struct ot_oplog_moment *first,
                           uint64_t ticks, int64_t ns)
{
    struct ot_oplog_moment start = {0};
    struct ot_oplog_span slope;
    set_slope(&slope, ticks, (uint64_t)ns);
    unsigned __int128 half = (unsigned __int128)1 << slope.shift >> 1;
    unsigned __int128 before_ns =
        ((unsigned __int128)first->ticks * slope.factor + half) >> slope.shift;
    start.monotonic_ns =
        before_ns > INT64_MAX ? INT64_MIN / 2 : first->monotonic_ns - (int64_t)before_ns;
    struct ot_oplog_span *span = &clock->spans[clock->n_spans++];
    *span = slope;
    span->from = 0;
    span->at_ns = start.monotonic_ns;
    span->until = first->ticks;
}

/* CLOCK_MONOTONIC itself needs no moments. */
static void draw_identity(struct ot_oplog_clock *clock)
{
    clock->spans[0] = (struct ot_oplog_span){.until = UINT64_MAX, .factor = 1};
    clock->n_spans = 1;
}

static int draw(struct ot_oplog_clock *clock, struct ot_oplog_moment *chosen, struct ot_err *err)
{
    if (clock->n_moments)
        qsort(clock->moments, clock->n_moments, sizeof(*clock->moments), compare_moments);
    size_t n = choose_moments(clock, chosen);
    clock->n_spans = 0;
    if (!ot_vec_reserve(&clock->spans, &clock->spans_cap, n + 2, sizeof(*clock->spans)))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a clock");
    if (clock->kind == OT_OPLOG_CLOCK_MONOTONIC) {
        draw_identity(clock);
        return OT_OK;
    }
    if (n < 2)
        return ot_err_set(err, OT_ERR_INPUT,
                          "there are no two moments of its clock, so nobody knows how long a tick "
                          "is: keep the logs of a recording together");
    const struct ot_oplog_moment *first = &chosen[0];
    const struct ot_oplog_moment *last = &chosen[n - 1];
    add_first_span(clock, first, chosen[1].ticks - first->ticks,
                   chosen[1].monotonic_ns - first->monotonic_ns);
    for (size_t i = 0; i + 1 < n; i++) {
        struct ot_oplog_span *span =
            add_span(clock, &chosen[i], chosen[i + 1].ticks - chosen[i].ticks,
                     chosen[i + 1].monotonic_ns - chosen[i].monotonic_ns);
        span->until = chosen[i + 1].ticks;
    }
    /* Behind the last moment: the line through all, which is the most exact one. */
    struct ot_oplog_span *rest =
        add_span(clock, last, last->ticks - first->ticks, last->monotonic_ns - first->monotonic_ns);
    rest->until = UINT64_MAX;
    return OT_OK;
}

static bool same_boot(const struct ot_oplog_clock *a, const struct ot_oplog_clock *b)
{
    return a->lone == b->lone && strcmp(a->boot_id, b->boot_id) == 0;
}

/* From CLOCK_MONOTONIC to the epoch, by the earliest moment of the boot, whatever its ticks. */
static int64_t epoch_of(const struct ot_oplog_clocks *clocks, const struct ot_oplog_clock *clock)
{
    const struct ot_oplog_moment *earliest = NULL;
    for (size_t i = 0; i < clocks->n_items; i++) {
        const struct ot_oplog_clock *other = clocks->items[i];
        for (size_t m = 0; m < other->n_moments && same_boot(other, clock); m++) {
            const struct ot_oplog_moment *moment = &other->moments[m];
            if (moment->realtime_ns && (!earliest || moment->monotonic_ns < earliest->monotonic_ns))
                earliest = moment;
        }
    }
    int64_t offset_ns = 0;
    if (!earliest ||
        __builtin_sub_overflow(earliest->realtime_ns, earliest->monotonic_ns, &offset_ns))
        return 0;
    return offset_ns;
}

static void move(struct ot_oplog_clock *clock, int64_t offset_ns)
{
    for (size_t i = 0; i < clock->n_spans; i++) {
        struct ot_oplog_span *span = &clock->spans[i];
        if (__builtin_add_overflow(span->at_ns, offset_ns, &span->at_ns))
            span->at_ns = offset_ns < 0 ? INT64_MIN : INT64_MAX;
    }
}

int ot_oplog_clocks_settle(struct ot_oplog_clocks *clocks, struct ot_err *err)
{
    for (size_t i = 0; i < clocks->n_items; i++) {
        struct ot_oplog_clock *clock = clocks->items[i];
        if (!clock->is_used)
            continue;
        struct ot_oplog_moment *chosen = calloc(clock->n_moments + 1, sizeof(*chosen));
        int code = chosen ? draw(clock, chosen, err)
                          : ot_err_set(err, OT_ERR_NOMEM, "out of memory for a clock");
        free(chosen);
        if (code < 0)
            return code;
        move(clock, epoch_of(clocks, clock));
    }
    return OT_OK;
}

const struct ot_oplog_span *ot_oplog_clock_span(const struct ot_oplog_clock *clock, uint64_t ticks)
{
    size_t low = 0;
    size_t high = clock->n_spans - 1; /* the span is among [low, high] */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (clock->spans[middle].until <= ticks)
            low = middle + 1;
        else
            high = middle;
    }
    return &clock->spans[low];
}

void ot_oplog_clocks_release(struct ot_oplog_clocks *clocks)
{
    if (!clocks)
        return;
    for (size_t i = 0; i < clocks->n_items; i++) {
        free(clocks->items[i]->moments);
        free(clocks->items[i]->spans);
        free(clocks->items[i]);
    }
    free(clocks->items);
    *clocks = (struct ot_oplog_clocks){0};
}
