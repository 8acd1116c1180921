/* cmd_top.c: optally top: a live view of a recording. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/top_find.h"
#include "cli/top_terminal.h"
#include "cli/top_watch.h"
#include "cli/verb.h"
#include "emit/top/json.h"
#include "emit/top/keys.h"
#include "emit/top/screen.h"

static const char verb[] = "top";

static const char usage[] =
    "usage: optally top [OPTION...] [DIR]\n"
    "\n"
    "Shows which operators a program that is being recorded spends its time in, now. DIR is the\n"
    "recording's folder (default: the newest one in optally-data that runs).\n"
    "\n"
    "      --window S     the last S seconds (default: 5)\n"
    "      --interval S   look again every S seconds (default: 1)\n"
    "      --sort KEY     order rows by self, calls, inclusive or mean\n"
    "      --by WHAT      a row per operator, annotation or thread\n"
    "      --once         print the last seconds once; so it is where there is no terminal\n"
    "      --json         likewise, as JSON\n"
    "  -h, --help         print this\n"
    "\n"
    "While it runs, the key ? tells the others, and q quits.\n";

enum option_id { OPT_WINDOW = 256, OPT_INTERVAL, OPT_SORT, OPT_BY, OPT_ONCE, OPT_JSON };

static const struct option options[] = {
    {"help", no_argument, NULL, 'h'},
    {"window", required_argument, NULL, OPT_WINDOW},
    {"interval", required_argument, NULL, OPT_INTERVAL},
    {"sort", required_argument, NULL, OPT_SORT},
    {"by", required_argument, NULL, OPT_BY},
    {"once", no_argument, NULL, OPT_ONCE},
    {"json", no_argument, NULL, OPT_JSON},
    {0},
};

enum { NS_PER_S = 1000000000, MAX_WINDOW_S = 600 };

struct top_args {
    uint64_t window_ns;
    uint64_t interval_ns;
    enum ot_top_sort sort;
    enum ot_top_by by;
    bool once;
    bool json;
    bool help;
    struct ot_str folder;
};

static int parse_seconds(const char *option, const char *value, double least, double most,
                         uint64_t *ret_ns, struct ot_err *err)
{
    char *end;
    errno = 0;
    double seconds = strtod(value, &end);
    if (errno || end == value || *end != '\0' || !(seconds >= least && seconds <= most))
        return ot_err_set(err, OT_ERR_USAGE, "--%s: '%s' is no number of seconds from %g to %g",
                          option, value, least, most);
    *ret_ns = (uint64_t)(seconds * NS_PER_S);
    return OT_OK;
}

static int parse_word(const char *option, const char *value, const char *const *words,
                      size_t n_words, size_t *ret_index, struct ot_err *err)
{
    struct ot_str list = {0};
    for (size_t i = 0; i < n_words; i++) {
        if (strcmp(words[i], value) == 0) {
            *ret_index = i;
            ot_str_release(&list);
            return OT_OK;
        }
        ot_str_addf(&list, "%s%s", i ? ", " : "", words[i]);
    }
    int code = ot_err_set(err, OT_ERR_USAGE, "--%s: '%s' is none of: %s", option, value,
                          ot_str_borrow(&list));
    ot_str_release(&list);
    return code;
}

static int take_option(int c, void *context, struct ot_err *err)
{
    struct top_args *args = context;
    const char *value = optarg;
    size_t index = 0;
    int code = OT_OK;
    switch ((enum option_id)c) {
    case OPT_WINDOW:
        return parse_seconds("window", value, 0.1, MAX_WINDOW_S, &args->window_ns, err);
    case OPT_INTERVAL:
        return parse_seconds("interval", value, 0.1, 60, &args->interval_ns, err);
    case OPT_SORT:
        code = parse_word("sort", value, ot_top_sort_names, OT_TOP_N_SORTS, &index, err);
        args->sort = (enum ot_top_sort)index;
        return code;
    case OPT_BY:
        code = parse_word("by", value, ot_top_by_names, OT_TOP_N_BY, &index, err);
        args->by = (enum ot_top_by)index;
        return code;
    case OPT_JSON:
        args->json = true;
        args->once = true;
        return OT_OK;
    case OPT_ONCE:
        args->once = true;
        return OT_OK;
    }
    return OT_OK;
}

static int parse(int argc, char **argv, struct top_args *args, struct ot_err *err)
{
    static const struct ot_options walk = {.verb = verb, .longs = options, .take = take_option};
    int code = ot_options_walk(&walk, argc, argv, args, &args->help, err);
    if (code < 0 || args->help)
        return code;
    if (argc - optind > 1)
        return ot_err_set(err, OT_ERR_USAGE,
                          "'%s': one recording at a time (see optally top "
                          "--help)",
                          argv[optind + 1]);
    if (optind < argc)
        ot_str_addf(&args->folder, "%s", argv[optind]);
    return OT_OK;
}

/* --- once --------------------------------------------------------------------------------------
 */

static void print_screen(const struct ot_top *top, const struct top_args *args)
{
    struct ot_screen screen = {0};
    struct ot_screen_opts opts = {.by = args->by, .sort = args->sort};
    ot_screen_make(&screen, top, &opts);
    for (size_t i = 0; i < screen.n_lines; i++) {
        struct ot_text line = ot_screen_line(&screen, i);
        fwrite(line.bytes, 1, line.len, stdout);
        putchar('\n');
    }
    ot_screen_release(&screen);
}

