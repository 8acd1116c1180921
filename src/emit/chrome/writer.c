#include "emit/chrome/writer.h"

#include "emit/chrome/mend.h"

static const char separator[] = ",\n";

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
