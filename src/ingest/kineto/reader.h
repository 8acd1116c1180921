/* reader.h: traces that torch.profiler (Kineto) wrote, in the JSON of Chrome's traces.
 *
 * What it yields: a slice for each complete event of possible times, and for each pair of B and E;
 * memory events; labels and flows if wanted; OT_EVENT_OTHER for the rest, of which only `want_text`
 * and `want_raw` say more than that it was there.
 */
#ifndef OT_INGEST_KINETO_READER_H
#define OT_INGEST_KINETO_READER_H

#include "ingest/reader.h"

extern const struct ot_reader_class ot_kineto_reader;

#endif
