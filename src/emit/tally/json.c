#include "emit/json/json.h"

#include "emit/notes/notes.h"
#include "emit/tally/format.h"

/* docs/formats/tally-json.md describes all of this. */

static void put_totals(struct ot_json *json, const struct ot_tally *tally,
                       const struct ot_totals *totals)
{
    ot_json_put_unsigned(json, "calls", totals->n_calls);
    ot_json_put_unsigned(json, "errors", totals->n_errors);
    bool has_time = ot_tally_n_timed(totals) > 0;
    ot_json_put_signed_if(json, "inclusive_ns", has_time, totals->inclusive_ns);
    ot_json_put_signed_if(json, "self_ns", has_time && !tally->opts->no_self, totals->self_ns);
}

/* A number, or a name as a string. */
static void put_process(struct ot_json *json, const struct ot_population *pop, int64_t vpid)
{
    uint32_t id;
    if (ot_vpid_is_name(&pop->names, vpid, &id))
        ot_json_put_text(json, "process", ot_names_text(&pop->names, id));
    else
        ot_json_put_signed(json, "process", vpid);
}

static void put_thread(struct ot_json *json, const struct ot_population *pop, uint64_t vtid)
{
    uint32_t id;
    if (ot_vtid_is_name(&pop->names, vtid, &id))
        ot_json_put_text(json, "thread", ot_names_text(&pop->names, id));
    else
        ot_json_put_unsigned(json, "thread", vtid);
}

static void put_rank(struct ot_json *json, const struct ot_session *session)
{
    bool has_rank = session && session->has_rank;
    ot_json_put_signed_if(json, "rank", has_rank, has_rank ? session->rank : 0);
    ot_json_put_text(json, "path", session ? session->path : (struct ot_text){0});
}

static void put_key(struct ot_json *json, const struct ot_tally *tally,
                    const struct ot_view_row *row)
{
    enum ot_by by = tally->opts->view.by;
    if (by == OT_BY_OPERATOR) {
        ot_json_put_text(json, "name", row->name);
        return;
    }
    if (by == OT_BY_RANK) {
        put_rank(json, row->session);
        return;
    }
    ot_json_put_text(json, "host", row->host);
    put_process(json, tally->pop, row->vpid);
    if (by == OT_BY_THREAD)
        put_thread(json, tally->pop, row->vtid);
}

static void write_row(struct ot_json *json, const struct ot_tally *tally,
                      const struct ot_view_row *row)
{
    const struct ot_totals *totals = &row->totals;
    uint64_t n_timed = ot_tally_n_timed(totals);
    ot_json_begin_object(json);
    put_key(json, tally, row);
    put_totals(json, tally, totals);
    ot_json_put_mean(json, "mean_ns", (uint64_t)totals->inclusive_ns, n_timed);
    ot_json_put_signed_if(json, "min_ns", n_timed > 0, totals->min_ns);
    ot_json_put_signed_if(json, "max_ns", n_timed > 0, totals->max_ns);
    ot_json_end_object(json);
}

static void write_section(struct ot_json *json, const struct ot_tally *tally,
                          const struct ot_view_table *table)
{
    ot_json_begin_object(json);
    ot_json_put_signed(json, "level", table->level);
    ot_json_key(json, ot_text_of("backends"));
    ot_json_begin_array(json);
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        if (table->has_backend[i])
            ot_json_text(json, ot_text_of(ot_backends[i].name));
    }
    ot_json_end_array(json);
    if (tally->opts->view.extended) {
        ot_json_put_text(json, "host", table->host);
        put_process(json, tally->pop, table->vpid);
        put_thread(json, tally->pop, table->vtid);
    }
    ot_json_put_unsigned(json, "hosts", table->n_hosts);
    ot_json_put_unsigned(json, "processes", table->n_processes);
    ot_json_put_unsigned(json, "threads", table->n_threads);
    ot_json_key(json, ot_text_of("rows"));
    ot_json_begin_array(json);
    for (size_t i = 0; i < table->n_shown; i++)
        write_row(json, tally, &table->rows[i]);
    ot_json_end_array(json);
    ot_json_key(json, ot_text_of("totals"));
    ot_json_begin_object(json);
    put_totals(json, tally, &table->totals);
    ot_json_end_object(json);
    ot_json_put_unsigned(json, "total_rows", table->n_rows);
    ot_json_put_unsigned(json, "returned", table->n_shown);
    ot_json_put_bool(json, "truncated", table->n_shown < table->n_rows);
    ot_json_end_object(json);
}

static void write_left_out(struct ot_json *json, const struct ot_view *view)
{
    ot_json_key(json, ot_text_of("left_out"));
    ot_json_begin_array(json);
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        if (view->left_out[i] == 0)
            continue;
        ot_json_begin_object(json);
        ot_json_put_text(json, "backend", ot_text_of(ot_backends[i].name));
        ot_json_put_unsigned(json, "calls", view->left_out[i]);
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
}

void ot_tally_write_json(const struct ot_tally *tally, FILE *out)
{
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "schema", ot_text_of("optally.tally/1"));
    ot_notes_put_completeness(&json, &tally->counts, &tally->pop->warnings);
    ot_json_key(&json, ot_text_of("sections"));
    ot_json_begin_array(&json);
    for (size_t i = 0; i < tally->view->n_tables; i++)
        write_section(&json, tally, &tally->view->tables[i]);
    ot_json_end_array(&json);
    write_left_out(&json, tally->view);
    ot_json_end_object(&json);
    putc('\n', out);
}
