#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    double size;
};

static const struct unit times[] = {
    {"h", 3.6e12}, {"min", 6e10}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {0},
};

static const struct unit sizes[] = {
    {"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {0},
};

void ot_units_fixed(char ret_text[OT_UNITS_BYTES], double value, int decimals)
{
    snprintf(ret_text, OT_UNITS_BYTES, "%.*f", decimals, value);
    /* The host program may have set a locale whose decimal separator is any string. */
    size_t digits = strspn(ret_text, "-0123456789");
    size_t len = strlen(ret_text);
    if (digits == len || decimals == 0)
        return;
    ret_text[digits] = '.';
    memmove(ret_text + digits + 1, ret_text + len - (size_t)decimals, (size_t)decimals + 1);
}

static bool write_scaled(char ret_text[OT_UNITS_BYTES], double value, const struct unit *units)
{
    for (const struct unit *unit = units; unit->name; unit++) {
        if (value / unit->size < 1)
            continue;
        ot_units_fixed(ret_text, value / unit->size, 2);
        strncat(ret_text, unit->name, OT_UNITS_BYTES - strlen(ret_text) - 1);
        return true;
    }
    return false;
}

void ot_units_ns(char ret_text[OT_UNITS_BYTES], uint64_t ns)
{
    if (!write_scaled(ret_text, (double)ns, times))
        snprintf(ret_text, OT_UNITS_BYTES, "%" PRIu64 "ns", ns);
}

void ot_units_mean_ns(char ret_text[OT_UNITS_BYTES], uint64_t sum_ns, uint64_t count,
                      bool always_decimals)
{
    if (!always_decimals && sum_ns % count == 0) {
        ot_units_ns(ret_text, sum_ns / count);
        return;
    }
    double mean_ns = (double)sum_ns / (double)count;
    if (write_scaled(ret_text, mean_ns, times))
        return;
    ot_units_fixed(ret_text, mean_ns, 2);
    strncat(ret_text, "ns", OT_UNITS_BYTES - strlen(ret_text) - 1);
}

void ot_units_bytes(char ret_text[OT_UNITS_BYTES], uint64_t bytes)
{
    if (!write_scaled(ret_text, (double)bytes, sizes))
        snprintf(ret_text, OT_UNITS_BYTES, "%" PRIu64 "B", bytes);
}

void ot_units_percent(char ret_text[OT_UNITS_BYTES], uint64_t part, uint64_t whole)
{
    ot_units_fixed(ret_text, 100. * ((double)part / (double)whole), 2);
    strncat(ret_text, "%", OT_UNITS_BYTES - strlen(ret_text) - 1);
}

void ot_units_count(char ret_text[OT_UNITS_BYTES], uint64_t n)
{
    char digits[OT_UNITS_BYTES];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            *ret_text++ = ',';
        *ret_text++ = digits[i];
    }
    *ret_text = '\0';
}
