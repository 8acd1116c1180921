#include "emit/top/json.h"

#include "emit/json/json.h"

static const char *const states[] = {
    [OT_TOP_WAITING] = "waiting",
    [OT_TOP_RUNNING] = "running",
    [OT_TOP_ENDED] = "ended",
};

static void put_sums(struct ot_json *json, const struct ot_top_row *row)
{
    ot_json_put_unsigned(json, "self_ns", row->self_ns);
    ot_json_put_unsigned(json, "inclusive_ns", row->inclusive_ns);
    ot_json_put_unsigned(json, "calls", row->n_calls);
    ot_json_put_mean(json, "mean_ns", row->inclusive_ns, row->n_calls);
}

static void put_call(struct ot_json *json, const struct ot_top_row *row)
{
    ot_json_put_text(json, "name", row->name);
    put_sums(json, row);
}

static void put_thread(struct ot_json *json, const struct ot_top_row *row)
{
    ot_json_put_text(json, "host", row->host);
    ot_json_put_signed(json, "vpid", row->pid);
    ot_json_put_unsigned(json, "vtid", row->tid);
    ot_json_put_text(json, "name", row->name);
    ot_json_key(json, ot_text_of("in"));
    if (row->current.len)
        ot_json_text(json, row->current);
    else
        ot_json_null(json);
    ot_json_put_unsigned(json, "busy_ns", row->self_ns);
    ot_json_put_unsigned(json, "calls", row->n_calls);
}

static void put_rows(struct ot_json *json, const char *key, const struct ot_top_rows *rows,
                     void (*put)(struct ot_json *, const struct ot_top_row *))
{
    ot_json_key(json, ot_text_of(key));
    ot_json_begin_array(json);
    for (size_t i = 0; i < rows->n_rows; i++) {
        ot_json_begin_object(json);
        put(json, &rows->rows[i]);
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
}

void ot_top_write_json(const struct ot_top *top, FILE *out)
{
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    ot_json_put_text(&json, "recording", top->recording);
    ot_json_put_text(&json, "command", top->command);
    ot_json_put_text(&json, "state", ot_text_of(states[top->state]));
    ot_json_put_signed(&json, "elapsed_ns", top->elapsed_ns);
    ot_json_put_unsigned(&json, "window_ns", top->wall_ns);
    ot_json_put_unsigned(&json, "hosts", top->n_hosts);
    ot_json_put_unsigned(&json, "processes", top->n_processes);
    ot_json_put_unsigned(&json, "processes_alive", top->n_processes_alive);
    ot_json_put_unsigned(&json, "threads_alive", top->n_threads_alive);
    ot_json_put_unsigned(&json, "events", top->n_events);
    ot_json_put_unsigned(&json, "events_skipped", top->n_skipped);
    ot_json_put_unsigned(&json, "events_lost", top->n_lost);
    ot_json_put_unsigned(&json, "names_lost", top->n_lost_names);
    ot_json_put_unsigned(&json, "log_bytes", top->log_bytes);
    ot_json_put_unsigned(&json, "log_grown_bytes", top->grown_bytes);
    ot_json_put_unsigned(&json, "processes_stopped", top->n_stopped);
    ot_json_put_text(&json, "stop_reason", top->stop_reason);
    ot_json_put_text(&json, "trouble", top->trouble);
    put_rows(&json, "operators", &top->by[OT_TOP_OPERATORS], put_call);
    put_rows(&json, "annotations", &top->by[OT_TOP_ANNOTATIONS], put_call);
    put_rows(&json, "threads", &top->by[OT_TOP_THREADS], put_thread);
    ot_json_end_object(&json);
    putc('\n', out);
}
