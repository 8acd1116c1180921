#include "cli/run_json.h"

#include <string.h>

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void ot_run_sums(const struct ot_corpus_run *run, struct ot_run_sums *ret_sums)
{
    struct ot_run_sums sums = {.is_exact = true};
    for (size_t i = 0; i < run->n_sessions; i++) {
        const struct ot_corpus_session *session = &run->sessions[i];
        const struct ot_figures *figures = &session->figures;
        sums.n_operators += figures->n_operators;
        sums.n_events += figures->n_events;
        sums.host_busy_ns = add(sums.host_busy_ns, figures->host_busy_ns);
        sums.device_busy_ns = add(sums.device_busy_ns, figures->device_busy_ns);
        sums.has_device |= figures->has_device;
        sums.is_exact &= figures->is_exact;
        sums.n_bytes += session->artifact_bytes;
        sums.n_stored_bytes += session->kept_bytes;
        for (size_t k = 0; k < session->n_files; k++)
            sums.n_stored_bytes += session->files[k].n_bytes;
    }
    *ret_sums = sums;
}

void ot_run_json_members(struct ot_json *json, const struct ot_corpus_run *run)
{
    struct ot_run_sums sums;
    ot_run_sums(run, &sums);
    ot_json_put_text(json, "run", ot_text_of(run->id));
    ot_json_put_text(json, "name", ot_text_of(run->name));
    ot_json_put_signed(json, "imported_ns", run->imported_ns);
    ot_json_key(json, ot_text_of("labels"));
    ot_json_begin_object(json);
    for (size_t i = 0; i < run->n_labels; i++)
        ot_json_put_text(json, run->labels[i].key, ot_text_of(run->labels[i].value));
    ot_json_end_object(json);
    ot_json_put_unsigned(json, "n_sessions", run->n_sessions);
    ot_json_put_unsigned(json, "operators", sums.n_operators);
    ot_json_put_unsigned(json, "events", sums.n_events);
    ot_json_put_signed(json, "host_busy_ns", sums.host_busy_ns);
    ot_json_put_signed_if(json, "device_busy_ns", sums.has_device, sums.device_busy_ns);
    ot_json_put_bool(json, "exact", sums.is_exact);
    ot_json_put_unsigned(json, "artifact_bytes", sums.n_bytes);
    ot_json_put_unsigned(json, "stored_bytes", sums.n_stored_bytes);
}

static void put_text_if(struct ot_json *json, const char *key, const char *text)
{
    ot_json_key(json, ot_text_of(key));
    if (text && text[0] != '\0')
        ot_json_text(json, ot_text_of(text));
    else
        ot_json_null(json);
}

static void put_files(struct ot_json *json, const struct ot_corpus_session *session)
{
    ot_json_key(json, ot_text_of("files"));
    ot_json_begin_array(json);
    for (size_t i = 0; i < session->n_files; i++) {
        const struct ot_corpus_file *file = &session->files[i];
        ot_json_begin_object(json);
        ot_json_put_text(json, "name", ot_text_of(file->name));
        ot_json_put_unsigned(json, "rows", file->n_rows);
        ot_json_put_unsigned(json, "bytes", file->n_bytes);
        ot_json_put_text(json, "sha256", ot_text_of(file->sha256));
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
}

static void put_session(struct ot_json *json, const struct ot_corpus_session *session)
{
    const struct ot_figures *figures = &session->figures;
    ot_json_begin_object(json);
    ot_json_put_text(json, "session", ot_text_of(session->id));
    ot_json_put_signed_if(json, "rank", session->has_rank, session->rank);
    ot_json_put_signed_if(json, "world_size", session->has_world_size, session->world_size);
    ot_json_put_text(json, "artifact", ot_text_of(session->artifact));
    ot_json_put_unsigned(json, "artifact_bytes", session->artifact_bytes);
    ot_json_put_unsigned(json, "kept_bytes", session->kept_bytes);
    ot_json_put_text(json, "path", ot_text_of(session->path));
    ot_json_put_text(json, "input", ot_text_of(session->input));
    ot_json_put_bool(json, "linked", session->is_linked);
    ot_json_put_bool(json, "folder", session->is_folder);
    ot_json_put_bool(json, "recovered", session->recovered);
    ot_json_put_text(json, "format", ot_text_of(session->format));
    ot_json_put_text(json, "extractor", ot_text_of(session->extractor));
    ot_json_put_signed(json, "imported_ns", session->imported_ns);
    put_text_if(json, "torch", session->torch);
    put_text_if(json, "devices", session->devices);
    ot_json_put_unsigned(json, "operators", figures->n_operators);
    ot_json_put_unsigned(json, "events", figures->n_events);
    ot_json_put_signed(json, "host_busy_ns", figures->host_busy_ns);
    ot_json_put_signed_if(json, "device_busy_ns", figures->has_device, figures->device_busy_ns);
    ot_json_put_bool(json, "exact", figures->is_exact);
    ot_json_put_text(json, "folder_of_tables", ot_text_of(session->folder));
    put_files(json, session);
    ot_json_end_object(json);
}

void ot_run_json_sessions(struct ot_json *json, const struct ot_corpus_run *run)
{
    ot_json_key(json, ot_text_of("sessions"));
    ot_json_begin_array(json);
    for (size_t i = 0; i < run->n_sessions; i++)
        put_session(json, &run->sessions[i]);
    ot_json_end_array(json);
}

void ot_run_json_damaged(struct ot_json *json, const struct ot_corpus_state *state)
{
    ot_json_key(json, ot_text_of("damaged"));
    ot_json_begin_array(json);
    for (size_t i = 0; i < state->n_damaged; i++) {
        ot_json_begin_object(json);
        ot_json_put_text(json, "manifest", ot_text_of(state->damaged[i].manifest));
        ot_json_put_text(json, "what", ot_text_of(state->damaged[i].what));
        ot_json_end_object(json);
    }
    ot_json_end_array(json);
}
