/* short_name.h: a name and overload name to compare with at little cost.
 *
 * Nearly all operators' names have at most 31 bytes and their overloads at most 15, so that with
 * their NULs they fit in three registers of 16 bytes. What lies behind the NUL is read too and does
 * not count: ot_short_name_can_read() says beforehand whether that touches no other page.
 */
#ifndef OT_TRACER_BUILTIN_SHORT_NAME_H
#define OT_TRACER_BUILTIN_SHORT_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Sanitizers would object to the bytes behind the NUL. */
#define OT_READS_BEYOND __attribute__((no_sanitize("address"), no_sanitize("thread")))

enum { OT_SHORT_FIRST = 32, OT_SHORT_SECOND = 16, OT_SMALLEST_PAGE = 4096 };

typedef char ot_16_bytes __attribute__((vector_size(16)));
typedef char ot_16_bytes_anywhere __attribute__((vector_size(16), aligned(1), may_alias));

struct ot_short_name {
    ot_16_bytes text[3];
    ot_16_bytes any[3]; /* ~0 where every byte is right */
    uint64_t entry_word;
    uint64_t exit_word;
};

static inline bool ot_short_name_can_read(const char *first, const char *second)
{
    return (uintptr_t)first % OT_SMALLEST_PAGE <= OT_SMALLEST_PAGE - OT_SHORT_FIRST &&
           (uintptr_t)second % OT_SMALLEST_PAGE <= OT_SMALLEST_PAGE - OT_SHORT_SECOND;
}

OT_READS_BEYOND static inline __attribute__((always_inline)) ot_16_bytes
ot_short_name_part(const struct ot_short_name *name, int i, const char *text)
{
    return (ot_16_bytes)(*(const ot_16_bytes_anywhere *)text == name->text[i]) | name->any[i];
}

OT_READS_BEYOND static inline __attribute__((always_inline)) bool ot_all_ones(ot_16_bytes bytes)
{
#if defined(__SSE2__)
    return __builtin_ia32_pmovmskb128(bytes) == 0xffff;
#else
    typedef uint64_t two_words __attribute__((vector_size(16)));
    two_words words = (two_words)bytes;
    return (words[0] & words[1]) == UINT64_MAX;
#endif
}

/* With `has_second` false `second` is not looked at. */
OT_READS_BEYOND static inline __attribute__((always_inline)) bool
ot_short_name_is(const struct ot_short_name *name, const char *first, const char *second,
                 bool has_second)
{
    ot_16_bytes same = ot_short_name_part(name, 0, first) & ot_short_name_part(name, 1, first + 16);
    if (has_second)
        same &= ot_short_name_part(name, 2, second);
    return ot_all_ones(same);
}

#endif
