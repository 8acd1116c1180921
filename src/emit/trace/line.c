#include "emit/trace/line.h"

#include <inttypes.h>
#include <time.h>

#include "base/utf8.h"

enum { NS_PER_S = 1000000000 };

static void add_time(struct ot_str *str, int64_t ts_ns, bool utc)
{
    int64_t ns = ts_ns % NS_PER_S;
    time_t seconds = ts_ns / NS_PER_S;
    if (ns < 0) {
        ns += NS_PER_S;
        seconds--;
    }
    struct tm tm = {0};
    if (utc)
        gmtime_r(&seconds, &tm);
    else
        localtime_r(&seconds, &tm);
    ot_str_addf(str, "%02d:%02d:%02d.%09" PRId64, tm.tm_hour, tm.tm_min, tm.tm_sec, ns);
}

/* By number, or by name where the trace has one instead. */
static void add_thread(struct ot_str *str, const struct ot_event *event)
{
    static const struct ot_event_args no_args;
    const struct ot_event_args *args = event->args ? event->args : &no_args;
    ot_str_addf(str, " - vpid: ");
    if (args->process_label.len)
        ot_utf8_add_printable(str, args->process_label);
    else
        ot_str_addf(str, "%" PRId64, event->vpid);
    ot_str_addf(str, ", vtid: ");
    if (args->thread_label.len)
        ot_utf8_add_printable(str, args->thread_label);
    else
        ot_str_addf(str, "%" PRIu64, event->vtid);
    ot_str_addf(str, " - ");
}

void ot_trace_add_line(struct ot_str *str, const struct ot_event *event, bool utc)
{
    add_time(str, event->ts_ns, utc);
    ot_str_addf(str, " - ");
    ot_utf8_add_printable(str, event->host);
    add_thread(str, event);
    ot_utf8_add_printable(str, event->event_name);
    ot_str_addf(str, ": { ");
    ot_str_add_text(str, event->payload);
    ot_str_addf(str, event->payload.len ? " }\n" : "}\n");
}
