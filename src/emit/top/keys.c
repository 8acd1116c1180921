#include "emit/top/keys.h"

static void quit(struct ot_keys_state *state)
{
    state->quits = true;
}

static void sort(struct ot_keys_state *state)
{
    state->screen->sort = (state->screen->sort + 1) % OT_TOP_N_SORTS;
    state->screen->first_row = 0;
}

static void turn(struct ot_keys_state *state)
{
    state->screen->by = (state->screen->by + 1) % OT_TOP_N_BY;
    state->screen->first_row = 0;
}

static void pause_or_go_on(struct ot_keys_state *state)
{
    state->screen->paused = !state->screen->paused;
}

static void help(struct ot_keys_state *state)
{
    state->screen->help = !state->screen->help;
}

/* Seconds: each is about twice the one before. */
static const uint64_t windows[] = {1, 2, 5, 10, 20, 30, 60, 120, 300, 600};
enum { N_WINDOWS = sizeof(windows) / sizeof(windows[0]), NS_PER_S = 1000000000 };

static void widen(struct ot_keys_state *state)
{
    for (size_t i = 0; i < N_WINDOWS; i++) {
        uint64_t ns = windows[i] * NS_PER_S;
        if (ns > state->window_ns && ns <= state->max_window_ns) {
            state->window_ns = ns;
            return;
        }
    }
}

static void narrow(struct ot_keys_state *state)
{
    for (size_t i = N_WINDOWS; i-- > 0;) {
        uint64_t ns = windows[i] * NS_PER_S;
        if (ns < state->window_ns) {
            state->window_ns = ns;
            return;
        }
    }
}

static void up(struct ot_keys_state *state)
{
    if (state->screen->first_row)
        state->screen->first_row--;
}

/* The screen finds where the last page begins. */
static void down(struct ot_keys_state *state)
{
    state->screen->first_row++;
}

static void page_up(struct ot_keys_state *state)
{
    size_t *first_row = &state->screen->first_row;
    *first_row = *first_row > state->page ? *first_row - state->page : 0;
}

static void page_down(struct ot_keys_state *state)
{
    state->screen->first_row += state->page;
}

static void home(struct ot_keys_state *state)
{
    state->screen->first_row = 0;
}

static void end(struct ot_keys_state *state)
{
    state->screen->first_row = SIZE_MAX / 2;
}

static const struct {
    int key;
    void (*press)(struct ot_keys_state *state);
} keys[] = {
    {'q', quit},
    {'s', sort},
    {'t', turn},
    {'p', pause_or_go_on},
    {' ', pause_or_go_on},
    {'+', widen},
    {'=', widen}, /* the same key without shift on most keyboards */
    {'-', narrow},
    {'?', help},
    {'h', help},
    {'k', up},
    {'j', down},
    {OT_KEY_UP, up},
    {OT_KEY_DOWN, down},
    {OT_KEY_PAGE_UP, page_up},
    {OT_KEY_PAGE_DOWN, page_down},
    {OT_KEY_HOME, home},
    {OT_KEY_END, end},
};

bool ot_keys_press(struct ot_keys_state *state, int key)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (keys[i].key == key) {
            keys[i].press(state);
            return true;
        }
    }
    return false;
}
