#include "stats/window.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

struct cell {
    uint32_t key;
    struct ot_window_sums sums;
};

struct slice {
    struct ot_window_slice whole;
    struct cell *cells;
    size_t n_cells;
    size_t cap;
};

struct key {
    struct ot_text text;
    size_t cell; /* in the newest slice, + 1; 0: none */
    size_t row;  /* of the view that is being made, + 1; 0: none */
};

struct ot_window {
    uint64_t span_ns;
    struct slice slices[OT_WINDOW_MAX_SLICES]; /* a ring */
    size_t newest;
    size_t n_slices;
    size_t n_cells; /* of all slices */

    struct ot_arena texts;
    struct ot_map map;
    struct key *keys;
    size_t n_keys;
    size_t keys_cap;
    size_t n_keys_kept; /* when those that nobody uses were last forgotten */

    struct ot_window_row *rows;
    size_t rows_cap;
};

struct ot_window *ot_window_new(uint64_t span_ns)
{
    struct ot_window *window = calloc(1, sizeof(*window));
    if (window)
        window->span_ns = span_ns;
    return window;
}

static struct slice *slice_at(struct ot_window *window, size_t age)
{
    return &window->slices[(window->newest + OT_WINDOW_MAX_SLICES - age) % OT_WINDOW_MAX_SLICES];
}

static bool same_key(const void *owner, size_t index, const void *key)
{
    const struct ot_window *window = owner;
    return ot_text_same(window->keys[index].text, *(const struct ot_text *)key);
}

static int find_key(struct ot_window *window, struct ot_text text, uint32_t *ret_key,
                    struct ot_err *err)
{
    uint64_t hash = ot_hash_bytes(text.bytes, text.len);
    int64_t found = ot_map_find(&window->map, hash, same_key, window, &text);
    if (found != OT_MAP_NONE) {
        *ret_key = (uint32_t)found;
        return OT_OK;
    }
    char *copy = ot_arena_copy(&window->texts, text.bytes, text.len);
    if (!copy ||
        !ot_vec_reserve(&window->keys, &window->keys_cap, window->n_keys + 1,
                        sizeof(*window->keys)) ||
        !ot_map_put(&window->map, hash, window->n_keys))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for names");
    window->keys[window->n_keys] = (struct key){.text = {copy, text.len}};
    *ret_key = (uint32_t)window->n_keys++;
    return OT_OK;
}

/* --- forgetting --------------------------------------------------------------------------------
 */

static void forget_oldest(struct ot_window *window)
{
    struct slice *slice = slice_at(window, window->n_slices - 1);
    window->n_cells -= slice->n_cells;
    free(slice->cells);
    *slice = (struct slice){0};
    window->n_slices--;
}

static void forget_old(struct ot_window *window)
{
    uint64_t wall_ns = 0;
    size_t n = 0;
    while (n < window->n_slices && wall_ns < window->span_ns)
        wall_ns += slice_at(window, n++)->whole.wall_ns;
    while (window->n_slices > n)
        forget_oldest(window);
    while (window->n_slices > 1 && window->n_cells > OT_WINDOW_MAX_CELLS)
        forget_oldest(window);
}

/* Keys that no slice has. Names with a number in them ("step 812") are new ones for ever. */
static int forget_keys(struct ot_window *window, struct ot_err *err)
{
    struct key *old = window->keys;
    struct ot_arena old_texts = window->texts;
    window->keys = NULL;
    window->n_keys = window->keys_cap = 0;
    window->texts = (struct ot_arena){0};
    ot_map_release(&window->map);
    int code = OT_OK;
    for (size_t age = 0; age < window->n_slices && code == OT_OK; age++) {
        struct slice *slice = slice_at(window, age);
        for (size_t i = 0; i < slice->n_cells && code == OT_OK; i++) {
            struct cell *cell = &slice->cells[i];
            code = find_key(window, old[cell->key].text, &cell->key, err);
            if (code == OT_OK && age == 0)
                window->keys[cell->key].cell = i + 1;
        }
    }
    ot_arena_release(&old_texts);
    free(old);
    window->n_keys_kept = window->n_keys;
    return code;
}

/* --- adding ------------------------------------------------------------------------------------
 */

/* Slices are no shorter than they have to be for the span to fit into them. */
static bool goes_into_newest(const struct ot_window *window, uint64_t wall_ns)
{
    if (window->n_slices == 0)
        return false;
    uint64_t newest_ns = window->slices[window->newest].whole.wall_ns;
    return newest_ns + wall_ns <= window->span_ns / (OT_WINDOW_MAX_SLICES - 1);
}

static void begin_slice(struct ot_window *window)
{
    if (window->n_slices == OT_WINDOW_MAX_SLICES)
        forget_oldest(window);
    struct slice *last = slice_at(window, 0);
    for (size_t i = 0; i < last->n_cells; i++)
        window->keys[last->cells[i].key].cell = 0;
    window->newest = (window->newest + 1) % OT_WINDOW_MAX_SLICES;
    window->n_slices++;
}

