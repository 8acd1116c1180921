#include "emit/top/screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "emit/grid/fit.h"
#include "emit/top/columns.h"

/* A picture being made. */
struct maker {
    struct ot_screen *screen;
    const struct ot_top *top;
    const struct ot_screen_opts *opts;
    size_t taken; /* cells of the line that is being written */
};

/* --- lines -------------------------------------------------------------------------------------
 */

static size_t room(const struct maker *maker)
{
    size_t width = maker->opts->width;
    return maker->taken < width ? width - maker->taken : 0;
}

/* There is room for what matters, and for nothing else. */
static bool is_narrow(const struct maker *maker)
{
    enum { NARROW = 60 };
    return maker->opts->width && maker->opts->width < NARROW;
}

static bool is_full(const struct maker *maker)
{
    return maker->opts->height && maker->screen->n_lines >= maker->opts->height;
}

/* Untrusted text, as much of it as fits. */
static void add(struct maker *maker, struct ot_text text)
{
    size_t width = room(maker);
    if (maker->opts->width == OT_SCREEN_ALL || width)
        maker->taken += ot_fit_add(&maker->screen->text, text,
                                   maker->opts->width ? width : OT_FIT_ANY, maker->opts->ascii);
}

static void add_spaces(struct maker *maker, size_t n)
{
    ot_str_addf(&maker->screen->text, "%*s", (int)n, "");
    maker->taken += n;
}

static void end_line(struct maker *maker, enum ot_screen_style style)
{
    struct ot_screen *screen = maker->screen;
    maker->taken = 0;
    if (!ot_vec_reserve(&screen->lines, &screen->cap, screen->n_lines + 1,
                        sizeof(*screen->lines))) {
        screen->failed = true;
        return;
    }
    screen->lines[screen->n_lines++] = (struct ot_screen_line){screen->text.len, style};
}

/* `left`, and `right` at the right edge; where there is not room for both, `left` is cut. */
static void add_split(struct maker *maker, struct ot_text left, struct ot_text right)
{
    enum { GAP = 2, FEWEST = 8 };
    size_t width = maker->opts->width;
    size_t right_cells = ot_fit_cells(right);
    if (width == OT_SCREEN_ALL) {
        add(maker, left);
        add_spaces(maker, right.len ? GAP : 0);
        add(maker, right);
        return;
    }
    if (right.len == 0 || right_cells + GAP + FEWEST > width) {
        add(maker, left);
        return;
    }
    maker->taken =
        ot_fit_add(&maker->screen->text, left, width - right_cells - GAP, maker->opts->ascii);
    add_spaces(maker, width - right_cells - maker->taken);
    add(maker, right);
}

/* --- what is watched ---------------------------------------------------------------------------
 */

static const char *const states[] = {
    [OT_TOP_WAITING] = "waiting for PyTorch",
    [OT_TOP_RUNNING] = "running",
    [OT_TOP_ENDED] = "ended",
};

static void add_title(struct maker *maker)
{
    const struct ot_top *top = maker->top;
    struct ot_str left = {0};
    struct ot_str right = {0};
    int64_t s = top->elapsed_ns / 1000000000;
    if (!is_narrow(maker))
        ot_str_addf(&left, "optally top: ");
    ot_str_add_text(&left, top->command.len ? top->command : top->recording);
    ot_str_addf(&right, "%s %" PRId64 ":%02d:%02d", states[top->state], s / 3600,
                (int)(s / 60 % 60), (int)(s % 60));
    add_split(maker, (struct ot_text){ot_str_borrow(&left), left.len},
              (struct ot_text){ot_str_borrow(&right), right.len});
    ot_str_release(&left);
    ot_str_release(&right);
    end_line(maker, OT_SCREEN_TITLE);
}

/* Facts stand side by side as long as there is room; none is broken. */
static void add_fact(struct maker *maker, struct ot_str *fact)
{
    static const char between[] = "  ";
    struct ot_text text = {ot_str_borrow(fact), fact->len};
    size_t width = maker->opts->width;
    if (maker->taken && width && maker->taken + sizeof(between) - 1 + ot_fit_cells(text) > width)
        end_line(maker, OT_SCREEN_PLAIN);
    if (maker->taken)
        add(maker, ot_text_of(between));
    add(maker, text);
    ot_str_clear(fact);
}

static const char *plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

static void say_host(const struct ot_top *top, struct ot_str *fact)
{
    if (top->n_hosts > 1)
        ot_str_addf(fact, "%zu hosts", top->n_hosts);
    else
        ot_str_add_text(fact, top->host);
}

static void say_processes(const struct ot_top *top, struct ot_str *fact)
{
    if (top->n_processes_alive != top->n_processes)
        ot_str_addf(fact, "%" PRIu64 " of ", top->n_processes_alive);
    ot_str_addf(fact, "%" PRIu64 " %s", top->n_processes,
                plural(top->n_processes, "process", "processes"));
}

