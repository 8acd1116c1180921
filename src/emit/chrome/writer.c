#include "emit/chrome/writer.h"

#include <inttypes.h>
#include <string.h>

#include "emit/chrome/mend.h"

static const char separator[] = ",\n";
static const char losses_key[] = "\"optally\"";

int ot_chrome_add_member(struct ot_chrome_writer *writer, struct ot_text member, struct ot_err *err)
{
    if (writer->n_events == 0) {
        fputs(writer->n_members++ ? separator : "{\n", writer->out);
        writer->n_replaced += ot_chrome_write_mended(member, writer->out);
        return OT_OK;
    }
    struct ot_str *tail = &writer->tail;
    if (tail->len + member.len > OT_CHROME_TAIL_MAX_BYTES)
        return ot_err_set(err, OT_ERR_NOMEM, "more than %d MiB behind the events",
                          OT_CHROME_TAIL_MAX_BYTES >> 20);
    ot_str_add_text(tail, ot_text_of(separator));
    ot_str_add_text(tail, member);
    return tail->failed
               ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for what is behind the events")
               : OT_OK;
}

static void begin_event(struct ot_chrome_writer *writer)
{
    if (writer->n_events++) {
        fputs(separator, writer->out);
        return;
    }
    fputs(writer->n_members ? separator : "{\n", writer->out);
    fputs("\"traceEvents\": [\n", writer->out);
}

void ot_chrome_add_event(struct ot_chrome_writer *writer, struct ot_text event)
{
    begin_event(writer);
    writer->n_replaced += ot_chrome_write_mended(event, writer->out);
}

void ot_chrome_put_event(struct ot_chrome_writer *writer, struct ot_text event)
{
    begin_event(writer);
    fwrite(event.bytes, 1, event.len, writer->out);
}

int ot_chrome_add_losses(struct ot_chrome_writer *writer, const struct ot_counts *counts,
                         struct ot_err *err)
{
    struct ot_str member = {0};
    for (size_t i = 0; i < OT_TOLD_LOSSES; i++) {
        uint64_t n = ot_told_loss_of(counts, &ot_told_losses[i]);
        if (n)
            ot_str_addf(&member, "%s\"%s\": %" PRIu64, member.len ? ", " : "",
                        ot_told_losses[i].name, n);
    }
    struct ot_str line = {0};
    int code = OT_OK;
    if (member.len) {
        ot_str_addf(&line, "%s: {%s}", losses_key, ot_str_borrow(&member));
        code = member.failed || line.failed
                   ? ot_err_set(err, OT_ERR_NOMEM, "out of memory for what was lost")
                   : ot_chrome_add_member(writer, (struct ot_text){line.bytes, line.len}, err);
    }
    ot_str_release(&member);
    ot_str_release(&line);
    return code;
}

bool ot_chrome_is_losses(struct ot_text member)
{
    size_t len = strlen(losses_key);
    return member.len > len && memcmp(member.bytes, losses_key, len) == 0;
}

void ot_chrome_finish(struct ot_chrome_writer *writer)
{
    if (writer->n_events == 0) {
        fputs(writer->n_members ? separator : "{\n", writer->out);
        fputs("\"traceEvents\": [", writer->out);
    }
    fputs("\n]", writer->out);
    struct ot_text tail = {ot_str_borrow(&writer->tail), writer->tail.len};
    writer->n_replaced += ot_chrome_write_mended(tail, writer->out);
    fputs("\n}\n", writer->out);
}

void ot_chrome_release(struct ot_chrome_writer *writer)
{
    ot_str_release(&writer->tail);
}
