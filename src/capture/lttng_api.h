/* lttng_api.h: liblttng-ctl, opened when it is needed.
 *
 * Everything but recording through LTTng works without it, so it is no link-time dependency. The
 * types come from its own header; the functions are thread-compatible as upstream documents.
 */
#ifndef OT_CAPTURE_LTTNG_API_H
#define OT_CAPTURE_LTTNG_API_H

#include <lttng/lttng.h>

#include "base/err.h"

#define OT_LTTNG_FUNCTIONS(X)                                                                      \
    X(lttng_set_tracing_group)                                                                     \
    X(lttng_create_session)                                                                        \
    X(lttng_destroy_session_no_wait)                                                               \
    X(lttng_create_handle)                                                                         \
    X(lttng_destroy_handle)                                                                        \
    X(lttng_channel_create)                                                                        \
    X(lttng_channel_destroy)                                                                       \
    X(lttng_channel_set_blocking_timeout)                                                          \
    X(lttng_enable_channel)                                                                        \
    X(lttng_enable_event)                                                                          \
    X(lttng_add_context)                                                                           \
    X(lttng_start_tracing)                                                                         \
    X(lttng_stop_tracing_no_wait)                                                                  \
    X(lttng_data_pending)                                                                          \
    X(lttng_strerror)

struct ot_lttng_api {
#define OT_LTTNG_SLOT(name) __typeof__(name) *(name);
    OT_LTTNG_FUNCTIONS(OT_LTTNG_SLOT)
#undef OT_LTTNG_SLOT
};

/* The library stays loaded. OT_ERR_MISSING says what to install. */
int ot_lttng_api_open(struct ot_lttng_api *api, struct ot_err *err);

#endif
