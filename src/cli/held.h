/* held.h: standard output that is held back while it may still come to nothing.
 *
 * What is written first stays in memory, 1 MiB at most; a program that reads a result so gets all
 * of it or an error, and no half of it, unless it is a long one. One thread.
 */
#ifndef OT_CLI_HELD_H
#define OT_CLI_HELD_H

#include <stdbool.h>
#include <stdio.h>

struct ot_held {
    FILE *out;    /* to write to; its errors are found at the end */
    bool is_gone; /* some of it is out */
};

/* False when memory is out. The struct may not move until it ends. */
bool ot_held_begin(struct ot_held *held);

/* False, with errno: not everything could be written. */
bool ot_held_end(struct ot_held *held);

/* True: nothing of it ever came out. */
bool ot_held_drop(struct ot_held *held);

#endif
