#include <inttypes.h>

#include "emit/csv/csv.h"
#include "emit/tally/format.h"

static void write_field(FILE *out, struct ot_text text)
{
    ot_csv_text(out, text);
    putc(',', out);
}

static void write_backends(FILE *out, const struct ot_view_table *table)
{
    struct ot_str list = {0};
    for (int i = 0; i < OT_BACKEND_COUNT; i++) {
        if (table->has_backend[i])
            ot_str_addf(&list, "%s%s", list.len ? "," : "", ot_backends[i].name);
    }
    write_field(out, ot_text_of(ot_str_borrow(&list)));
    ot_str_release(&list);
}

/* Which of the fields that name a row there are. */
struct keys {
    bool process;
    bool thread;
    bool rank;
    bool name;
};

static struct keys keys_of(const struct ot_view_opts *opts)
{
    return (struct keys){
        .process = opts->extended || opts->by == OT_BY_THREAD || opts->by == OT_BY_PROCESS,
        .thread = opts->extended || opts->by == OT_BY_THREAD,
        .rank = opts->by == OT_BY_RANK,
        .name = opts->by == OT_BY_OPERATOR,
    };
}

static void write_header(FILE *out, struct keys keys)
{
    fprintf(out, "level,backends,%s%s%s%s%s\r\n", keys.process ? "host,process," : "",
            keys.thread ? "thread," : "", keys.rank ? "rank,path," : "", keys.name ? "name," : "",
            "calls,errors,inclusive_ns,self_ns,mean_ns,min_ns,max_ns");
}

static void write_times(FILE *out, const struct ot_tally *tally, const struct ot_totals *totals)
{
    uint64_t n_timed = ot_tally_n_timed(totals);
    if (n_timed == 0) {
        fputs(",,,,\r\n", out);
        return;
    }
    fprintf(out, "%" PRId64 ",", totals->inclusive_ns);
    if (!tally->opts->no_self)
        fprintf(out, "%" PRId64, totals->self_ns);
    putc(',', out);
    ot_csv_mean(out, (uint64_t)totals->inclusive_ns, n_timed);
    fprintf(out, ",%" PRId64 ",%" PRId64 "\r\n", totals->min_ns, totals->max_ns);
}

static void write_process(FILE *out, const struct ot_population *pop, int64_t vpid)
{
    struct ot_str text = {0};
    ot_tally_add_process(&text, pop, vpid);
    write_field(out, ot_text_of(ot_str_borrow(&text)));
    ot_str_release(&text);
}

static void write_thread(FILE *out, const struct ot_population *pop, uint64_t vtid)
{
    struct ot_str text = {0};
    ot_tally_add_thread(&text, pop, vtid);
    write_field(out, ot_text_of(ot_str_borrow(&text)));
    ot_str_release(&text);
}

static void write_rank(FILE *out, const struct ot_session *session)
{
    if (session && session->has_rank)
        fprintf(out, "%" PRId64, session->rank);
    putc(',', out);
    write_field(out, session ? session->path : (struct ot_text){0});
}

static void write_row(FILE *out, const struct ot_tally *tally, const struct ot_view_table *table,
                      const struct ot_view_row *row)
{
    struct keys keys = keys_of(&tally->opts->view);
    bool is_per_thread = tally->opts->view.extended;
    fprintf(out, "%d,", table->level);
    write_backends(out, table);
    if (keys.process) {
        write_field(out, is_per_thread ? table->host : row->host);
        write_process(out, tally->pop, is_per_thread ? table->vpid : row->vpid);
    }
    if (keys.thread)
        write_thread(out, tally->pop, is_per_thread ? table->vtid : row->vtid);
    if (keys.rank)
        write_rank(out, row->session);
    if (keys.name)
        write_field(out, row->name);
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",", row->totals.n_calls, row->totals.n_errors);
    write_times(out, tally, &row->totals);
}

void ot_tally_write_csv(const struct ot_tally *tally, FILE *out)
{
    write_header(out, keys_of(&tally->opts->view));
    for (size_t i = 0; i < tally->view->n_tables; i++) {
        const struct ot_view_table *table = &tally->view->tables[i];
        for (size_t k = 0; k < table->n_shown; k++)
            write_row(out, tally, table, &table->rows[k]);
    }
}
