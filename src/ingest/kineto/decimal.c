#include "ingest/kineto/decimal.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(struct ot_text text, size_t at)
{
    size_t start = at;
    while (at < text.len && is_digit(text.bytes[at]))
        at++;
    return at - start;
}

#define BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* `n` digits, 1 to 8. False if one of them is none. */
static inline bool read_block(const char *at, size_t n, uint64_t *ret_value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    /* One digit per byte, the last one on top, zeros in front of the first. */
    word = (word ^ BYTES('0')) << (64 - 8 * n);
    if (((word + BYTES(0x76)) | word) & BYTES(0x80))
        return false;
    /* Pairs of digits, then of pairs, then of fours: the higher part times its weight, plus the
     * lower part. */
    word = (word * (1 + (10 << 8))) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    word = (word * (1 + (100 << 16))) >> 16 & UINT64_C(0x0000ffff0000ffff);
    *ret_value = (word * (1 + (UINT64_C(10000) << 32))) >> 32;
    return true;
#else
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(at[i]))
            return false;
        value = value * 10 + (uint64_t)(at[i] - '0');
    }
    *ret_value = value;
    return true;
#endif
}

/* `n` digits, 1 to 16. False if one of them is none. */
static inline bool read_digits(const char *at, size_t n, uint64_t *ret_value)
{
    if (n <= 8)
        return read_block(at, n, ret_value);
    uint64_t high, low;
    if (!read_block(at, n - 8, &high) || !read_block(at + n - 8, 8, &low))
        return false;
    *ret_value = high * 100000000 + low;
    return true;
}

static int64_t apply_sign(uint64_t magnitude, bool is_negative)
{
    return is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
}

static bool fits(uint64_t magnitude, bool is_negative)
{
    return magnitude <= (uint64_t)INT64_MAX + is_negative;
}

/* The value behind `e`, kept within +-10^9: no text has as many digits. */
static int64_t read_exponent(struct ot_text text, size_t at)
{
    bool is_negative = text.bytes[at] == '-';
    at += text.bytes[at] == '-' || text.bytes[at] == '+';
    int64_t value = 0;
    for (; at < text.len; at++) {
        value = value * 10 + (text.bytes[at] - '0');
        if (value > 1000000000)
            value = 1000000000;
    }
    return is_negative ? -value : value;
}

/* Digits one by one: those before the point of the scaled number make the value, those behind it
 * decide on rounding. */
struct sum {
    uint64_t value;
    bool overflows;
    int first_lost; /* the first digit behind the point */
    bool more_lost; /* and one of the others is not 0 */
};

static void add_digit(struct sum *sum, unsigned digit)
{
    sum->overflows |= __builtin_mul_overflow(sum->value, UINT64_C(10), &sum->value);
    sum->overflows |= __builtin_add_overflow(sum->value, (uint64_t)digit, &sum->value);
}

/* `n_whole`: how many digits of the text stand before the scaled number's point; may be negative,
 * or more than there are. */
static struct sum sum_digits(struct ot_text text, size_t at, int64_t n_whole)
{
    struct sum sum = {0};
    int64_t place = 0;
    for (; at < text.len && (is_digit(text.bytes[at]) || text.bytes[at] == '.'); at++) {
        if (text.bytes[at] == '.')
            continue;
        unsigned digit = (unsigned)(text.bytes[at] - '0');
        if (place < n_whole)
            add_digit(&sum, digit);
        else if (place == n_whole)
            sum.first_lost = (int)digit;
        else
            sum.more_lost |= digit != 0;
        place++;
    }
    for (; place < n_whole && sum.value && !sum.overflows; place++)
        add_digit(&sum, 0);
    return sum;
}

