#include "ingest/ctf/text.h"

#include <inttypes.h>

#include "ingest/quote.h"

/* A trace can nest fields as deep as its metadata says. */
enum { MAX_NESTING = 64 };

typedef void (*add_value)(struct ot_str *str, const bt_field *field, int nesting);

static void add_field(struct ot_str *str, const bt_field *field, int nesting);

static void add_string(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    /* An empty string has no value of its own in the library's buffer, only a length. */
    struct ot_text text = {bt_field_string_get_value(field), bt_field_string_get_length(field)};
    ot_quote_add(str, text);
}

static void add_bool(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    ot_str_addf(str, bt_field_bool_get_value(field) ? "true" : "false");
}

static void add_bits(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    ot_str_addf(str, "0x%" PRIx64, bt_field_bit_array_get_value_as_integer(field));
}

static void add_unsigned(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    bt_field_class_integer_preferred_display_base base =
        bt_field_class_integer_get_preferred_display_base(bt_field_borrow_class_const(field));
    uint64_t value = bt_field_integer_unsigned_get_value(field);
    if (base == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL)
        ot_str_addf(str, "0x%" PRIX64, value);
    else
        ot_str_addf(str, "%" PRIu64, value);
}

static void add_signed(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    ot_str_addf(str, "%" PRId64, bt_field_integer_signed_get_value(field));
}

/* Adds the labels in front of a number: `"RED" : 2`. */
static void add_labels(struct ot_str *str, bt_field_class_enumeration_mapping_label_array labels,
                       uint64_t n_labels)
{
    for (uint64_t i = 0; i < n_labels; i++) {
        ot_str_addf(str, "%s", i ? ", " : "");
        ot_quote_add(str, ot_text_of(labels[i]));
    }
    if (n_labels)
        ot_str_addf(str, " : ");
}

static void add_unsigned_enumeration(struct ot_str *str, const bt_field *field, int nesting)
{
    bt_field_class_enumeration_mapping_label_array labels;
    uint64_t n_labels;
    if (bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &n_labels) ==
        BT_FIELD_ENUMERATION_GET_MAPPING_LABELS_STATUS_OK)
        add_labels(str, labels, n_labels);
    add_unsigned(str, field, nesting);
}

static void add_signed_enumeration(struct ot_str *str, const bt_field *field, int nesting)
{
    bt_field_class_enumeration_mapping_label_array labels;
    uint64_t n_labels;
    if (bt_field_enumeration_signed_get_mapping_labels(field, &labels, &n_labels) ==
        BT_FIELD_ENUMERATION_GET_MAPPING_LABELS_STATUS_OK)
        add_labels(str, labels, n_labels);
    add_signed(str, field, nesting);
}

static void add_single(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    ot_str_addf(str, "%.9g", (double)bt_field_real_single_precision_get_value(field));
}

static void add_double(struct ot_str *str, const bt_field *field, int nesting)
{
    (void)nesting;
    ot_str_addf(str, "%.17g", bt_field_real_double_precision_get_value(field));
}

static void add_structure(struct ot_str *str, const bt_field *field, int nesting)
{
    const bt_field_class *class = bt_field_borrow_class_const(field);
    uint64_t n_members = bt_field_class_structure_get_member_count(class);
    for (uint64_t i = 0; i < n_members; i++) {
        const bt_field_class_structure_member *member =
            bt_field_class_structure_borrow_member_by_index_const(class, i);
        ot_str_addf(str, "%s%s: ", i ? ", " : "", bt_field_class_structure_member_get_name(member));
        add_field(str, bt_field_structure_borrow_member_field_by_index_const(field, i), nesting);
    }
}

static void add_braced_structure(struct ot_str *str, const bt_field *field, int nesting)
{
    ot_str_addf(str, "{ ");
    add_structure(str, field, nesting);
    ot_str_addf(str, " }");
}

static void add_array(struct ot_str *str, const bt_field *field, int nesting)
{
    uint64_t len = bt_field_array_get_length(field);
    ot_str_addf(str, "[");
    for (uint64_t i = 0; i < len; i++) {
        ot_str_addf(str, i ? ", " : " ");
        add_field(str, bt_field_array_borrow_element_field_by_index_const(field, i), nesting);
    }
    ot_str_addf(str, " ]");
}

static void add_option(struct ot_str *str, const bt_field *field, int nesting)
{
    const bt_field *content = bt_field_option_borrow_field_const(field);
    if (content)
        add_field(str, content, nesting);
    else
        ot_str_addf(str, "none");
}

static void add_variant(struct ot_str *str, const bt_field *field, int nesting)
{
    add_field(str, bt_field_variant_borrow_selected_option_field_const(field), nesting);
}

/* The first row that the type is of decides: enumerations are integers, too. */
static const struct {
    bt_field_class_type type;
    add_value add;
} values[] = {
    {BT_FIELD_CLASS_TYPE_STRING, add_string},
    {BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION, add_unsigned_enumeration},
    {BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION, add_signed_enumeration},
    {BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER, add_unsigned},
    {BT_FIELD_CLASS_TYPE_SIGNED_INTEGER, add_signed},
    {BT_FIELD_CLASS_TYPE_BOOL, add_bool},
    {BT_FIELD_CLASS_TYPE_BIT_ARRAY, add_bits},
    {BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL, add_single},
    {BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL, add_double},
    {BT_FIELD_CLASS_TYPE_STRUCTURE, add_braced_structure},
    {BT_FIELD_CLASS_TYPE_ARRAY, add_array},
    {BT_FIELD_CLASS_TYPE_OPTION, add_option},
    {BT_FIELD_CLASS_TYPE_VARIANT, add_variant},
};

static void add_field(struct ot_str *str, const bt_field *field, int nesting)
{
    if (nesting >= MAX_NESTING) {
        ot_str_addf(str, "...");
        return;
    }
    bt_field_class_type type = bt_field_get_class_type(field);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (bt_field_class_type_is(type, values[i].type)) {
            values[i].add(str, field, nesting + 1);
            return;
        }
    }
    ot_str_addf(str, "?");
}

void ot_ctf_add_members(struct ot_str *str, const bt_field *structure)
{
    if (structure)
        add_structure(str, structure, 0);
}
