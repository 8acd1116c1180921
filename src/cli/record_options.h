/* record_options.h: the command line of optally record. */
#ifndef OT_CLI_RECORD_OPTIONS_H
#define OT_CLI_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct ot_record_options {
    const char *output;
    const char *writer;
    unsigned scopes;
    bool force;
    bool lossy;
    bool no_tally;
    bool require_trace;
    unsigned log_options; /* enum ot_oplog_options */
    uint64_t max_bytes;
    bool ring;
};

/* -1: go on, with the command at argv[optind]; else the exit status, after what there is to say. */
int ot_record_options_parse(struct ot_record_options *options, int argc, char **argv);

#endif
