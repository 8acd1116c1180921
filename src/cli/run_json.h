/* run_json.h: a run of the store, added up and as JSON. */
#ifndef OT_CLI_RUN_JSON_H
#define OT_CLI_RUN_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "corpus/corpus.h"
#include "emit/json/json.h"

/* Over its sessions. */
struct ot_run_sums {
    uint64_t n_operators;
    uint64_t n_events;
    int64_t host_busy_ns; /* saturates */
    bool has_device;
    int64_t device_busy_ns; /* likewise */
    bool is_exact;
    uint64_t n_bytes;        /* of its traces, as imported */
    uint64_t n_stored_bytes; /* traces and tables in the store */
};

void ot_run_sums(const struct ot_corpus_run *run, struct ot_run_sums *ret_sums);

/* The members of an object: id, name, when, labels, the sums. */
void ot_run_json_members(struct ot_json *json, const struct ot_corpus_run *run);

/* One more member: "sessions", all that a manifest says of each. */
void ot_run_json_sessions(struct ot_json *json, const struct ot_corpus_run *run);

/* One more member: "damaged", the manifests that cannot be read, and why. */
void ot_run_json_damaged(struct ot_json *json, const struct ot_corpus_state *state);

#endif
