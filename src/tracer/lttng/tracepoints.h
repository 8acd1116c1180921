/* tracepoints.h: the LTTng-UST provider lttng_ust_pytorch. The names are a public format: THAPI
 * reads op_entry and op_exit, and so does everything that reads recordings of ours. User scopes are
 * events of their own, since they are no operators and belong in none of their totals.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER lttng_ust_pytorch

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracer/lttng/tracepoints.h"

#if !defined(OT_TRACER_LTTNG_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define OT_TRACER_LTTNG_TRACEPOINTS_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(lttng_ust_pytorch, op,
    LTTNG_UST_TP_ARGS(const char *, name, const char *, overload_name),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_string(name, name)
        lttng_ust_field_string(overload_name, overload_name)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(lttng_ust_pytorch, op, lttng_ust_pytorch, op_entry,
    LTTNG_UST_TP_ARGS(const char *, name, const char *, overload_name))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(lttng_ust_pytorch, op, lttng_ust_pytorch, op_exit,
    LTTNG_UST_TP_ARGS(const char *, name, const char *, overload_name))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(lttng_ust_pytorch, annotation,
    LTTNG_UST_TP_ARGS(const char *, name),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_string(name, name)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(lttng_ust_pytorch, annotation, lttng_ust_pytorch,
    annotation_entry, LTTNG_UST_TP_ARGS(const char *, name))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(lttng_ust_pytorch, annotation, lttng_ust_pytorch,
    annotation_exit, LTTNG_UST_TP_ARGS(const char *, name))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
