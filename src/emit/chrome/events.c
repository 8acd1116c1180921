#include "emit/chrome/events.h"

#include <inttypes.h>

#include "emit/chrome/mend.h"
#include "model/backend.h"

static const char *const categories[OT_BACKEND_COUNT] = {
    [OT_BACKEND_PYTORCH] = "cpu_op",
    [OT_BACKEND_ANNOTATION] = "user_annotation",
    [OT_BACKEND_RUNTIME] = "cuda_runtime",
    [OT_BACKEND_DEVICE] = "kernel",
    [OT_BACKEND_PYTHON] = "python_function",
    [OT_BACKEND_SYNC] = "cuda_sync",
    [OT_BACKEND_DEVICE_ANNOTATION] = "gpu_user_annotation",
};

const char *ot_chrome_category(int backend)
{
    return categories[backend] ? categories[backend] : ot_backends[backend].name;
}

static void add(struct ot_str *str, const char *text)
{
    ot_str_add_text(str, ot_text_of(text));
}

/* Most of what a trace of calls is made of: printf() would take half of the time. At least
 * `n_digits`. */
static void add_digits(struct ot_str *str, uint64_t value, int n_digits)
{
    char digits[20];
    char *at = digits + sizeof(digits);
    for (; value || n_digits > 0; n_digits--) {
        *--at = (char)('0' + value % 10);
        value /= 10;
    }
    ot_str_add(str, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_us(struct ot_str *str, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        add(str, "-");
    add_digits(str, size / 1000, 1);
    add(str, ".");
    add_digits(str, size % 1000, 3);
}

static void add_place(struct ot_str *str, const struct ot_chrome_place *place)
{
    if (place->host.len) {
        struct ot_str pid = {0};
        ot_str_addf(&pid, "%" PRId64 "@", place->vpid);
        ot_str_add_text(&pid, place->host);
        ot_str_addf(str, ",\"pid\":");
        ot_chrome_add_string(str, (struct ot_text){ot_str_borrow(&pid), pid.len});
        ot_str_release(&pid);
    } else if (place->vpid < 0) {
        ot_str_addf(str, ",\"pid\":%" PRId64, place->vpid);
    } else {
        add(str, ",\"pid\":");
        add_digits(str, (uint64_t)place->vpid, 1);
    }
    add(str, ",\"tid\":");
    add_digits(str, place->vtid, 1);
}

static void add_ts(struct ot_str *str, const struct ot_chrome_place *place, int64_t ts_ns)
{
    /* Both are times that somebody measured; a difference that overflows is of none that can be. */
    int64_t since_ns = 0;
    if (__builtin_sub_overflow(ts_ns, place->base_ns, &since_ns))
        since_ns = ts_ns < place->base_ns ? INT64_MIN : INT64_MAX;
    add(str, ",\"ts\":");
    add_us(str, since_ns);
}

/* Texts that are JSON already, if they are. */
static void add_list(struct ot_str *str, const char *key, struct ot_text list)
{
    if (list.len == 0)
        return;
    ot_str_addf(str, "%s\"%s\":", str->len ? "," : "", key);
    if (ot_chrome_is_list(list))
        ot_str_add_text(str, list);
    else
        ot_chrome_add_string(str, list);
}

static void add_number(struct ot_str *str, const char *key, bool is_told, int64_t value)
{
    if (is_told)
        ot_str_addf(str, "%s\"%s\":%" PRId64, str->len ? "," : "", key, value);
}

void ot_chrome_add_args(struct ot_str *str, const struct ot_event_args *args)
{
    if (!args)
        return;
    bool has_thread = args->has_sequence && args->forward_thread >= 0;
    add_number(str, "Sequence number", args->has_sequence, args->sequence);
    add_number(str, "Fwd thread id", has_thread, args->forward_thread);
    add_list(str, "Input Dims", args->shapes);
    add_list(str, "Input type", args->types);
}

void ot_chrome_add_call(struct ot_str *str, const struct ot_chrome_place *place,
                        const char *category, struct ot_text name, int64_t ts_ns, int64_t dur_ns,
                        struct ot_text args)
{
    add(str, dur_ns < 0 ? "{\"ph\":\"B\",\"cat\":\"" : "{\"ph\":\"X\",\"cat\":\"");
    add(str, category);
    add(str, "\",\"name\":");
    ot_chrome_add_string(str, name);
    add_place(str, place);
    add_ts(str, place, ts_ns);
    if (dur_ns >= 0) {
        add(str, ",\"dur\":");
        add_us(str, dur_ns);
    }
    if (args.len) {
        add(str, ",\"args\":{");
        ot_str_add_text(str, args);
        add(str, "}");
    }
    add(str, "}");
}

void ot_chrome_add_memory(struct ot_str *str, const struct ot_chrome_place *place, int64_t ts_ns,
                          const struct ot_event_args *args)
{
    ot_str_addf(str,
                "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\"");
    add_place(str, place);
    add_ts(str, place, ts_ns);
    struct ot_str members = {0};
    add_number(&members, "Total Allocated", args->has_total_allocated, args->total_allocated);
    add_number(&members, "Bytes", true, args->bytes);
    add_number(&members, "Device Id", args->has_device_id, args->device_id);
    add_number(&members, "Device Type", args->has_device_type, args->device_type);
    ot_str_addf(str, ",\"args\":{%s}}", ot_str_borrow(&members));
    str->failed |= members.failed;
    ot_str_release(&members);
}

void ot_chrome_add_label(struct ot_str *str, const struct ot_chrome_place *place,
                         const struct ot_event_args *args)
{
    static const struct {
        const char *name;
        const char *key;
    } labels[] = {
        [OT_LABEL_PROCESS] = {"process_name", "name"},
        [OT_LABEL_PROCESS_NOTE] = {"process_labels", "labels"},
        [OT_LABEL_THREAD] = {"thread_name", "name"},
    };
    if (args->label_kind >= sizeof(labels) / sizeof(labels[0]))
        return;
    ot_str_addf(str, "{\"ph\":\"M\",\"name\":\"%s\"", labels[args->label_kind].name);
    add_place(str, place);
    ot_str_addf(str, ",\"args\":{\"%s\":", labels[args->label_kind].key);
    ot_chrome_add_string(str, args->label);
    ot_str_addf(str, "}}");
}
