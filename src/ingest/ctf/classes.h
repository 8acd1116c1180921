/* classes.h: what is known of an event class once and for all. Private to this folder.
 *
 * Field lookups by name would dominate reading; here they happen once per class.
 */
#ifndef OT_INGEST_CTF_CLASSES_H
#define OT_INGEST_CTF_CLASSES_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "ingest/ctf/fields.h"
#include "model/backend.h"
#include "model/event.h"

enum ot_ctf_place { OT_CTF_NOWHERE, OT_CTF_COMMON_CONTEXT, OT_CTF_SPECIFIC_CONTEXT };

/* Where an event of the class has an integer. */
struct ot_ctf_integer {
    enum ot_ctf_place place;
    struct ot_ctf_member member;
};

struct ot_ctf_class {
    const bt_event_class *event_class; /* with a reference */
    enum ot_event_kind kind;
    int backend;
    bool has_clock;
    struct ot_text event_name; /* these two belong to event_class */
    struct ot_text call_name;  /* without provider and without `_entry` or `_exit` */
    struct ot_ctf_member name; /* only for backends whose calls are named by fields */
    struct ot_ctf_member overload_name;
    struct ot_ctf_integer vpid;
    struct ot_ctf_integer vtid;
};

/* Takes a reference, which the owner of the struct has to put. */
void ot_ctf_class_init(struct ot_ctf_class *class, const bt_event_class *event_class);

#endif
