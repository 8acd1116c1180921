/* decode.h: from libbabeltrace2's messages to events.
 *
 * Used by the reader and by the babeltrace2 component, so that both see a trace alike. What can be
 * known per event class or stream is looked up once and cached; a cached object is kept alive.
 * Process and thread come from the contexts `vpid` and `vtid` (`pid`, `tid`) of the event, of any
 * width and sign, the process else from the trace's environment; the host from the environment.
 * One thread.
 */
#ifndef OT_INGEST_CTF_DECODE_H
#define OT_INGEST_CTF_DECODE_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "base/err.h"
#include "model/event.h"

struct ot_ctf_decoder;

/* NULL when memory is out. */
struct ot_ctf_decoder *ot_ctf_decoder_new(bool want_text);

/* OT_OK with an event whose texts are valid until the next call and as long as the message; OT_END
 * if the message carries none. */
int ot_ctf_decode(struct ot_ctf_decoder *decoder, const bt_message *message,
                  struct ot_event *ret_event, struct ot_err *err);

void ot_ctf_decoder_free(struct ot_ctf_decoder *decoder);

#endif
