#include "emit/csv/csv.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/units.h"

static bool needs_quotes(struct ot_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];
        if (c == ',' || c == '"' || c == '\r' || c == '\n')
            return true;
    }
    return false;
}

/* A field with a comma, quote, CR or LF is quoted, quotes doubled. */
void ot_csv_text(FILE *out, struct ot_text text)
{
    if (!needs_quotes(text)) {
        if (text.len)
            fwrite(text.bytes, 1, text.len, out);
        return;
    }
    putc('"', out);
    for (size_t i = 0; i < text.len; i++) {
        if (text.bytes[i] == '"')
            putc('"', out);
        putc(text.bytes[i], out);
    }
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
