/* details.h: what is said of slices beside their names and times, as far as many share it.
 *
 * Details that are alike are kept once and have a number. A zeroed struct but for `names` is empty.
 * One thread.
 */
#ifndef OT_TIMELINE_DETAILS_H
#define OT_TIMELINE_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "emit/pftrace/pftrace.h"
#include "model/backend.h"
#include "model/event.h"
#include "model/names.h"

enum { OT_DETAILS_MAX = 1 << 22, OT_DETAILS_NOTES_MAX = 12 };

/* Texts are 1 + id of a name, 0 where there is none. */
struct ot_detail {
    uint32_t category;
    uint32_t shapes;
    uint32_t types;
    uint32_t device_label;
    uint32_t phase;
    uint32_t backend;
    uint32_t has_device; /* as `device` */
    uint32_t unused;     /* no byte of this is without a value, so that bytes can be compared */
    int64_t device;
    int64_t forward_thread;
};

/* The names that notes have. */
enum ot_detail_note {
    OT_NOTE_SHAPES,
    OT_NOTE_TYPES,
    OT_NOTE_CORRELATION,
    OT_NOTE_SEQUENCE,
    OT_NOTE_FORWARD_THREAD,
    OT_NOTE_DEVICE,
    OT_NOTE_PHASE,
    OT_NOTE_END,
    OT_NOTES
};

struct ot_details {
    struct ot_names *names; /* borrowed */
    struct ot_detail *items;
    size_t n_items;
    size_t cap;
    struct ot_map map;
    uint32_t note_names[OT_NOTES];       /* ids */
    uint32_t backends[OT_BACKEND_COUNT]; /* ids of their names: the category of what tells none */
    uint32_t not_seen;                   /* id of what is said of an exit that was not seen */
    uint32_t no_entry;                   /* likewise of an entry */
};

/* `details` is zeroed but for `names`. */
int ot_details_init(struct ot_details *details, struct ot_err *err);

/* Of a slice or an entry. Neither reads numbers that differ from slice to slice. */
int ot_details_of(struct ot_details *details, const struct ot_event *event,
                  struct ot_detail *ret_detail, struct ot_err *err);

/* Finds or makes it. OT_ERR_NOMEM: memory, or too many. */
int ot_details_intern(struct ot_details *details, const struct ot_detail *detail,
                      uint32_t *ret_number, struct ot_err *err);

/* Writes notes to `notes`, which has room for OT_DETAILS_NOTES_MAX, and returns how many. */
size_t ot_details_notes(const struct ot_details *details, const struct ot_detail *detail,
                        struct ot_pftrace_note *notes);

struct ot_pftrace_note ot_details_number(const struct ot_details *details, enum ot_detail_note note,
                                         int64_t number);
struct ot_pftrace_note ot_details_text(const struct ot_details *details, enum ot_detail_note note,
                                       uint32_t id);

void ot_details_release(struct ot_details *details);

#endif
