#include "emit/progress/line.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"

enum { MIN_BAR = 10, MAX_BAR = 40, EDGES = 2, PART_BYTES = 2 * OT_UNITS_BYTES + 16 };

/* A rate, and a time that is left, say nothing before there was time to see. */
enum { SETTLED_NS = 500 * 1000 * 1000 };

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static void share_part(const struct ot_progress_line *line, char ret[PART_BYTES])
{
    double share = (double)line->done_bytes / (double)line->total_bytes;
    snprintf(ret, PART_BYTES, " %3d%%", (int)(share * 100));
}

static void write_time(char *ret, size_t cap, int64_t total)
{
    if (total < 3600)
        snprintf(ret, cap, "%" PRId64 ":%02d", total / 60, (int)(total % 60));
    else
        snprintf(ret, cap, "%" PRId64 ":%02d:%02d", total / 3600, (int)(total / 60 % 60),
                 (int)(total % 60));
}

static void left_part(const struct ot_progress_line *line, char ret[PART_BYTES])
{
    char time[32] = "-:--";
    if (line->elapsed_ns >= SETTLED_NS) {
        double rate = (double)line->done_bytes / seconds(line->elapsed_ns);
        double left = (double)(line->total_bytes - line->done_bytes) / rate;
        if (left < 99 * 3600)
            write_time(time, sizeof(time), (int64_t)left + 1);
    }
    snprintf(ret, PART_BYTES, "  %5s left", time);
}

static void elapsed_part(const struct ot_progress_line *line, char ret[PART_BYTES])
{
    char time[32];
    write_time(time, sizeof(time), line->elapsed_ns / 1000000000);
    snprintf(ret, PART_BYTES, "  %5s", time);
}

/* Both in the unit of the total, which does not change. */
static void of_total_part(const struct ot_progress_line *line, char ret[PART_BYTES])
{
    char total[OT_UNITS_BYTES];
    char done[OT_UNITS_BYTES];
    double unit = 1;
    int decimals = 0;
    ot_units_bytes(total, line->total_bytes);
    for (; unit < 0x1p40 && (double)line->total_bytes >= unit * 1024; decimals = 2)
        unit *= 1024;
    ot_units_fixed(done, (double)line->done_bytes / unit, decimals);
    snprintf(ret, PART_BYTES, "  %7s of %s", done, total);
}

static void bytes_part(const struct ot_progress_line *line, char ret[PART_BYTES])
{
    char done[OT_UNITS_BYTES];
    ot_units_bytes(done, line->done_bytes);
    snprintf(ret, PART_BYTES, "  %10s", done);
}

static void rate_part(const struct ot_progress_line *line, char ret[PART_BYTES])
{
    char rate[OT_UNITS_BYTES] = "";
    if (line->elapsed_ns >= SETTLED_NS)
        ot_units_bytes(rate, (uint64_t)((double)line->done_bytes / seconds(line->elapsed_ns)));
    snprintf(ret, PART_BYTES, "  %10s%s", rate, rate[0] ? "/s" : "  ");
}

typedef void (*write_part)(const struct ot_progress_line *line, char ret[PART_BYTES]);

/* The most important first. */
static const write_part parts_of_known[] = {share_part, left_part, of_total_part, rate_part};
static const write_part parts_of_unknown[] = {elapsed_part, bytes_part, rate_part};
enum {
    N_KNOWN = sizeof(parts_of_known) / sizeof(parts_of_known[0]),
    N_UNKNOWN = sizeof(parts_of_unknown) / sizeof(parts_of_unknown[0])
};

/* U+2588 is a full block, and the seven code points behind it are narrower and narrower ones. */
static void add_blocks(struct ot_str *str, size_t eighths, size_t width)
{
    size_t n = 0;
    for (; n < width && eighths >= 8 * (n + 1); n++)
        ot_str_addf(str, "\xe2\x96\x88");
    if (n < width && eighths > 8 * n) {
        ot_str_addf(str, "\xe2\x96%c", (char)(0x90 - (eighths - 8 * n)));
        n++;
    }
    ot_str_addf(str, "%*s", (int)(width - n), "");
}

static void add_bar(struct ot_str *str, double share, size_t width, bool ascii)
{
    if (!ascii) {
        ot_str_addf(str, " \xe2\x94\x82");
        add_blocks(str, (size_t)(share * (double)width * 8), width);
        ot_str_addf(str, "\xe2\x94\x82");
        return;
    }
    size_t n_full = (size_t)(share * (double)width);
    ot_str_addf(str, " [");
    for (size_t i = 0; i < width; i++)
        ot_str_addf(str, "%c", i < n_full ? '#' : '-');
    ot_str_addf(str, "]");
}

/* As many parts as fit beside `taken` cells, the first ones first. */
static void add_parts(struct ot_str *str, const struct ot_progress_line *line,
                      const write_part *parts, size_t n_parts, size_t taken, size_t width)
{
    for (size_t i = 0; i < n_parts; i++) {
        char part[PART_BYTES];
        parts[i](line, part);
        taken += strlen(part);
        if (taken > width)
            return;
        ot_str_addf(str, "%s", part);
    }
}

void ot_progress_line_add(struct ot_str *str, const struct ot_progress_line *line, size_t width,
                          bool ascii)
{
    struct ot_progress_line shown = *line;
    struct ot_str parts = {0};
    size_t taken = strlen(line->what);
    if (taken > width)
        return;
    if (shown.total_bytes && shown.done_bytes > shown.total_bytes)
        shown.done_bytes = shown.total_bytes; /* it grew meanwhile */
    ot_str_addf(str, "%s", line->what);
    if (shown.done_bytes && shown.total_bytes) {
        taken += 1 + EDGES;
        add_parts(&parts, &shown, parts_of_known, N_KNOWN, taken + MIN_BAR, width);
        size_t room = width > taken + parts.len ? width - taken - parts.len : 0;
        if (room >= MIN_BAR)
            add_bar(str, (double)shown.done_bytes / (double)shown.total_bytes,
                    room < MAX_BAR ? room : MAX_BAR, ascii);
    } else {
        add_parts(&parts, &shown, parts_of_unknown, shown.done_bytes ? N_UNKNOWN : 1, taken, width);
    }
    ot_str_add(str, ot_str_borrow(&parts), parts.len);
    str->failed |= parts.failed;
    ot_str_release(&parts);
}
