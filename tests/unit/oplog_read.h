/* oplog_read.h: what the reader of operator logs makes of a folder, as text. */
#ifndef OT_TESTS_UNIT_OPLOG_READ_H
#define OT_TESTS_UNIT_OPLOG_READ_H

#include <inttypes.h>

#include "base/str.h"
#include "ingest/oplog/reader.h"
#include "model/backend.h"

/* When the logs of oplog.h were opened, in nanoseconds since the epoch. */
static const int64_t opened_ns = INT64_C(1001000000000);

static inline void tell_args(struct ot_str *told, const struct ot_event_args *args)
{
    if (args->has_sequence)
        ot_str_addf(told, " seq %" PRId64 " of %" PRId64, args->sequence, args->forward_thread);
    if (args->shapes.len)
        ot_str_addf(told, " %s %s", args->shapes.bytes, args->types.bytes);
}

/* `101 +aten::abs 5`, `101 -aten::abs 9`, `101 -aten::abs 9 since 5` for an exact end, `101 512 of
 * 4096 bytes 7`, `lost 3`, `lost 1 or more`, `lost 3 in 101`. Times count from opened_ns. */
static inline void tell_event(struct ot_str *told, const struct ot_event *event)
{
    ot_str_addf(told, "%s", told->len ? "; " : "");
    if (event->kind == OT_EVENT_DISCARDED) {
        ot_str_addf(told, "lost %" PRIu64 "%s", event->n_discarded,
                    event->n_discarded_known ? "" : " or more");
        if (event->is_gap)
            ot_str_addf(told, " in %" PRIu64, event->vtid);
        return;
    }
    int64_t at_ns = event->ts_ns - opened_ns;
    if (event->kind == OT_EVENT_MEMORY) {
        ot_str_addf(told, "%" PRIu64 " %" PRId64 " of %" PRId64 " bytes %" PRId64, event->vtid,
                    event->args->bytes, event->args->total_allocated, at_ns);
        return;
    }
    ot_str_addf(told, "%" PRIu64 " %s%.*s %" PRId64, event->vtid,
                event->kind == OT_EVENT_ENTRY ? "+" : "-", (int)event->name.len, event->name.bytes,
                at_ns);
    if (event->ends_exactly)
        ot_str_addf(told, " since %" PRId64, event->began_ns - opened_ns);
    if (event->args)
        tell_args(told, event->args);
}

/* Reads to the end. The code of the first failure, or OT_OK. */
static inline int tell_rest(struct ot_reader *reader, struct ot_str *told, struct ot_err *err)
{
    struct ot_event event;
    int code = OT_OK;
    while ((code = ot_oplog_reader.next(reader, &event, err)) == OT_OK)
        tell_event(told, &event);
    return code == OT_END ? OT_OK : code;
}

static inline int tell(const char *path, const struct ot_reader_opts *opts, struct ot_str *told,
                       struct ot_reader_report *ret_report, struct ot_err *err)
{
    struct ot_reader *reader = NULL;
    int code = ot_oplog_reader.recognise(path, err);
    if (code == OT_OK)
        code = ot_oplog_reader.open(&path, 1, opts, &reader, err);
    if (code < 0)
        return code;
    code = tell_rest(reader, told, err);
    if (ret_report)
        ot_oplog_reader.report(reader, ret_report);
    ot_oplog_reader.close(reader);
    return code;
}

#endif
