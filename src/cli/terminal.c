#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIN_WIDTH = 20, DEFAULT_WIDTH = 80 };

static const char *const color_names[] = {
    [OT_COLOR_AUTO] = "auto",
    [OT_COLOR_ALWAYS] = "always",
    [OT_COLOR_NEVER] = "never",
};

int ot_color_parse(const char *value, enum ot_color *ret_color, struct ot_err *err)
{
    for (size_t i = 0; i < sizeof(color_names) / sizeof(color_names[0]); i++) {
        if (strcmp(value, color_names[i]) == 0) {
            *ret_color = (enum ot_color)i;
            return OT_OK;
        }
    }
    return ot_err_set(err, OT_ERR_USAGE, "--color: '%s' is none of: auto, always, never", value);
}

size_t ot_tty_width(int fd)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long width = DEFAULT_WIDTH;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
        width = size.ws_col;
    else if (columns && strtol(columns, NULL, 10) > 0)
        width = strtol(columns, NULL, 10);
    return width < MIN_WIDTH ? MIN_WIDTH : (size_t)width;
}

bool ot_tty_can_erase(int fd)
{
    const char *type = getenv("TERM");
    return isatty(fd) && type && type[0] != '\0' && strcmp(type, "dumb") != 0;
}

bool ot_tty_is_ours(int fd)
{
    pid_t foreground = tcgetpgrp(fd);
    return foreground < 0 || foreground == getpgrp();
}

bool ot_tty_is_beside(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode) &&
           !isatty(fd);
}

bool ot_tty_takes_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    bool is_utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return is_utf8;
}

bool ot_tty_may_color(void)
{
    const char *no_color = getenv("NO_COLOR");
    return !no_color || no_color[0] == '\0';
}

void ot_tty_look(int fd, enum ot_color color, struct ot_look *ret_look)
{
    *ret_look = (struct ot_look){.color = color == OT_COLOR_ALWAYS};
    if (!isatty(fd))
        return;
    setlocale(LC_CTYPE, "");
    ret_look->is_terminal = true;
    ret_look->width = ot_tty_width(fd);
    ret_look->ascii = !ot_tty_takes_utf8();
    ret_look->color |= color == OT_COLOR_AUTO && ot_tty_can_erase(fd) && ot_tty_may_color();
}

static enum ot_color stderr_color = OT_COLOR_AUTO;

void ot_tty_set_stderr_color(enum ot_color color)
{
    stderr_color = color;
}

void ot_tty_look_stderr(struct ot_look *ret_look)
{
    ot_tty_look(STDERR_FILENO, stderr_color, ret_look);
}
