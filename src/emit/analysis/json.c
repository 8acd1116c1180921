#include "emit/json/json.h"

#include <inttypes.h>

#include "base/str.h"
#include "base/units.h"
#include "emit/analysis/report.h"
#include "emit/notes/notes.h"

static const char *const kind_names[] = {
    [OT_VALUE_EXACT] = "exact",
    [OT_VALUE_LOWER_BOUND] = "lower_bound",
    [OT_VALUE_UNAVAILABLE] = "unavailable",
};

static void begin_object(struct ot_json *json, const char *key)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_begin_object(json);
}

static void begin_array(struct ot_json *json, const char *key)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_begin_array(json);
}

static void put_string(struct ot_json *json, const char *key, const char *value)
{
    ot_json_put_text(json, key, ot_text_of(value));
}

static void put_null(struct ot_json *json, const char *key)
{
    ot_json_key(json, ot_text_of(key));
    ot_json_null(json);
}

static void put_session(struct ot_json *json, const struct ot_analysis_report *report, size_t i)
{
    const struct ot_session *session = &report->analysis->sessions[i];
    bool is_whole_input = report->analysis->n_sessions == 1 && report->n_inputs > 1;
    if (is_whole_input) {
        put_null(json, "path");
        begin_array(json, "paths");
        for (size_t k = 0; k < report->n_inputs; k++)
            ot_json_text(json, ot_text_of(report->inputs[k]));
        ot_json_end_array(json);
    } else {
        ot_json_put_text(json, "path", session->path);
    }
    put_string(json, "artifact", report->artifacts[i]);
    put_string(json, "format", report->format);
    ot_json_put_unsigned(json, "session", i);
    if (session->has_rank)
        ot_json_put_signed(json, "rank", session->rank);
    if (session->has_world_size)
        ot_json_put_signed(json, "world_size", session->world_size);
    if (report->commit)
        put_string(json, "commit", report->commit);
}

static void write_input(struct ot_json *json, const struct ot_analysis_report *report)
{
    size_t n = report->analysis->n_sessions;
    begin_object(json, "input");
    if (n == 1) {
        put_session(json, report, 0);
    } else {
        put_null(json, "path");
        put_null(json, "artifact");
        put_string(json, "format", report->format);
        put_null(json, "session");
        begin_array(json, "sessions");
        for (size_t i = 0; i < n; i++) {
            ot_json_begin_object(json);
            put_session(json, report, i);
            ot_json_end_object(json);
        }
        ot_json_end_array(json);
    }
    ot_json_end_object(json);
}

static void write_population(struct ot_json *json, const struct ot_analysis *analysis)
{
    begin_object(json, "population");
    ot_json_put_unsigned(json, "operators", analysis->n_operators);
    ot_json_put_unsigned(json, "events", analysis->n_events);
    ot_json_put_unsigned(json, "tracks", analysis->n_tracks);
    ot_json_put_unsigned(json, "processes", analysis->n_processes);
    ot_json_put_signed_if(json, "start_ns", analysis->has_times, analysis->start_ns);
    ot_json_put_signed_if(json, "end_ns", analysis->has_times, analysis->end_ns);
    ot_json_end_object(json);
}

static void write_part(struct ot_json *json, const struct ot_aggregate *aggregate,
                       const struct ot_aggregate_part *part)
{
    bool is_device = ot_text_same(aggregate->parts_name, ot_text_of("by_device"));
    ot_json_begin_object(json);
    ot_json_put_text(json, is_device ? "device" : "reason", part->label);
    if (is_device)
        ot_json_put_unsigned(json, "session", part->session);
    if (part->has_device_type) {
        ot_json_put_signed(json, "device_type", part->device_type);
        ot_json_put_signed(json, "device_id", part->device_id);
    }
    ot_json_put_unsigned(json, "events", part->n_events);
    ot_json_put_signed(json, "value", part->value);
    ot_json_end_object(json);
}

static void write_aggregate(struct ot_json *json, const struct ot_analysis *analysis,
                            const struct ot_aggregate *aggregate)
{
    ot_json_key(json, aggregate->name);
    ot_json_begin_object(json);
    ot_json_put_signed_if(json, "value", aggregate->kind != OT_VALUE_UNAVAILABLE, aggregate->value);
    ot_json_put_text(json, "unit", aggregate->unit);
    put_string(json, "kind", kind_names[aggregate->kind]);
    begin_object(json, "population");
    ot_json_put_unsigned(json, "operators", analysis->n_operators);
    ot_json_put_unsigned(json, "events", analysis->n_events);
    if (aggregate->is_of_memory)
        ot_json_put_unsigned(json, "memory_events", analysis->n_memory_events);
    ot_json_end_object(json);
    begin_array(json, "reasons");
    for (size_t i = 0; i < aggregate->n_reasons; i++)
        ot_json_text(json, aggregate->reasons[i]);
    ot_json_end_array(json);
    if (aggregate->n_parts) {
        ot_json_key(json, aggregate->parts_name);
        ot_json_begin_array(json);
        for (size_t i = 0; i < aggregate->n_parts; i++)
            write_part(json, aggregate, &aggregate->parts[i]);
        ot_json_end_array(json);
    }
    ot_json_end_object(json);
}

