#include "emit/report/html.h"

#include <stdarg.h>
#include <string.h>

#include "base/units.h"
#include "emit/markup/markup.h"

#define NARROW_GAP "\u202f"

void ot_html_put(struct ot_html *html, const char *markup)
{
    fputs(markup, html->out);
}

void ot_html_putf(struct ot_html *html, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vfprintf(html->out, fmt, args);
    va_end(args);
}

void ot_html_text(struct ot_html *html, struct ot_text text, int64_t max_size)
{
    struct ot_str escaped = {0};
    ot_markup_add(&escaped, text, max_size);
    fwrite(ot_str_borrow(&escaped), 1, escaped.len, html->out);
    html->failed |= escaped.failed;
    ot_str_release(&escaped);
}

void ot_html_count(struct ot_html *html, uint64_t n)
{
    char text[OT_UNITS_BYTES];
    ot_units_count(text, n);
    fputs(text, html->out);
}

static void put_value(struct ot_html *html, const char *value)
{
    size_t len = strspn(value, "0123456789.");
    const char *unit = value + len;
    fwrite(value, 1, len, html->out);
    fputs(NARROW_GAP, html->out);
    fputs(strcmp(unit, "us") == 0 ? "µs" : unit, html->out);
}

static uint64_t at_least_zero(int64_t value)
{
    return value < 0 ? 0 : (uint64_t)value;
}

void ot_html_ns(struct ot_html *html, int64_t ns)
{
    char value[OT_UNITS_BYTES];
    ot_units_ns(value, at_least_zero(ns));
    put_value(html, value);
}

void ot_html_mean_ns(struct ot_html *html, int64_t sum_ns, uint64_t count)
{
    char value[OT_UNITS_BYTES];
    if (count == 0)
        return;
    ot_units_mean_ns(value, at_least_zero(sum_ns), count, false);
    put_value(html, value);
}

void ot_html_bytes(struct ot_html *html, int64_t bytes)
{
    char value[OT_UNITS_BYTES];
    ot_units_bytes(value, at_least_zero(bytes));
    put_value(html, value);
}

void ot_html_percent(struct ot_html *html, int64_t part, int64_t whole)
{
    char value[OT_UNITS_BYTES];
    if (part < 0 || whole <= 0)
        return;
    double percent = 100. * ((double)part / (double)whole);
    ot_units_fixed(value, percent, 1);
    fprintf(html->out, "%s%%", part && percent < .05 ? "&lt;0.1" : value);
}
