/* text.h: a borrowed run of bytes.
 *
 * Names come from traces and are untrusted: any byte may occur, also NUL. `bytes` is not
 * NUL-terminated unless the function that hands it out says so, and is valid until the event that
 * function names.
 */
#ifndef OT_BASE_TEXT_H
#define OT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ot_text {
    const char *bytes;
    size_t len;
};

static inline struct ot_text ot_text_of(const char *string)
{
    return (struct ot_text){.bytes = string, .len = strlen(string)};
}

static inline bool ot_text_same(struct ot_text a, struct ot_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.bytes, b.bytes, a.len) == 0);
}

static inline bool ot_text_ends_in(struct ot_text text, const char *end)
{
    size_t len = strlen(end);
    return text.len >= len && memcmp(text.bytes + text.len - len, end, len) == 0;
}

/* The last part of a path, without the slashes behind it; of `/` that itself. */
static inline struct ot_text ot_text_base_name(struct ot_text path)
{
    while (path.len > 1 && path.bytes[path.len - 1] == '/')
        path.len--;
    size_t from = path.len;
    while (from && path.bytes[from - 1] != '/')
        from--;
    return from < path.len ? (struct ot_text){path.bytes + from, path.len - from} : path;
}

/* Byte order, the shorter first: the same in every locale. */
static inline int ot_text_compare(struct ot_text a, struct ot_text b)
{
    size_t common_len = a.len < b.len ? a.len : b.len;
    int order = common_len ? memcmp(a.bytes, b.bytes, common_len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* For qsort() and bsearch() of texts. */
static inline int ot_text_order(const void *a, const void *b)
{
    return ot_text_compare(*(const struct ot_text *)a, *(const struct ot_text *)b);
}

#endif
