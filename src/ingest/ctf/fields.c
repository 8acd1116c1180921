#include "ingest/ctf/fields.h"

struct ot_ctf_member ot_ctf_find_member(const bt_field_class *structure, const char *name,
                                        bt_field_class_type type)
{
    struct ot_ctf_member found = {0};
    uint64_t n_members = structure ? bt_field_class_structure_get_member_count(structure) : 0;
    for (uint64_t i = 0; i < n_members; i++) {
        const bt_field_class_structure_member *member =
            bt_field_class_structure_borrow_member_by_index_const(structure, i);
        if (strcmp(bt_field_class_structure_member_get_name(member), name) != 0)
            continue;
        bt_field_class_type its_type = bt_field_class_get_type(
            bt_field_class_structure_member_borrow_field_class_const(member));
        found.is_there = bt_field_class_type_is(its_type, type);
        found.is_signed = bt_field_class_type_is(its_type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
        found.is_bool = bt_field_class_type_is(its_type, BT_FIELD_CLASS_TYPE_BOOL);
        found.index = i;
        break;
    }
    return found;
}
