/* keys.h: what a key does to the view. */
#ifndef OT_EMIT_TOP_KEYS_H
#define OT_EMIT_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/top/screen.h"

/* Beside characters. */
enum ot_top_special_key {
    OT_KEY_UP = 0x110000,
    OT_KEY_DOWN,
    OT_KEY_PAGE_UP,
    OT_KEY_PAGE_DOWN,
    OT_KEY_HOME,
    OT_KEY_END
};

struct ot_keys_state {
    struct ot_screen_opts *screen;
    size_t page; /* rows that are shown */
    uint64_t window_ns;
    uint64_t max_window_ns;
    bool quits;
};

/* False for a key that has no meaning. */
bool ot_keys_press(struct ot_keys_state *state, int key);

#endif