static void write_aggregates(struct ot_json *json, const struct ot_analysis *analysis)
{
    begin_object(json, "aggregates");
    for (size_t i = 0; i < analysis->n_aggregates; i++)
        write_aggregate(json, analysis, &analysis->aggregates[i]);
    ot_json_end_object(json);

    begin_object(json, "graph_launches");
    ot_json_put_signed_if(json, "device_events", analysis->has_device,
                          (int64_t)analysis->n_graph_launched);
    ot_json_put_signed_if(json, "device_time_ns", analysis->has_device,
                          analysis->graph_launched_ns);
    ot_json_end_object(json);

    begin_object(json, "coverage");
    for (size_t i = 0; i < analysis->n_coverage; i++) {
        ot_json_key(json, analysis->coverage[i].name);
        ot_json_bool(json, analysis->coverage[i].is_there);
    }
    ot_json_end_object(json);
}

static void write_shapes(struct ot_json *json, const struct ot_operator_row *row)
{
    begin_object(json, "input_shapes");
    ot_json_put_unsigned(json, "total", row->n_shapes);
    ot_json_put_unsigned(json, "returned", row->n_shapes_returned);
    ot_json_put_bool(json, "truncated", row->n_shapes_returned < row->n_shapes);
    begin_array(json, "rows");
    for (size_t i = 0; i < row->n_shapes_returned; i++) {
        ot_json_begin_object(json);
        ot_json_put_text(json, "shapes", row->shapes[i].shapes);
        ot_json_put_unsigned(json, "calls", row->shapes[i].n_calls);
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
    ot_json_end_object(json);
}

static void write_row(struct ot_json *json, const struct ot_operator_row *row, bool has_shapes)
{
    ot_json_begin_object(json);
    ot_json_put_text(json, "name", row->name);
    ot_json_put_text(json, "kind", row->kind);
    ot_json_put_text(json, "category", row->category);
    ot_json_put_unsigned(json, "session", row->session);
    ot_json_put_unsigned(json, "calls", row->n_calls);
    ot_json_put_signed(json, "self_ns", row->self_ns);
    ot_json_put_signed(json, "inclusive_ns", row->inclusive_ns);
    ot_json_put_mean(json, "mean_ns", (uint64_t)row->inclusive_ns, row->n_calls);
    ot_json_put_signed(json, "min_ns", row->min_ns);
    ot_json_put_signed(json, "max_ns", row->max_ns);
    ot_json_put_signed_if(json, "device_self_ns", row->has_device, row->device_self_ns);
    ot_json_put_signed_if(json, "device_inclusive_ns", row->has_device, row->device_inclusive_ns);
    ot_json_put_signed_if(json, "allocation_bytes", row->has_allocated, row->allocated_bytes);
    if (has_shapes)
        write_shapes(json, row);
    ot_json_put_bool(json, "synchronization", row->synchronizes);
    ot_json_put_bool(json, "compilation", row->compiles);
    ot_json_put_bool(json, "warmup", row->warms_up);
    ot_json_end_object(json);
}

static void put_table(struct ot_json *json, const struct ot_analysis_table *table, bool has_shapes)
{
    ot_json_put_unsigned(json, "total", table->n_total);
    ot_json_put_unsigned(json, "returned", table->n_rows);
    ot_json_put_bool(json, "truncated", table->n_rows < table->n_total);
    ot_json_put_signed_if(json, "limit", table->limit >= 0, table->limit);
    begin_array(json, "rows");
    for (size_t i = 0; i < table->n_rows; i++)
        write_row(json, &table->rows[i], has_shapes);
    ot_json_end_array(json);
}

static void put_threshold(struct ot_json *json, const struct ot_analysis *analysis)
{
    if (!analysis->has_threshold) {
        put_null(json, "threshold_ns");
    } else if (analysis->threshold_thousandths == 0) {
        ot_json_put_signed(json, "threshold_ns", analysis->threshold_ns);
    } else {
        char text[OT_UNITS_BYTES];
        snprintf(text, sizeof(text), "%" PRId64 ".%03d", analysis->threshold_ns,
                 analysis->threshold_thousandths);
        ot_json_key(json, ot_text_of("threshold_ns"));
        ot_json_number(json, text);
    }
    put_string(json, "threshold", analysis->threshold_is_absolute ? "absolute" : "p25");
}

void ot_analysis_write_json(const struct ot_analysis_report *report, FILE *out)
{
    const struct ot_analysis *analysis = report->analysis;
    struct ot_json json = {.out = out};
    ot_json_begin_object(&json);
    put_string(&json, "schema", "optally.analysis/1");
    put_string(&json, "profile", OT_ANALYSIS_PROFILE);
    write_input(&json, report);
    write_population(&json, analysis);
    ot_notes_put_completeness(&json, &analysis->counts, &analysis->warnings);
    write_aggregates(&json, analysis);
    begin_object(&json, "operators");
    put_table(&json, &analysis->operators, true);
    ot_json_end_object(&json);
    begin_object(&json, "repeated_small");
    put_threshold(&json, analysis);
    put_table(&json, &analysis->repeated, false);
    ot_json_end_object(&json);
    ot_json_end_object(&json);
    putc('\n', out);
}
