#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verb.h"

enum { MAX_BYTES = 8192 };

static const struct {
    const char *word; /* that a message begins with */
    enum ot_style style;
} words[] = {{"warning:", OT_STYLE_WARNING}};

static void write_message(const struct ot_look *look, const char *message)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t len = strlen(words[i].word);
        if (strncmp(message, words[i].word, len) != 0)
            continue;
        fprintf(stderr, "%s%s%s", ot_look_begin(look, words[i].style), words[i].word,
                ot_look_end(look, words[i].style));
        message += len;
    }
    ot_look_write(look, ot_text_of(message), stderr);
}

static void write_line(const char *verb, enum ot_style style, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

static void write_line(const char *verb, enum ot_style style, const char *fmt, va_list args)
{
    char raw[MAX_BYTES];
    struct ot_look look;
    struct ot_str line = {0};
    vsnprintf(raw, sizeof(raw), fmt, args);
    ot_utf8_add_printable(&line, ot_text_of(raw));
    ot_tty_look_stderr(&look);
    fflush(stdout);
    flockfile(stderr);
    ot_progress_erase();
    fprintf(stderr, "%soptally%s%s:%s ", ot_look_begin(&look, style), verb ? " " : "",
            verb ? verb : "", ot_look_end(&look, style));
    write_message(&look, line.failed ? raw : ot_str_borrow(&line));
    putc('\n', stderr);
    funlockfile(stderr);
    ot_str_release(&line);
}

void ot_complain(const char *verb, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line(verb, OT_STYLE_PLAIN, fmt, args);
    va_end(args);
}

void ot_complain_of_error(const char *verb, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    write_line(verb, OT_STYLE_ERROR, fmt, args);
    va_end(args);
}
