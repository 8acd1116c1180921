/* fields.h: members of structure field classes by name, found once per event class. */
#ifndef OT_INGEST_CTF_FIELDS_H
#define OT_INGEST_CTF_FIELDS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A string or integer member: its place, and how to read it. */
struct ot_ctf_member {
    bool is_there;
    bool is_signed; /* of integers */
    bool is_bool;
    uint64_t index;
};

/* `structure` may be NULL. A member of another type is not there. */
struct ot_ctf_member ot_ctf_find_member(const bt_field_class *structure, const char *name,
                                        bt_field_class_type type);

/* The member is there. The text belongs to the message. */
static inline struct ot_text ot_ctf_read_string(const bt_field *structure,
                                                const struct ot_ctf_member *member)
{
    const bt_field *field =
        bt_field_structure_borrow_member_field_by_index_const(structure, member->index);
    /* The length and not strlen(): of an empty string libbabeltrace2 2.0.4 gives the value that
     * the field had before. */
    return (struct ot_text){bt_field_string_get_value(field), bt_field_string_get_length(field)};
}

/* The member is there, an integer or a boolean. A negative number comes as its two's complement. */
static inline uint64_t ot_ctf_read_integer(const bt_field *structure,
                                           const struct ot_ctf_member *member)
{
    const bt_field *field =
        bt_field_structure_borrow_member_field_by_index_const(structure, member->index);
    if (member->is_bool)
        return bt_field_bool_get_value(field) ? 1 : 0;
    return member->is_signed ? (uint64_t)bt_field_integer_signed_get_value(field)
                             : bt_field_integer_unsigned_get_value(field);
}

#endif
