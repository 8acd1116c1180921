/* header.h: the members of a trace's outermost object that mean something. */
#ifndef OT_INGEST_KINETO_HEADER_H
#define OT_INGEST_KINETO_HEADER_H

#include "base/arena.h"
#include "base/err.h"
#include "ingest/kineto/json.h"
#include "model/counts.h"
#include "model/session.h"

enum ot_kineto_member {
    OT_MEMBER_OTHER,
    OT_MEMBER_EVENTS,
    OT_MEMBER_BASE,
    OT_MEMBER_HOST,
    OT_MEMBER_DISTRIBUTED,
    OT_MEMBER_DEVICES,
    OT_MEMBER_LOSSES
};

enum ot_kineto_member ot_kineto_member_of(const struct ot_json_value *key);

/* `value` is the whole value of `member`, and stands in a window. OT_ERR_INPUT: it is not what it
 * should be; `err` says in a phrase what. *ret_repeats: one of its keys occurs twice. Texts go into
 * `arena`. */
int ot_kineto_take_member(enum ot_kineto_member member, const struct ot_json_value *value,
                          struct ot_session *session, struct ot_arena *arena, bool *ret_repeats,
                          struct ot_err *err);

/* Of OT_MEMBER_LOSSES: what whoever wrote the trace says that it lacks (model/counts.h). What is
 * not of that form is passed by. */
void ot_kineto_take_losses(const struct ot_json_value *value, struct ot_counts *counts);

#endif
