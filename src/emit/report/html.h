/* html.h: writing HTML: texts from a trace are escaped, numbers read well.
 *
 * Write errors stay in the FILE. Running out of memory sets `failed`, which sticks. Private to this
 * folder. One thread.
 */
#ifndef OT_EMIT_REPORT_HTML_H
#define OT_EMIT_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct ot_html {
    FILE *out;
    bool failed;
};

/* Markup of our own. */
void ot_html_put(struct ot_html *html, const char *markup);
void ot_html_putf(struct ot_html *html, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A text of anybody's, inside an element or a quoted attribute: no longer than `max_size` code
 * points, -1 as long as it is. */
void ot_html_text(struct ot_html *html, struct ot_text text, int64_t max_size);

/* "121,343" */
void ot_html_count(struct ot_html *html, uint64_t n);

/* A value of base/units.h, with a narrow gap between number and unit. What is negative counts as 0.
 */
void ot_html_ns(struct ot_html *html, int64_t ns);
void ot_html_mean_ns(struct ot_html *html, int64_t sum_ns, uint64_t count);
void ot_html_bytes(struct ot_html *html, int64_t bytes);

/* "46.0%", "<0.1%"; nothing unless both make sense. */
void ot_html_percent(struct ot_html *html, int64_t part, int64_t whole);

#endif
