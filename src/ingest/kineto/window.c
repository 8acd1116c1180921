#include "ingest/kineto/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ingest/bytes/source.h"

static bool reserve(struct ot_kineto_window *window, size_t need)
{
    return ot_vec_reserve(&window->own, &window->own_cap, need + OT_SOURCE_PADDING, 1);
}

/* The next chunk, behind the `rest_len` bytes that lie at the start of the window's own memory. */
static int add_chunk(struct ot_kineto_window *window, size_t rest_len,
                     const unsigned char **ret_keep, struct ot_err *err)
{
    unsigned char *bytes;
    size_t len;
    int code = window->chunks.next(window->chunks.source, &bytes, &len, err);
    if (code != OT_OK)
        return code;
    window->end_offset += len;
    if (rest_len <= OT_SOURCE_HEADROOM && rest_len <= len) {
        if (rest_len)
            memcpy(bytes - rest_len, window->own, rest_len);
        window->end = bytes + len;
        window->is_own = false;
        *ret_keep = bytes - rest_len;
        return OT_OK;
    }
    if (!reserve(window, rest_len + len))
        return ot_err_set(err, OT_ERR_NOMEM, "out of memory for an event");
    memcpy(window->own + rest_len, bytes, len);
    memset(window->own + rest_len + len, 0, OT_SOURCE_PADDING);
    window->end = window->own + rest_len + len;
    *ret_keep = window->own;
    return OT_OK;
}

/* Makes the rest the whole window, in the window's own memory. */
static bool keep_rest(struct ot_kineto_window *window, const unsigned char *keep, size_t rest_len)
{
    if (!window->is_own && !reserve(window, rest_len))
        return false;
    if (rest_len)
        memmove(window->own, keep, rest_len);
    memset(window->own + rest_len, 0, OT_SOURCE_PADDING);
    window->end = window->own + rest_len;
    window->is_own = true;
    return true;
}

int ot_kineto_window_grow(struct ot_kineto_window *window, const unsigned char *keep,
                          const unsigned char **ret_keep, struct ot_err *err)
{
    size_t rest_len = keep ? (size_t)(window->end - keep) : 0;
    *ret_keep = keep;
    if (window->end_code == OT_OK && !keep_rest(window, keep, rest_len))
        window->end_code = ot_err_set(&window->end_err, OT_ERR_NOMEM, "out of memory");
    if (window->end_code == OT_OK)
        *ret_keep = window->own;

    size_t len = rest_len;
    size_t wanted = 2 * rest_len < OT_WINDOW_MAX_LEN ? 2 * rest_len : OT_WINDOW_MAX_LEN;
    do {
        if (window->end_code != OT_OK)
            break;
        window->end_code = add_chunk(window, len, ret_keep, &window->end_err);
        len = (size_t)(window->end - *ret_keep);
    } while (len < wanted);
    if (len > rest_len)
        return OT_OK;
    if (window->end_code < 0)
        ot_err_set(err, window->end_code, "%s", window->end_err.msg);
    return window->end_code;
}

void ot_kineto_window_release(struct ot_kineto_window *window)
{
    free(window->own);
    *window = (struct ot_kineto_window){0};
}
