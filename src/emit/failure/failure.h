/* failure.h: an operation that failed, for programs. */
#ifndef OT_EMIT_FAILURE_FAILURE_H
#define OT_EMIT_FAILURE_FAILURE_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

struct ot_failure {
    int code;
    const char *message;
    const char *const *inputs;
    size_t n_inputs;
    const char *const *remediation; /* what may help */
    size_t n_remediation;
};

/* The object {code, message, details, remediation} on one line. */
void ot_failure_write_json(const struct ot_failure *failure, FILE *out);

#endif
