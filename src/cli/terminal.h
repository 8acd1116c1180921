/* terminal.h: what the terminal behind a standard stream is like. */
#ifndef OT_CLI_TERMINAL_H
#define OT_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "emit/grid/look.h"

/* --color: on a terminal, anywhere, nowhere. */
enum ot_color { OT_COLOR_AUTO, OT_COLOR_ALWAYS, OT_COLOR_NEVER };

/* OT_ERR_USAGE with one sentence that lists the valid ones. */
int ot_color_parse(const char *value, enum ot_color *ret_color, struct ot_err *err);

/* How text for people looks there. What is no terminal has neither width nor locale, so that the
 * same bytes come out wherever it is. Sets the process's LC_CTYPE to that of the environment if it
 * is a terminal, since the widths of characters depend on it. */
void ot_tty_look(int fd, enum ot_color color, struct ot_look *ret_look);

/* The same of standard error. Errors and warnings are told from places that no verb's options
 * reach, so the choice is the process's: `auto` until a verb has read its options. Before any
 * thread. */
void ot_tty_set_stderr_color(enum ot_color color);
void ot_tty_look_stderr(struct ot_look *ret_look);

/* Cells of a line, at least 20: as the terminal says, else as COLUMNS does, else 80. */
size_t ot_tty_width(int fd);

/* It is a terminal that lines can be erased of and colours be shown on. */
bool ot_tty_can_erase(int fd);

/* No other job of the same terminal is in its foreground. */
bool ot_tty_is_ours(int fd);

/* What is written there is not seen on a terminal, nor by a program that shows it as it comes (a
 * pager): it is a file, say. */
bool ot_tty_is_beside(int fd);

/* What the environment's locale says, whatever the process's is. */
bool ot_tty_takes_utf8(void);

/* NO_COLOR is not set, as https://no-color.org has it. */
bool ot_tty_may_color(void);

#endif
