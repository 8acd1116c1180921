/* clang-format off */
/* tracer_env.h: what `record` tells the preloaded tracer, and where the tracer answers.
 *
 * The two share nothing but the environment of the traced program and one text file. The tracer
 * appends to that file one line per process that loaded PyTorch:
 *
 *     attached PID version=TEXT overloads=exported|operator_name sequence=OFFSET|-1 path=PATH
 *     refused PID SENTENCE
 *     warning PID SENTENCE
 *     lost PID SENTENCE            (a process whose events could not be kept from here on)
 */
/* clang-format on */
#ifndef OT_BASE_TRACER_ENV_H
#define OT_BASE_TRACER_ENV_H

#define OT_ENV_WRITER "OPTALLY_WRITER" /* a row of the writer table; absent: builtin */
#define OT_ENV_STATUS "OPTALLY_STATUS" /* the file of lines above; absent: no answer */
#define OT_ENV_SCOPES "OPTALLY_SCOPES" /* bit mask of at::RecordScope, hexadecimal */

/* The built-in writer's: an absolute folder for its logs, and the mask of enum ot_oplog_options
 * (base/oplog.h), hexadecimal. */
#define OT_ENV_LOG_DIR     "OPTALLY_LOG_DIR"
#define OT_ENV_LOG_OPTIONS "OPTALLY_LOG_OPTIONS"

/* Attach only to a libtorch below this folder. The second name is THAPI's. */
#define OT_ENV_LIBRARY_PATH       "OPTALLY_TORCH_LIBRARY_PATH"
#define OT_ENV_LIBRARY_PATH_THAPI "LTTNG_UST_PYTORCH_LIBRARY_PATH"

/* A folder for the shared memory object on which LTTng-UST waits for a session daemon. It has a
 * fixed name in /dev/shm otherwise, which would outlive the recording. */
#define OT_ENV_LTTNG_WAIT_DIR "OPTALLY_LTTNG_WAIT_DIR"

/* at::RecordScope, ATen/record_function.h; the same from PyTorch 1.12 to 2.14. */
enum ot_scope {
    OT_SCOPE_FUNCTION = 0,
    OT_SCOPE_BACKWARD_FUNCTION = 1,
    OT_SCOPE_TORCHSCRIPT_FUNCTION = 2,
    OT_SCOPE_USER = 7,
    OT_SCOPE_STATIC_RUNTIME_OP = 8,
    OT_SCOPE_STATIC_RUNTIME_MODEL = 9,
    OT_SCOPE_COUNT = 10,
};

#define OT_SCOPES_DEFAULT                                                                          \
    (1u << OT_SCOPE_FUNCTION | 1u << OT_SCOPE_BACKWARD_FUNCTION |                                  \
     1u << OT_SCOPE_TORCHSCRIPT_FUNCTION | 1u << OT_SCOPE_USER |                                   \
     1u << OT_SCOPE_STATIC_RUNTIME_OP | 1u << OT_SCOPE_STATIC_RUNTIME_MODEL)

#endif
