/* keys.h: which keys mean something, and where. */
#ifndef OT_INGEST_KINETO_KEYS_H
#define OT_INGEST_KINETO_KEYS_H

#include <stdbool.h>

#include "ingest/kineto/raw.h"

/* Of enum ot_kineto_field, OT_FIELD_NONE for a key that means nothing there. `key` is a string as
 * it was read, perhaps with escapes. Any thread. */
unsigned ot_kineto_field_of(const struct ot_json_value *key, bool in_args);

/* True for a key that the profiler gives to events. */
bool ot_kineto_is_event_key(struct ot_text key);

/* True for a key that the profiler gives to the outermost object. */
bool ot_kineto_is_header_key(struct ot_text key);

#endif