static void say_threads(const struct ot_top *top, struct ot_str *fact)
{
    ot_str_addf(fact, "%" PRIu64 " %s", top->n_threads_alive,
                plural(top->n_threads_alive, "thread", "threads"));
}

static void say_rate(const struct ot_top *top, struct ot_str *fact)
{
    char text[OT_UNITS_BYTES];
    ot_columns_rate(text, top->n_events, top->wall_ns);
    ot_str_addf(fact, "%s events/s", text);
}

/* Of one core: beyond 100% where threads work side by side. */
static void say_busy(const struct ot_top *top, struct ot_str *fact)
{
    char text[OT_UNITS_BYTES];
    uint64_t busy_ns = 0;
    for (size_t i = 0; i < top->by[OT_TOP_THREADS].n_rows; i++)
        busy_ns += top->by[OT_TOP_THREADS].rows[i].self_ns;
    ot_columns_share(text, busy_ns, top->wall_ns);
    ot_str_addf(fact, "%s in operators", text);
}

static void say_log(const struct ot_top *top, struct ot_str *fact)
{
    char size[OT_UNITS_BYTES];
    char growth[OT_UNITS_BYTES];
    ot_units_bytes(size, top->log_bytes);
    ot_str_addf(fact, "log %s", size);
    if (!top->wall_ns)
        return;
    double rate = (double)top->grown_bytes * 1e9 / (double)top->wall_ns;
    ot_units_bytes(growth, rate < 0x1p63 ? (uint64_t)rate : UINT64_C(1) << 63);
    ot_str_addf(fact, " +%s/s", growth);
}

static void add_facts(struct maker *maker)
{
    static void (*const facts[])(const struct ot_top *, struct ot_str *) = {
        say_host, say_processes, say_threads, say_busy, say_rate, say_log,
    };
    struct ot_str fact = {0};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        facts[i](maker->top, &fact);
        add_fact(maker, &fact);
    }
    ot_str_release(&fact);
    if (maker->taken)
        end_line(maker, OT_SCREEN_PLAIN);
}

static void add_alert(struct maker *maker, struct ot_str *text)
{
    add(maker, (struct ot_text){ot_str_borrow(text), text->len});
    end_line(maker, OT_SCREEN_ALERT);
    ot_str_clear(text);
}

static void add_alerts(struct maker *maker)
{
    const struct ot_top *top = maker->top;
    struct ot_str text = {0};
    if (top->n_stopped) {
        ot_str_addf(&text, "%" PRIu64 " %s stopped recording: ", top->n_stopped,
                    plural(top->n_stopped, "process", "processes"));
        ot_str_add_text(&text, top->stop_reason);
        add_alert(maker, &text);
    }
    if (top->n_lost) {
        ot_str_addf(&text, "%" PRIu64 " events were lost", top->n_lost);
        add_alert(maker, &text);
    }
    if (top->n_lost_names) {
        ot_str_addf(&text, "%" PRIu64 " %s found no room: see (name not kept)", top->n_lost_names,
                    plural(top->n_lost_names, "name", "names"));
        add_alert(maker, &text);
    }
    if (top->n_skipped) {
        ot_str_addf(&text, "%" PRIu64 " events skipped: too many to look at; all is a lower bound",
                    top->n_skipped);
        add_alert(maker, &text);
    }
    if (top->trouble.len) {
        ot_str_add_text(&text, top->trouble);
        add_alert(maker, &text);
    }
    ot_str_release(&text);
}

/* --- the table ---------------------------------------------------------------------------------
 */

static const char *const plural_kinds[] = {
    [OT_TOP_OPERATORS] = "operators",
    [OT_TOP_ANNOTATIONS] = "annotations",
    [OT_TOP_THREADS] = "threads",
};

static void add_choice(struct maker *maker, size_t n_rows)
{
    const struct ot_screen_opts *opts = maker->opts;
    struct ot_str left = {0};
    struct ot_str right = {0};
    char span[OT_UNITS_BYTES];
    ot_units_fixed(span, (double)maker->top->wall_ns / 1e9, 1);
    ot_str_addf(&left, "%s by %s, %s%s s", plural_kinds[opts->by], ot_top_sort_names[opts->sort],
                is_narrow(maker) ? "" : "last ", span);
    if (opts->paused)
        ot_str_addf(&right, "paused");
    size_t shown = maker->screen->n_rows_shown;
    if (shown < n_rows)
        ot_str_addf(&right, "%s%zu-%zu of %zu", right.len ? "  " : "", maker->screen->first_row + 1,
                    maker->screen->first_row + shown, n_rows);
    if (opts->interactive && !is_narrow(maker))
        ot_str_addf(&right, "%s?: help", right.len ? "  " : "");
    add_split(maker, (struct ot_text){ot_str_borrow(&left), left.len},
              (struct ot_text){ot_str_borrow(&right), right.len});
    ot_str_release(&left);
    ot_str_release(&right);
    end_line(maker, OT_SCREEN_PLAIN);
}

