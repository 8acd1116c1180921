#include "emit/csv/csv.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/units.h"

/* A field with a comma, quote, CR or LF is quoted, quotes doubled. */
void ot_csv_text(FILE *out, struct ot_text text)
{
    bool needs_quotes = false;
    for (size_t i = 0; i < text.len; i++)
        needs_quotes |= text.bytes[i] != '\0' && strchr(",\"\r\n", text.bytes[i]);
    if (needs_quotes)
        putc('"', out);
    for (size_t i = 0; i < text.len; i++) {
        if (text.bytes[i] == '"')
            putc('"', out);
        putc(text.bytes[i], out);
    }
    if (needs_quotes)
        putc('"', out);
}

void ot_csv_mean(FILE *out, uint64_t sum, uint64_t count)
{
    char mean[OT_UNITS_BYTES];
    if (sum % count == 0)
        snprintf(mean, sizeof(mean), "%" PRIu64, sum / count);
    else
        ot_units_fixed(mean, (double)sum / (double)count, 3);
    fputs(mean, out);
}
