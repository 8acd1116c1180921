#include <inttypes.h>

#include "emit/json/json.h"
#include "emit/tally/format.h"

static void write_totals(struct ot_json *json, struct ot_text key, const struct ot_totals *totals)
{
    ot_json_key(json, key);
    ot_json_begin_object(json);
    ot_json_put_signed(json, "time", totals->inclusive_ns);
    ot_json_put_unsigned(json, "call", totals->n_calls);
    /* THAPI's own starting value, where no call has succeeded. */
    ot_json_put_unsigned(json, "min",
                         ot_tally_n_timed(totals) ? (uint64_t)totals->min_ns : UINT64_MAX);
    ot_json_put_signed(json, "max", totals->max_ns);
    if (totals->n_errors)
        ot_json_put_unsigned(json, "error", totals->n_errors);
    ot_json_end_object(json);
}

static void write_data(struct ot_json *json, const struct ot_view_table *table)
{
    ot_json_key(json, ot_text_of("data"));
    ot_json_begin_object(json);
    for (size_t i = 0; i < table->n_shown; i++)
        write_totals(json, table->rows[i].name, &table->rows[i].totals);
    write_totals(json, ot_text_of("Total"), &table->totals);
    ot_json_end_object(json);
}

static void write_thread(struct ot_json *json, const struct ot_view_table *table)
{
    ot_json_begin_object(json);
    ot_json_put_text(json, "Hostname", table->host);
    ot_json_put_signed(json, "Process", table->vpid);
    ot_json_put_unsigned(json, "Thread", table->vtid);
    write_data(json, table);
    ot_json_end_object(json);
}

/* Writes one level and returns the index of the next one's first table. */
static size_t write_level(struct ot_json *json, const struct ot_tally *tally, size_t first)
{
    const struct ot_view_table *tables = tally->view->tables;
    char level[16];
    snprintf(level, sizeof(level), "%d", tables[first].level);
    ot_json_key(json, ot_text_of(level));
    if (!tally->opts->view.extended) {
        ot_json_begin_object(json);
        write_data(json, &tables[first]);
        ot_json_end_object(json);
        return first + 1;
    }
    size_t at = first;
    ot_json_begin_array(json);
    for (; at < tally->view->n_tables && tables[at].level == tables[first].level; at++)
        write_thread(json, &tables[at]);
    ot_json_end_array(json);
    return at;
}

void ot_tally_write_thapi_json(const struct ot_tally *tally, FILE *out)
{
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    ot_json_key(&json, ot_text_of("units"));
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "time", ot_text_of("ns"));
    ot_json_put_text(&json, "size", ot_text_of("bytes"));
    ot_json_end_object(&json);
    if (tally->view->n_tables) {
        ot_json_key(&json, ot_text_of("host"));
        ot_json_begin_object(&json);
        for (size_t i = 0; i < tally->view->n_tables;)
            i = write_level(&json, tally, i);
        ot_json_end_object(&json);
    }
    ot_json_end_object(&json);
    putc('\n', out);
}
