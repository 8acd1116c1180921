#include "emit/csv/csv.h"

#include <inttypes.h>

#include "emit/analysis/report.h"

static void put_if(FILE *out, bool is_there, int64_t value)
{
    if (is_there)
        fprintf(out, "%" PRId64, value);
    putc(',', out);
}

static const char *word_of(bool value)
{
    return value ? "true" : "false";
}

static void write_row(FILE *out, const struct ot_operator_row *row)
{
    const struct ot_text texts[] = {row->name, row->kind, row->category};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        ot_csv_text(out, texts[i]);
        putc(',', out);
    }
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",", (uint64_t)row->session,
            row->n_calls, row->self_ns, row->inclusive_ns);
    ot_csv_mean(out, (uint64_t)row->inclusive_ns, row->n_calls);
    fprintf(out, ",%" PRId64 ",%" PRId64 ",", row->min_ns, row->max_ns);
    put_if(out, row->has_device, row->device_self_ns);
    put_if(out, row->has_device, row->device_inclusive_ns);
    put_if(out, row->has_allocated, row->allocated_bytes);
    fprintf(out, "%s,%s,%s\r\n", word_of(row->synchronizes), word_of(row->compiles),
            word_of(row->warms_up));
}

void ot_analysis_write_csv(const struct ot_analysis_report *report, FILE *out)
{
    const struct ot_analysis_table *table = &report->analysis->operators;
    fputs("name,kind,category,session,calls,self_ns,inclusive_ns,mean_ns,min_ns,max_ns,"
          "device_self_ns,device_inclusive_ns,allocation_bytes,synchronization,compilation,warmup"
          "\r\n",
          out);
    for (size_t i = 0; i < table->n_rows; i++)
        write_row(out, &table->rows[i]);
}
