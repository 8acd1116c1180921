/* str.h: a string that grows.
 *
 * Invariants: once anything was added, bytes[len] is NUL. Running out of memory sets `failed`,
 * which sticks and turns later additions into nothing, so that a caller builds a whole string and
 * checks once. A zeroed struct is an empty string. One thread.
 */
#ifndef OT_BASE_STR_H
#define OT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct ot_str {
    char *bytes;
    size_t len;
    size_t cap;
    bool failed;
};

void ot_str_add(struct ot_str *str, const char *bytes, size_t len);
void ot_str_add_text(struct ot_str *str, struct ot_text text);
void ot_str_addf(struct ot_str *str, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Keeps the memory, and `failed`. */
void ot_str_clear(struct ot_str *str);

/* Valid until the string is changed; never NULL. */
const char *ot_str_borrow(const struct ot_str *str);

void ot_str_release(struct ot_str *str);

#endif
