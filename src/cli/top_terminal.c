#include "cli/top_terminal.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "emit/top/keys.h"

struct ot_terminal {
    SCREEN *screen;
    sigset_t old_mask;
    sigset_t wait_mask;
    int signals; /* signalfd */
    bool ascii;
    bool has_colors;
};

enum { ALERT_PAIR = 1 };

/* Signals that end us, and the one that says that we go on after having been stopped, come through
 * the descriptor. Those that curses handles itself come only while we wait, so never into the
 * middle of a picture. */
static int take_signals(struct ot_terminal *terminal, struct ot_err *err)
{
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCONT};
    static const int of_curses[] = {SIGTSTP, SIGWINCH};
    sigset_t told;
    sigset_t blocked;
    sigemptyset(&told);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        sigaddset(&told, ours[i]);
    blocked = told;
    for (size_t i = 0; i < sizeof(of_curses) / sizeof(of_curses[0]); i++)
        sigaddset(&blocked, of_curses[i]);
    sigprocmask(SIG_BLOCK, &blocked, &terminal->old_mask);
    terminal->wait_mask = terminal->old_mask;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        sigaddset(&terminal->wait_mask, ours[i]);
    terminal->signals = signalfd(-1, &told, SFD_CLOEXEC | SFD_NONBLOCK);
    if (terminal->signals < 0)
        return ot_err_sys(err, OT_ERR_IO, "signalfd");
    return OT_OK;
}

static int open_screen(struct ot_terminal *terminal, struct ot_err *err)
{
    const char *type = getenv("TERM");
    terminal->screen = newterm(NULL, stdout, stdin);
    /* The library draws somehow even where there is no way to move the cursor. */
    if (terminal->screen && tigetstr("cup") != NULL)
        return OT_OK;
    return ot_err_set(err, OT_ERR_MISSING,
                      "cannot draw in a terminal of type '%s' (TERM): --once prints what there is",
                      type ? type : "");
}

static void set_up(struct ot_terminal *terminal)
{
    const char *no_color = getenv("NO_COLOR");
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(50); /* ms; more is felt when somebody presses Esc */
    curs_set(0);
    terminal->has_colors = !(no_color && no_color[0] != '\0') && has_colors() &&
                           start_color() == OK && use_default_colors() == OK &&
                           init_pair(ALERT_PAIR, COLOR_RED, -1) == OK;
}

int ot_terminal_open(struct ot_terminal **ret_terminal, struct ot_err *err)
{
    struct ot_terminal *terminal = calloc(1, sizeof(*terminal));
    if (!terminal)
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory");
    terminal->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    int code = take_signals(terminal, err);
    if (code == OT_OK)
        code = open_screen(terminal, err);
    if (code < 0) {
        ot_terminal_close(terminal);
        return code;
    }
    set_up(terminal);
    *ret_terminal = terminal;
    return OT_OK;
}

void ot_terminal_close(struct ot_terminal *terminal)
{
    if (!terminal)
        return;
    if (terminal->screen) {
        endwin();
        delscreen(terminal->screen);
    }
    if (terminal->signals >= 0)
        close(terminal->signals);
    sigprocmask(SIG_SETMASK, &terminal->old_mask, NULL);
    free(terminal);
}

void ot_terminal_size(const struct ot_terminal *terminal, size_t *ret_width, size_t *ret_height,
                      bool *ret_ascii)
{
    *ret_width = (size_t)COLS;
    *ret_height = (size_t)LINES;
    *ret_ascii = terminal->ascii;
}

static attr_t style_of(const struct ot_terminal *terminal, enum ot_screen_style style)
{
    static const attr_t styles[] = {
        [OT_SCREEN_PLAIN] = A_NORMAL,
        [OT_SCREEN_TITLE] = A_BOLD,
        [OT_SCREEN_HEAD] = A_REVERSE,
        [OT_SCREEN_ALERT] = A_BOLD,
    };
    attr_t colour = style == OT_SCREEN_ALERT && terminal->has_colors ? COLOR_PAIR(ALERT_PAIR) : 0;
    return styles[style] | colour;
}

void ot_terminal_draw(struct ot_terminal *terminal, const struct ot_screen *screen)
{
    erase();
    for (size_t i = 0; i < screen->n_lines; i++) {
        struct ot_text line = ot_screen_line(screen, i);
        attrset(style_of(terminal, screen->lines[i].style));
        mvaddnstr((int)i, 0, line.bytes, (int)line.len);
    }
    attrset(A_NORMAL);
    refresh();
}

static const struct {
    int curses;
    int ours;
} special_keys[] = {
    {KEY_UP, OT_KEY_UP},     {KEY_DOWN, OT_KEY_DOWN}, {KEY_PPAGE, OT_KEY_PAGE_UP},
    {KEY_HOME, OT_KEY_HOME}, {KEY_END, OT_KEY_END},   {KEY_NPAGE, OT_KEY_PAGE_DOWN},
};

static int key_of(int curses)
{
    for (size_t i = 0; i < sizeof(special_keys) / sizeof(special_keys[0]); i++) {
        if (special_keys[i].curses == curses)
            return special_keys[i].ours;
    }
    return curses;
}

/* A key that was pressed; ERR: none. */
static bool read_key(int *ret_value, enum ot_terminal_event *ret_event)
{
    int key = getch();
    if (key == ERR)
        return false;
    *ret_event = key == KEY_RESIZE ? OT_TERMINAL_REDRAW : OT_TERMINAL_KEY;
    *ret_value = key_of(key);
    return true;
}

static bool read_signal(struct ot_terminal *terminal, int *ret_value,
                        enum ot_terminal_event *ret_event)
{
    struct signalfd_siginfo info;
    if (read(terminal->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return false;
    *ret_value = (int)info.ssi_signo;
    *ret_event = OT_TERMINAL_SIGNAL;
    if (info.ssi_signo == SIGCONT) {
        *ret_event = OT_TERMINAL_REDRAW;
        clearok(curscr, TRUE);
    }
    return true;
}

enum ot_terminal_event ot_terminal_wait(struct ot_terminal *terminal, int64_t until_ns,
                                        int *ret_value)
{
    enum ot_terminal_event event = OT_TERMINAL_TIMEOUT;
    for (;;) {
        if (read_signal(terminal, ret_value, &event) || read_key(ret_value, &event))
            return event;
        int64_t left_ns = until_ns - ot_tick_clock_ns(CLOCK_MONOTONIC);
        if (left_ns <= 0)
            return OT_TERMINAL_TIMEOUT;
        struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = terminal->signals, .events = POLLIN}};
        int n = ppoll(fds, 2, &left, &terminal->wait_mask);
        if (n < 0 && errno != EINTR)
            return OT_TERMINAL_GONE;
        /* Readable with nothing to read is the end of it. */
        if (n > 0 && fds[0].revents && !fds[1].revents) {
            if (read_key(ret_value, &event))
                return event;
            if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
                return OT_TERMINAL_GONE;
        }
    }
}
