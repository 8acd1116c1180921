/* top_terminal.h: the terminal that the live view is drawn in.
 *
 * From open to close the terminal is ours: another screen, no echo, each key at once. It is given
 * back while the process is stopped (Ctrl-Z), and signals that ask to end are not taken here but
 * told, so that whoever waits can close first. There is one at a time. One thread.
 */
#ifndef OT_CLI_TOP_TERMINAL_H
#define OT_CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "emit/top/screen.h"

struct ot_terminal;

enum ot_terminal_event {
    OT_TERMINAL_TIMEOUT,
    OT_TERMINAL_KEY,
    OT_TERMINAL_REDRAW, /* its size has changed, or somebody else has written into it */
    OT_TERMINAL_SIGNAL, /* one that asks to end */
    OT_TERMINAL_GONE    /* nobody is there any more */
};

/* OT_ERR_MISSING: nobody knows how to draw in a terminal of this type. */
int ot_terminal_open(struct ot_terminal **ret_terminal, struct ot_err *err);

/* Cells; and whether it takes ASCII alone. */
void ot_terminal_size(const struct ot_terminal *terminal, size_t *ret_width, size_t *ret_height,
                      bool *ret_ascii);

void ot_terminal_draw(struct ot_terminal *terminal, const struct ot_screen *screen);

/* Waits until `until_ns` (CLOCK_MONOTONIC) at most. *ret_value: the key (emit/top/keys.h), or the
 * signal. */
enum ot_terminal_event ot_terminal_wait(struct ot_terminal *terminal, int64_t until_ns,
                                        int *ret_value);

/* Puts everything back. Takes NULL. */
void ot_terminal_close(struct ot_terminal *terminal);

#endif
