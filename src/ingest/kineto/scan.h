/* scan.h: the two searches that cost the time, for each instruction set.
 *
 * Included by a file that decides which one: OT_SCAN_SCALAR forces the portable one, otherwise it
 * is what the compiler may use. All of them give the same answers. They read at most 32 bytes from
 * where they start; behind the bytes of a window lie OT_SOURCE_PADDING zeros, which end both
 * searches.
 */
#ifndef OT_INGEST_KINETO_SCAN_H
#define OT_INGEST_KINETO_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined(OT_SCAN_SCALAR) && (defined(__AVX2__) || defined(__SSE2__))
#include <immintrin.h>
#endif

enum { OT_SCAN_BLOCK = 32 };

#if !defined(OT_SCAN_SCALAR) && defined(__AVX2__)

/* Bit i: byte i is a quote, a backslash or a control character. `ret_high`: it is above 0x7f. */
static inline uint32_t scan_specials(const unsigned char *at, uint32_t *ret_high)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)at);
    __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
    __m256i slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
    __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
    *ret_high = (uint32_t)_mm256_movemask_epi8(v);
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, slash), control));
}

/* Bit i: byte i is a digit. */
static inline uint32_t scan_digits(const unsigned char *at)
{
    __m256i v = _mm256_sub_epi8(_mm256_loadu_si256((const __m256i *)at), _mm256_set1_epi8('0'));
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(9)), v));
}

/* True if the first `len` <= 64 bytes are the same; both sides are readable for 64. */
static inline bool scan_same(const unsigned char *a, const unsigned char *b, size_t len)
{
    uint64_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(
        _mm256_loadu_si256((const __m256i *)a), _mm256_loadu_si256((const __m256i *)b)));
    uint64_t high = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(a + 32)),
                          _mm256_loadu_si256((const __m256i *)(b + 32))));
    uint64_t different = ~(low | high << 32);
    return (different & (~UINT64_C(0) >> (64 - len))) == 0;
}

#elif !defined(OT_SCAN_SCALAR) && defined(__SSE2__)

static inline uint32_t specials16(const unsigned char *at, uint32_t *ret_high)
{
    __m128i v = _mm_loadu_si128((const __m128i *)at);
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
    *ret_high = (uint32_t)_mm_movemask_epi8(v);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control));
}

static inline uint32_t scan_specials(const unsigned char *at, uint32_t *ret_high)
{
    uint32_t high_0, high_1;
    uint32_t specials = specials16(at, &high_0) | specials16(at + 16, &high_1) << 16;
    *ret_high = high_0 | high_1 << 16;
    return specials;
}

static inline uint32_t digits16(const unsigned char *at)
{
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)at), _mm_set1_epi8('0'));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
}

static inline uint32_t scan_digits(const unsigned char *at)
{
    return digits16(at) | digits16(at + 16) << 16;
}

static inline bool scan_same(const unsigned char *a, const unsigned char *b, size_t len)
{
    uint64_t same = 0;
    for (size_t i = 0; i < 64; i += 16)
        same |= (uint64_t)(uint32_t)_mm_movemask_epi8(
                    _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(a + i)),
                                   _mm_loadu_si128((const __m128i *)(b + i))))
                << i;
    return (~same & (~UINT64_C(0) >> (64 - len))) == 0;
}

#else

static inline uint32_t scan_specials(const unsigned char *at, uint32_t *ret_high)
{
    uint32_t high = 0;
    for (uint32_t i = 0; i < OT_SCAN_BLOCK; i++) {
        high |= (uint32_t)(at[i] >> 7) << i;
        if (at[i] == '"' || at[i] == '\\' || at[i] < 0x20) {
            *ret_high = high;
            return UINT32_C(1) << i; /* only the first one matters */
        }
    }
    *ret_high = high;
    return 0;
}

/* Looks only as far as a number with a point may reach. */
static inline uint32_t scan_digits(const unsigned char *at)
{
    uint32_t digits = 0;
    for (uint32_t i = 0; i < OT_SCAN_BLOCK; i++) {
        if (at[i] >= '0' && at[i] <= '9')
            digits |= UINT32_C(1) << i;
        else if (at[i] != '.')
            break;
    }
    return digits;
}

static inline bool scan_same(const unsigned char *a, const unsigned char *b, size_t len)
{
    return memcmp(a, b, len) == 0;
}

#endif

#endif