static enum ot_decimal scale_slowly(struct ot_text text, int scale, int64_t *ret_value)
{
    bool is_negative = text.bytes[0] == '-';
    size_t at = is_negative;
    size_t n_whole = count_digits(text, at);
    size_t rest = at + n_whole;
    if (rest < text.len && text.bytes[rest] == '.')
        rest += 1 + count_digits(text, rest + 1);
    int64_t exponent = rest < text.len ? read_exponent(text, rest + 1) : 0;
    struct sum sum = sum_digits(text, at, (int64_t)n_whole + scale + exponent);
    bool rounds_up =
        sum.first_lost > 5 || (sum.first_lost == 5 && (sum.more_lost || sum.value % 2));
    sum.overflows |= __builtin_add_overflow(sum.value, (uint64_t)rounds_up, &sum.value);
    if (sum.overflows || !fits(sum.value, is_negative))
        return OT_DECIMAL_OVERFLOW;
    *ret_value = apply_sign(sum.value, is_negative);
    return sum.first_lost || sum.more_lost ? OT_DECIMAL_ROUNDED : OT_DECIMAL_OK;
}

/* Microseconds as every version of the profiler writes them: up to 16 digits, and up to 3 behind a
 * point. False for all else. */
static bool scale_quickly(struct ot_text text, uint64_t *ret_value)
{
    static const uint64_t tens[] = {1000, 100, 10, 1};
    size_t n_decimals = 0;
    for (size_t n = 3; n > 0; n--)
        n_decimals = text.len > n + 1 && text.bytes[text.len - 1 - n] == '.' ? n : n_decimals;
    size_t n_whole = text.len - n_decimals - (n_decimals > 0);
    uint64_t whole;
    uint64_t decimals = 0;
    if (n_whole == 0 || n_whole > 16 || !read_digits(text.bytes, n_whole, &whole) ||
        (n_decimals && !read_block(text.bytes + n_whole + 1, n_decimals, &decimals)))
        return false;
    *ret_value = whole * 1000 + decimals * tens[n_decimals];
    return true;
}

enum ot_decimal ot_decimal_scaled(struct ot_text text, int scale, int64_t *ret_value)
{
    uint64_t magnitude;
    bool is_negative = text.bytes[0] == '-';
    if (scale != 3 || is_negative || !scale_quickly(text, &magnitude))
        return scale_slowly(text, scale, ret_value);
    if (!fits(magnitude, false))
        return OT_DECIMAL_OVERFLOW;
    *ret_value = (int64_t)magnitude;
    return OT_DECIMAL_OK;
}

bool ot_decimal_uint(struct ot_text text, uint64_t *ret_value)
{
    if (text.len > 0 && text.len <= 16)
        return read_digits(text.bytes, text.len, ret_value);
    if (text.len == 0 || text.len > 20 || count_digits(text, 0) != text.len)
        return false;
    struct sum sum = sum_digits(text, 0, (int64_t)text.len);
    if (sum.overflows)
        return false;
    *ret_value = sum.value;
    return true;
}

bool ot_decimal_int(struct ot_text text, int64_t *ret_value)
{
    bool is_negative = text.len && text.bytes[0] == '-';
    uint64_t magnitude;
    if (!ot_decimal_uint((struct ot_text){text.bytes + is_negative, text.len - is_negative},
                         &magnitude) ||
        !fits(magnitude, is_negative))
        return false;
    *ret_value = apply_sign(magnitude, is_negative);
    return true;
}

bool ot_decimal_is_number(struct ot_text text)
{
    size_t at = text.len && text.bytes[0] == '-';
    size_t n = count_digits(text, at);
    if (n == 0 || (n > 1 && text.bytes[at] == '0'))
        return false;
    at += n;
    if (at < text.len && text.bytes[at] == '.') {
        n = count_digits(text, at + 1);
        if (n == 0)
            return false;
        at += 1 + n;
    }
    if (at < text.len && (text.bytes[at] == 'e' || text.bytes[at] == 'E')) {
        at++;
        at += at < text.len && (text.bytes[at] == '-' || text.bytes[at] == '+');
        n = count_digits(text, at);
        if (n == 0)
            return false;
        at += n;
    }
    return at == text.len;
}