static int run_once(struct ot_watch *watch, const struct top_args *args, struct ot_err *err)
{
    struct ot_top *top = NULL;
    int code = ot_watch_poll(watch, err);
    if (code == OT_OK)
        code = ot_watch_view(watch, args->window_ns, args->sort, &top, err);
    if (code < 0)
        return code;
    if (args->json)
        ot_top_write_json(top, stdout);
    else
        print_screen(top, args);
    return OT_OK;
}

/* --- live --------------------------------------------------------------------------------------
 */

struct live {
    struct ot_watch *watch;
    struct ot_terminal *terminal;
    struct ot_top *top;
    struct ot_screen screen;
    struct ot_screen_opts opts;
    struct ot_keys_state keys;
    uint64_t interval_ns;
    int signal; /* that has asked to end */
};

static int show(struct live *live, struct ot_err *err)
{
    if (live->opts.paused && live->top) {
        ot_top_sort(live->top, live->opts.sort);
        return OT_OK;
    }
    return ot_watch_view(live->watch, live->keys.window_ns, live->opts.sort, &live->top, err);
}

static void draw(struct live *live)
{
    ot_terminal_size(live->terminal, &live->opts.width, &live->opts.height, &live->opts.ascii);
    ot_screen_make(&live->screen, live->top, &live->opts);
    /* Who scrolls beyond the end scrolls back from there. */
    if (!live->opts.help) {
        live->opts.first_row = live->screen.first_row;
        live->keys.page = live->screen.n_rows_shown;
    }
    ot_terminal_draw(live->terminal, &live->screen);
}

/* What has been waited for. OT_END: the user has gone. */
static int react(struct live *live, enum ot_terminal_event event, int value, struct ot_err *err)
{
    int code = OT_OK;
    if (event == OT_TERMINAL_TIMEOUT)
        code = ot_watch_poll(live->watch, err);
    else if (event == OT_TERMINAL_KEY)
        ot_keys_press(&live->keys, value);
    if (event == OT_TERMINAL_SIGNAL)
        live->signal = value;
    if (event == OT_TERMINAL_SIGNAL || event == OT_TERMINAL_GONE || live->keys.quits)
        return OT_END;
    if (code == OT_OK && event != OT_TERMINAL_REDRAW)
        code = show(live, err);
    return code;
}

static int watch_until_the_end(struct live *live, struct ot_err *err)
{
    int64_t next_ns = 0;
    int code = ot_watch_poll(live->watch, err);
    if (code == OT_OK)
        code = show(live, err);
    while (code == OT_OK) {
        int64_t now_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
        int value = 0;
        draw(live);
        if (next_ns <= now_ns) /* also when a look took longer than it may */
            next_ns = now_ns + (int64_t)live->interval_ns;
        enum ot_terminal_event event = ot_terminal_wait(live->terminal, next_ns, &value);
        code = react(live, event, value, err);
    }
    return code == OT_END ? OT_OK : code;
}

/* Ends as somebody who has not caught the signal would. */
static void die_of(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static int run_live(struct ot_watch *watch, const struct top_args *args, struct ot_err *err)
{
    struct live live = {
        .watch = watch,
        .opts = {.by = args->by, .sort = args->sort, .interactive = true},
        .interval_ns = args->interval_ns,
    };
    live.keys = (struct ot_keys_state){
        .screen = &live.opts,
        .window_ns = args->window_ns,
        .max_window_ns = (uint64_t)MAX_WINDOW_S * NS_PER_S,
    };
    int code = ot_terminal_open(&live.terminal, err);
    if (code < 0)
        return code;
    code = watch_until_the_end(&live, err);
    ot_terminal_close(live.terminal);
    ot_screen_release(&live.screen);
    if (live.signal)
        die_of(live.signal);
    return code;
}

static int run(struct top_args *args, struct ot_err *err)
{
    struct ot_watch *watch = NULL;
    int code = OT_OK;
    if (args->folder.len == 0)
        code = ot_top_find(&args->folder, err);
    if (code == OT_OK)
        code = ot_watch_open(ot_str_borrow(&args->folder), (uint64_t)MAX_WINDOW_S * NS_PER_S,
                             args->window_ns, &watch, err);
    bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (code == OT_OK)
        code =
            args->once || !has_terminal ? run_once(watch, args, err) : run_live(watch, args, err);
    ot_watch_close(watch);
    return code;
}

int ot_cmd_top(int argc, char **argv)
{
    ot_quit_on_closed_pipe();
    /* How wide characters are, and whether the terminal takes more than ASCII. */
    setlocale(LC_CTYPE, "");
    struct top_args args = {
        .window_ns = 5 * (uint64_t)NS_PER_S,
        .interval_ns = NS_PER_S,
        .sort = OT_TOP_SELF,
        .by = OT_TOP_OPERATORS,
    };
    struct ot_err err;
    int code = parse(argc, argv, &args, &err);
    if (code == OT_OK && args.help)
        return ot_print_usage(verb, usage);
    if (code == OT_OK)
        code = run(&args, &err);
    const char *folder = ot_str_borrow(&args.folder);
    int status = code < 0 ? ot_fail_as_asked(&(struct ot_cli_failure){
                                .verb = verb,
                                .code = code,
                                .err = &err,
                                .json = ot_asks_for_json(argc, argv),
                                .inputs = &folder,
                                .n_inputs = args.folder.len ? 1 : 0,
                            })
                          : ot_finish_output(verb, OT_EXIT_OK);
    ot_str_release(&args.folder);
    return status;
}
