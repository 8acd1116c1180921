#include "emit/top/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ot_columns_rate(char ret_text[OT_UNITS_BYTES], uint64_t n, uint64_t wall_ns)
{
    static const struct {
        double from;
        double unit;
        int decimals;
        const char *suffix;
    } forms[] = {
        {1e9, 1e9, 2, "G"}, {1e6, 1e6, 2, "M"}, {1e5, 1e3, 1, "k"}, {10, 1, 0, ""}, {0, 1, 2, ""}};
    if (wall_ns == 0) {
        snprintf(ret_text, OT_UNITS_BYTES, "-");
        return;
    }
    double rate = (double)n * 1e9 / (double)wall_ns;
    size_t i = 0;
    while (rate < forms[i].from)
        i++;
    ot_units_fixed(ret_text, rate / forms[i].unit, forms[i].decimals);
    strncat(ret_text, forms[i].suffix, OT_UNITS_BYTES - strlen(ret_text) - 1);
}

void ot_columns_share(char ret_text[OT_UNITS_BYTES], uint64_t part_ns, uint64_t wall_ns)
{
    if (wall_ns == 0) {
        snprintf(ret_text, OT_UNITS_BYTES, "-");
        return;
    }
    ot_units_fixed(ret_text, 100. * (double)part_ns / (double)wall_ns, 1);
    strncat(ret_text, "%", OT_UNITS_BYTES - strlen(ret_text) - 1);
}

static void add_self(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    char text[OT_UNITS_BYTES];
    ot_columns_share(text, row->self_ns, top->wall_ns);
    ot_str_addf(cell, "%s", text);
}

static void add_inclusive(struct ot_str *cell, const struct ot_top *top,
                          const struct ot_top_row *row)
{
    char text[OT_UNITS_BYTES];
    ot_columns_share(text, row->inclusive_ns, top->wall_ns);
    ot_str_addf(cell, "%s", text);
}

static void add_calls(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    char text[OT_UNITS_BYTES];
    ot_columns_rate(text, row->n_calls, top->wall_ns);
    ot_str_addf(cell, "%s", text);
}

static void add_mean(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    (void)top;
    char text[OT_UNITS_BYTES] = "-";
    if (row->n_calls)
        ot_units_mean_ns(text, row->inclusive_ns, row->n_calls, true);
    ot_str_addf(cell, "%s", text);
}

static void add_name(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    (void)top;
    ot_str_add_text(cell, row->name);
}

static void add_process(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    if (top->n_hosts > 1) {
        ot_str_add_text(cell, row->host);
        ot_str_add_text(cell, ot_text_of("/"));
    }
    ot_str_addf(cell, "%" PRId64, row->pid);
}

static void add_thread(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    (void)top;
    ot_str_addf(cell, "%" PRIu64, row->tid);
}

static void add_current(struct ot_str *cell, const struct ot_top *top, const struct ot_top_row *row)
{
    (void)top;
    if (row->current.len)
        ot_str_add_text(cell, row->current);
    else
        ot_str_addf(cell, "-");
}

static const struct ot_column of_calls[] = {
    {"Self%", 7, 0, false, add_self},     {"Incl%", 7, 60, false, add_inclusive},
    {"Calls/s", 8, 30, false, add_calls}, {"Mean", 9, 50, false, add_mean},
    {"Operator", 0, 0, true, add_name},   {0},
};

static const struct ot_column of_annotations[] = {
    {"Self%", 7, 0, false, add_self},     {"Incl%", 7, 60, false, add_inclusive},
    {"Calls/s", 8, 30, false, add_calls}, {"Mean", 9, 50, false, add_mean},
    {"Annotation", 0, 0, true, add_name}, {0},
};

static const struct ot_column of_threads[] = {
    {"Busy%", 7, 0, false, add_self},
    {"Calls/s", 8, 50, false, add_calls},
    {"Process", 9, 60, false, add_process},
    {"Thread", 8, 20, false, add_thread},
    {"Name", 15, 70, true, add_name},
    {"In", 0, 0, true, add_current},
    {0},
};

size_t ot_columns_place(enum ot_top_by by, size_t width,
                        struct ot_columns_place ret_places[OT_COLUMNS_MAX])
{
    static const struct ot_column *const tables[] = {
        [OT_TOP_OPERATORS] = of_calls,
        [OT_TOP_ANNOTATIONS] = of_annotations,
        [OT_TOP_THREADS] = of_threads,
    };
    enum { MIN_NAME = 8 };
    size_t n = 0;
    size_t taken = 0;
    for (const struct ot_column *column = tables[by]; column->title; column++) {
        size_t needed = column->width ? taken + column->width + OT_COLUMNS_GAP + MIN_NAME : 0;
        if (width && (width < column->min_width || width < needed))
            continue;
        ret_places[n++] = (struct ot_columns_place){column, column->width};
        taken += column->width + OT_COLUMNS_GAP;
    }
    return n;
}