static void add_cells(struct maker *maker, const struct ot_top_row *row)
{
    struct ot_columns_place places[OT_COLUMNS_MAX];
    size_t n = ot_columns_place(maker->opts->by, maker->opts->width, places);
    struct ot_str cell = {0};
    for (size_t i = 0; i < n; i++) {
        if (row)
            places[i].column->add(&cell, maker->top, row);
        else
            ot_str_addf(&cell, "%s", places[i].column->title);
        add_spaces(maker, i ? OT_COLUMNS_GAP : 0);
        struct ot_text text = {ot_str_borrow(&cell), cell.len};
        if (places[i].width == 0) {
            add(maker, text);
        } else {
            size_t cells = ot_fit_cells(text);
            size_t padding = cells < places[i].width ? places[i].width - cells : 0;
            add_spaces(maker, places[i].column->is_left ? 0 : padding);
            maker->taken +=
                ot_fit_add(&maker->screen->text, text, places[i].width, maker->opts->ascii);
            add_spaces(maker, places[i].column->is_left ? padding : 0);
        }
        ot_str_clear(&cell);
    }
    ot_str_release(&cell);
}

/* How many rows fit below what is there, the line of what is chosen and the titles. */
static void choose_rows(struct maker *maker, size_t n_rows)
{
    struct ot_screen *screen = maker->screen;
    size_t used = screen->n_lines + 2;
    size_t height = maker->opts->height;
    size_t n = n_rows;
    if (height)
        n = used < height ? height - used : 0;
    screen->n_rows_shown = n < n_rows ? n : n_rows;
    size_t last_first = n_rows - screen->n_rows_shown;
    screen->first_row = maker->opts->first_row < last_first ? maker->opts->first_row : last_first;
}

static void add_table(struct maker *maker)
{
    const struct ot_top_rows *rows = &maker->top->by[maker->opts->by];
    struct ot_screen *screen = maker->screen;
    choose_rows(maker, rows->n_rows);
    add_choice(maker, rows->n_rows);
    add_cells(maker, NULL);
    if (maker->opts->width) /* the bar of titles reaches to the edge */
        add_spaces(maker, room(maker));
    end_line(maker, OT_SCREEN_HEAD);
    if (rows->n_rows == 0 && !is_full(maker)) {
        add(maker, ot_text_of("none in this time"));
        end_line(maker, OT_SCREEN_PLAIN);
    }
    for (size_t i = 0; i < screen->n_rows_shown && !is_full(maker); i++) {
        add_cells(maker, &rows->rows[screen->first_row + i]);
        end_line(maker, OT_SCREEN_PLAIN);
    }
}

/* --- help --------------------------------------------------------------------------------------
 */

static const char *const help[] = {
    "q      quit",
    "s      sort by self, calls, inclusive, mean",
    "t      operators, annotations, threads",
    "p      pause, go on",
    "+ -    a longer, a shorter window of time",
    "arrows, PgUp, PgDn, Home, End   scroll",
    "?      back from here",
    "",
    "Self%     of one core, in the operator itself",
    "Incl%     with all that it called",
    "Calls/s   calls that ended",
    "Mean      inclusive time of one call",
};

static void add_help(struct maker *maker)
{
    for (size_t i = 0; i < sizeof(help) / sizeof(help[0]) && !is_full(maker); i++) {
        add(maker, ot_text_of(help[i]));
        end_line(maker, OT_SCREEN_PLAIN);
    }
}

/* --- the whole ---------------------------------------------------------------------------------
 */

void ot_screen_make(struct ot_screen *screen, const struct ot_top *top,
                    const struct ot_screen_opts *opts)
{
    struct maker maker = {.screen = screen, .top = top, .opts = opts};
    ot_str_clear(&screen->text);
    screen->n_lines = screen->n_rows_shown = screen->first_row = 0;
    add_title(&maker);
    if (opts->help) {
        add_help(&maker);
    } else {
        add_facts(&maker);
        add_alerts(&maker);
        add_table(&maker);
    }
    /* What is above the table may be more than a tiny screen holds. */
    if (opts->height && screen->n_lines > opts->height)
        screen->n_lines = opts->height;
    screen->failed |= screen->text.failed;
}

struct ot_text ot_screen_line(const struct ot_screen *screen, size_t i)
{
    size_t start = i ? screen->lines[i - 1].end : 0;
    return (struct ot_text){ot_str_borrow(&screen->text) + start, screen->lines[i].end - start};
}

void ot_screen_release(struct ot_screen *screen)
{
    if (!screen)
        return;
    ot_str_release(&screen->text);
    free(screen->lines);
    *screen = (struct ot_screen){0};
}