int ot_window_begin(struct ot_window *window, const struct ot_window_slice *slice,
                    struct ot_err *err)
{
    if (!goes_into_newest(window, slice->wall_ns))
        begin_slice(window);
    struct ot_window_slice *whole = &window->slices[window->newest].whole;
    whole->wall_ns += slice->wall_ns;
    whole->n_events += slice->n_events;
    whole->n_skipped += slice->n_skipped;
    whole->grown_bytes += slice->grown_bytes;
    forget_old(window);
    enum { FEW_KEYS = 1024 };
    if (window->n_keys > FEW_KEYS && window->n_keys / 2 > window->n_keys_kept)
        return forget_keys(window, err);
    return OT_OK;
}

static void add_sums(struct ot_window_sums *sums, const struct ot_window_sums *more)
{
    sums->self_ns += more->self_ns;
    sums->inclusive_ns += more->inclusive_ns;
    sums->n_calls += more->n_calls;
}

int ot_window_add(struct ot_window *window, struct ot_text key, const struct ot_window_sums *sums,
                  struct ot_err *err)
{
    assert(window->n_slices);
    uint32_t index = 0;
    int code = find_key(window, key, &index, err);
    if (code < 0)
        return code;
    struct slice *slice = slice_at(window, 0);
    if (!window->keys[index].cell) {
        if (!ot_vec_reserve(&slice->cells, &slice->cap, slice->n_cells + 1, sizeof(*slice->cells)))
            return ot_err_set(err, OT_ERR_NOMEM, "out of memory for the last seconds");
        slice->cells[slice->n_cells++] = (struct cell){.key = index};
        window->n_cells++;
        window->keys[index].cell = slice->n_cells;
    }
    add_sums(&slice->cells[window->keys[index].cell - 1].sums, sums);
    return OT_OK;
}

/* --- looking -----------------------------------------------------------------------------------
 */

/* The part of a slice that lies in the span. */
struct share {
    uint64_t part_ns;
    uint64_t whole_ns;
};

static uint64_t share_of(uint64_t value, const struct share *share)
{
    if (share->part_ns >= share->whole_ns)
        return value;
    return (uint64_t)((unsigned __int128)value * share->part_ns / share->whole_ns);
}

static int add_slice(struct ot_window *window, const struct slice *slice, const struct share *share,
                     struct ot_window_view *view, struct ot_err *err)
{
    for (size_t i = 0; i < slice->n_cells; i++) {
        struct key *key = &window->keys[slice->cells[i].key];
        const struct ot_window_sums *sums = &slice->cells[i].sums;
        if (!key->row) {
            if (!ot_vec_reserve(&window->rows, &window->rows_cap, view->n_rows + 1,
                                sizeof(*window->rows)))
                return ot_err_set(err, OT_ERR_NOMEM, "out of memory for rows");
            window->rows[view->n_rows++] = (struct ot_window_row){.key = key->text};
            key->row = view->n_rows;
        }
        add_sums(&window->rows[key->row - 1].sums,
                 &(struct ot_window_sums){.self_ns = share_of(sums->self_ns, share),
                                          .inclusive_ns = share_of(sums->inclusive_ns, share),
                                          .n_calls = share_of(sums->n_calls, share)});
    }
    view->whole.wall_ns += share_of(slice->whole.wall_ns, share);
    view->whole.n_events += share_of(slice->whole.n_events, share);
    view->whole.n_skipped += share_of(slice->whole.n_skipped, share);
    view->whole.grown_bytes += share_of(slice->whole.grown_bytes, share);
    return OT_OK;
}

int ot_window_view(struct ot_window *window, uint64_t span_ns, struct ot_window_view *ret_view,
                   struct ot_err *err)
{
    struct ot_window_view view = {0};
    for (size_t i = 0; i < window->n_keys; i++)
        window->keys[i].row = 0;
    for (size_t age = 0; age < window->n_slices && view.whole.wall_ns < span_ns; age++) {
        const struct slice *slice = slice_at(window, age);
        struct share share = {span_ns - view.whole.wall_ns, slice->whole.wall_ns};
        int code = add_slice(window, slice, &share, &view, err);
        if (code < 0)
            return code;
    }
    view.rows = window->rows;
    *ret_view = view;
    return OT_OK;
}

struct ot_window_sums ot_window_sums_of(const struct ot_window *window, struct ot_text key)
{
    int64_t found =
        ot_map_find(&window->map, ot_hash_bytes(key.bytes, key.len), same_key, window, &key);
    if (found == OT_MAP_NONE || !window->keys[found].row)
        return (struct ot_window_sums){0};
    return window->rows[window->keys[found].row - 1].sums;
}

void ot_window_free(struct ot_window *window)
{
    if (!window)
        return;
    while (window->n_slices)
        forget_oldest(window);
    ot_arena_release(&window->texts);
    ot_map_release(&window->map);
    free(window->keys);
    free(window->rows);
    free(window);
}
