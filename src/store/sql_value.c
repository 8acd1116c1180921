#include "store/sql_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { S_PER_MIN = 60, MIN_PER_H = 60, US_PER_S = 1000000, NS_PER_S = 1000000000 };
#define S_PER_DAY INT64_C(86400)

/* --- numbers ------------------------------------------------------------------------------------
 */

static void add_digits(struct ot_str *str, bool is_negative, unsigned __int128 value,
                       unsigned scale)
{
    char digits[48]; /* 39, a point and a sign */
    char *end = digits + sizeof(digits);
    char *at = end;
    unsigned n = 0;
    for (; value > UINT64_MAX || (scale && n <= scale); n++) {
        if (scale && n == scale)
            *--at = '.';
        *--at = (char)('0' + (int)(value % 10));
        value /= 10;
    }
    /* Nearly always all of it; dividing 128 bits is slow. */
    for (uint64_t rest = (uint64_t)value; rest || n == 0; n++) {
        *--at = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    if (is_negative)
        *--at = '-';
    ot_str_add(str, at, (size_t)(end - at));
}

/* The fewest digits that mean the same number. */
static void add_real(struct ot_str *str, double value, bool is_single)
{
    char text[64] = "";
    if (isnan(value)) {
        ot_str_addf(str, "nan");
        return;
    }
    if (isinf(value)) {
        ot_str_addf(str, value < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = is_single ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (is_single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    ot_str_addf(str, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static const void *cell(duckdb_vector vector, size_t row, size_t size_bytes)
{
    return (const char *)duckdb_vector_get_data(vector) + row * size_bytes;
}

/* A row per type that is an integer in memory. */
static const struct {
    duckdb_type id;
    unsigned size_bytes;
    bool is_signed;
} integers[] = {
    {DUCKDB_TYPE_TINYINT, 1, true},    {DUCKDB_TYPE_SMALLINT, 2, true},
    {DUCKDB_TYPE_INTEGER, 4, true},    {DUCKDB_TYPE_BIGINT, 8, true},
    {DUCKDB_TYPE_HUGEINT, 16, true},   {DUCKDB_TYPE_UTINYINT, 1, false},
    {DUCKDB_TYPE_USMALLINT, 2, false}, {DUCKDB_TYPE_UINTEGER, 4, false},
    {DUCKDB_TYPE_UBIGINT, 8, false},   {DUCKDB_TYPE_UHUGEINT, 16, false},
};

struct integer {
    unsigned __int128 raw;
    bool is_signed;
};

/* False if values of this type are no integers. Little endian, as all of DuckDB's platforms are. */
static bool read_integer(duckdb_type id, duckdb_vector vector, size_t row, struct integer *ret)
{
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        unsigned __int128 raw = 0;
        unsigned spare_bits = 128 - 8 * integers[i].size_bytes;
        if (integers[i].id != id)
            continue;
        memcpy(&raw, cell(vector, row, integers[i].size_bytes), integers[i].size_bytes);
        if (integers[i].is_signed)
            raw = (unsigned __int128)((__int128)(raw << spare_bits) >> spare_bits);
        *ret = (struct integer){raw, integers[i].is_signed};
        return true;
    }
    return false;
}

/* With a point before the last `scale` digits. */
static bool add_integer(struct ot_str *str, duckdb_type id, duckdb_vector vector, size_t row,
                        unsigned scale)
{
    struct integer integer;
    if (!read_integer(id, vector, row, &integer))
        return false;
    bool is_negative = integer.is_signed && (__int128)integer.raw < 0;
    add_digits(str, is_negative, is_negative ? -integer.raw : integer.raw, scale);
    return true;
}

/* --- times --------------------------------------------------------------------------------------
 */

/* `fraction` of a second in units of 10^-digits; groups of three zeros at the end go. */
static void add_fraction(struct ot_str *str, int64_t fraction, int digits)
{
    while (fraction && fraction % 1000 == 0) {
        fraction /= 1000;
        digits -= 3;
    }
    if (fraction)
        ot_str_addf(str, ".%0*" PRId64, digits, fraction);
}

static void add_clock(struct ot_str *str, int64_t seconds, int64_t fraction, int digits)
{
    int64_t minutes = seconds / S_PER_MIN;
    ot_str_addf(str, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, minutes / MIN_PER_H,
                minutes % MIN_PER_H, seconds % S_PER_MIN);
    add_fraction(str, fraction, digits);
}

static void add_date(struct ot_str *str, int64_t days)
{
    duckdb_date_struct date = duckdb_from_date((duckdb_date){(int32_t)days});
    ot_str_addf(str, "%04" PRId32 "-%02d-%02d", date.year, date.month, date.day);
}

static void add_timestamp(struct ot_str *str, int64_t value, int64_t per_s, int digits)
{
    if (value == INT64_MAX || value == -INT64_MAX) {
        ot_str_addf(str, value < 0 ? "-infinity" : "infinity");
        return;
    }
    int64_t seconds = value / per_s - (value % per_s < 0);
    int64_t days = seconds / S_PER_DAY - (seconds % S_PER_DAY < 0);
    add_date(str, days);
    ot_str_addf(str, "T");
    add_clock(str, seconds - days * S_PER_DAY, value - seconds * per_s, digits);
}

/* ISO 8601: P1Y2M3DT4.5S */
static void add_interval(struct ot_str *str, const duckdb_interval *interval)
{
    int64_t seconds = interval->micros / US_PER_S;
    int64_t micros = interval->micros % US_PER_S;
    ot_str_addf(str, "P");
    if (interval->months)
        ot_str_addf(str, "%" PRId32 "M", interval->months);
    if (interval->days)
        ot_str_addf(str, "%" PRId32 "D", interval->days);
    if (!interval->micros && (interval->months || interval->days))
        return;
    ot_str_addf(str, "T%s%" PRId64, interval->micros < 0 ? "-" : "",
                seconds < 0 ? -seconds : seconds);
    add_fraction(str, micros < 0 ? -micros : micros, 6);
    ot_str_addf(str, "S");
}

/* The unit of each type of timestamps. */
static const struct {
    int64_t per_s;
    const char *zone;
    duckdb_type id;
    int digits;
} timestamps[] = {
    {US_PER_S, "", DUCKDB_TYPE_TIMESTAMP, 6},    {US_PER_S, "Z", DUCKDB_TYPE_TIMESTAMP_TZ, 6},
    {1, "", DUCKDB_TYPE_TIMESTAMP_S, 0},         {1000, "", DUCKDB_TYPE_TIMESTAMP_MS, 3},
    {NS_PER_S, "", DUCKDB_TYPE_TIMESTAMP_NS, 9},
};

static bool add_any_timestamp(struct ot_str *str, duckdb_type id, duckdb_vector vector, size_t row)
{
    for (size_t i = 0; i < sizeof(timestamps) / sizeof(timestamps[0]); i++) {
        if (timestamps[i].id != id)
            continue;
        int64_t value = *(const int64_t *)cell(vector, row, sizeof(value));
        add_timestamp(str, value, timestamps[i].per_s, timestamps[i].digits);
        ot_str_addf(str, "%s", timestamps[i].zone);
        return true;
    }
    return false;
}

/* --- the others ---------------------------------------------------------------------------------
 */

static void add_blob(struct ot_str *str, struct ot_text bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        char c = bytes.bytes[i];
        if (c >= ' ' && c <= '~' && c != '\\')
            ot_str_add(str, &c, 1);
        else
            ot_str_addf(str, "\\x%02X", (unsigned char)c);
    }
}

/* Its first bit is turned over, so that it sorts. */
static void add_uuid(struct ot_str *str, duckdb_vector vector, size_t row)
{
    unsigned __int128 value;
    memcpy(&value, cell(vector, row, sizeof(value)), sizeof(value));
    value ^= (unsigned __int128)1 << 127;
    for (int digit = 0; digit < 32; digit++) {
        bool has_dash = digit == 8 || digit == 12 || digit == 16 || digit == 20;
        ot_str_addf(str, "%s%x", has_dash ? "-" : "", (unsigned)(value >> (4 * (31 - digit))) & 15);
    }
}

static struct ot_text bytes_of(duckdb_vector vector, size_t row)
{
    duckdb_string_t *string = (duckdb_string_t *)cell(vector, row, sizeof(*string));
    return (struct ot_text){duckdb_string_t_data(string), duckdb_string_t_length(*string)};
}

static void add_word(struct ot_str *str, const struct ot_sql_type *type, duckdb_vector vector,
                     size_t row)
{
    struct integer i;
    if (read_integer(type->stored_as, vector, row, &i) && i.raw < type->n_words)
        ot_str_addf(str, "%s", type->words[i.raw]);
}

static void add_nested(struct ot_str *str, const struct ot_sql_type *type, duckdb_vector vector,
                       size_t row)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out) {
        str->failed = true;
        return;
    }
    ot_sql_value_write(&(struct ot_json){.out = out}, type, vector, row);
    str->failed |= fclose(out) != 0;
    if (text)
        ot_str_add(str, text, len);
    free(text);
}

bool ot_sql_value_is_null(duckdb_vector vector, size_t row)
{
    uint64_t *validity = duckdb_vector_get_validity(vector);
    return validity && !duckdb_validity_row_is_valid(validity, row);
}

void ot_sql_value_add(struct ot_str *str, const struct ot_sql_type *type, duckdb_vector vector,
                      size_t row)
{
    if (add_integer(str, type->id, vector, row, 0) || add_any_timestamp(str, type->id, vector, row))
        return;
    switch (type->id) {
    case DUCKDB_TYPE_BOOLEAN:
        ot_str_addf(str, *(const bool *)cell(vector, row, 1) ? "true" : "false");
        break;
    case DUCKDB_TYPE_FLOAT:
        add_real(str, (double)*(const float *)cell(vector, row, sizeof(float)), true);
        break;
    case DUCKDB_TYPE_DOUBLE:
        add_real(str, *(const double *)cell(vector, row, sizeof(double)), false);
        break;
    case DUCKDB_TYPE_DECIMAL:
        add_integer(str, type->stored_as, vector, row, type->scale);
        break;
    case DUCKDB_TYPE_VARCHAR:
        ot_str_add_text(str, bytes_of(vector, row));
        break;
    case DUCKDB_TYPE_BLOB:
        add_blob(str, bytes_of(vector, row));
        break;
    case DUCKDB_TYPE_UUID:
        add_uuid(str, vector, row);
        break;
    case DUCKDB_TYPE_ENUM:
        add_word(str, type, vector, row);
        break;
    case DUCKDB_TYPE_DATE:
        add_date(str, *(const int32_t *)cell(vector, row, sizeof(int32_t)));
        break;
    case DUCKDB_TYPE_TIME: {
        int64_t micros = *(const int64_t *)cell(vector, row, sizeof(int64_t));
        add_clock(str, micros / US_PER_S, micros % US_PER_S, 6);
        break;
    }
    case DUCKDB_TYPE_INTERVAL:
        add_interval(str, cell(vector, row, sizeof(duckdb_interval)));
        break;
    default:
        add_nested(str, type, vector, row);
    }
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static void write_list(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector child,
                       size_t from, size_t n)
{
    ot_json_begin_array(json);
    for (size_t i = 0; i < n; i++)
        ot_sql_value_write(json, &type->members[0], child, from + i);
    ot_json_end_array(json);
}

static void write_struct(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector vector,
                         size_t row)
{
    ot_json_begin_object(json);
    for (size_t i = 0; i < type->n_members; i++) {
        ot_json_key(json, ot_text_of(type->names[i]));
        ot_sql_value_write(json, &type->members[i], duckdb_struct_vector_get_child(vector, i), row);
    }
    ot_json_end_object(json);
}

/* Keys of any type become texts. */
static void write_map(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector vector,
                      size_t row)
{
    const duckdb_list_entry *entry = cell(vector, row, sizeof(*entry));
    duckdb_vector pair = duckdb_list_vector_get_child(vector);
    duckdb_vector keys = duckdb_struct_vector_get_child(pair, 0);
    duckdb_vector values = duckdb_struct_vector_get_child(pair, 1);
    struct ot_str key = {0};
    ot_json_begin_object(json);
    for (size_t i = 0; i < entry->length; i++) {
        ot_str_clear(&key);
        ot_sql_value_add(&key, &type->members[0], keys, entry->offset + i);
        ot_json_key(json, (struct ot_text){ot_str_borrow(&key), key.len});
        ot_sql_value_write(json, &type->members[1], values, entry->offset + i);
    }
    ot_json_end_object(json);
    ot_str_release(&key);
}

/* Its first child says which of the others it is. */
static void write_union(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector vector,
                        size_t row)
{
    size_t tag = *(const uint8_t *)cell(duckdb_struct_vector_get_child(vector, 0), row, 1);
    if (tag < type->n_members)
        ot_sql_value_write(json, &type->members[tag],
                           duckdb_struct_vector_get_child(vector, tag + 1), row);
    else
        ot_json_null(json);
}

static bool write_nested(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector vector,
                         size_t row)
{
    const duckdb_list_entry *entry;
    switch (type->id) {
    case DUCKDB_TYPE_LIST:
        entry = cell(vector, row, sizeof(*entry));
        write_list(json, type, duckdb_list_vector_get_child(vector), entry->offset, entry->length);
        return true;
    case DUCKDB_TYPE_ARRAY:
        write_list(json, type, duckdb_array_vector_get_child(vector), row * type->array_size,
                   type->array_size);
        return true;
    case DUCKDB_TYPE_STRUCT:
        write_struct(json, type, vector, row);
        return true;
    case DUCKDB_TYPE_MAP:
        write_map(json, type, vector, row);
        return true;
    case DUCKDB_TYPE_UNION:
        write_union(json, type, vector, row);
        return true;
    default:
        return false;
    }
}

static bool is_bare(const struct ot_sql_type *type)
{
    return ot_sql_type_is_number(type) || type->id == DUCKDB_TYPE_BOOLEAN;
}

void ot_sql_value_write(struct ot_json *json, const struct ot_sql_type *type, duckdb_vector vector,
                        size_t row)
{
    struct ot_str text = {0};
    if (type->id == DUCKDB_TYPE_SQLNULL || ot_sql_value_is_null(vector, row)) {
        ot_json_null(json);
        return;
    }
    if (type->id == DUCKDB_TYPE_VARCHAR) {
        ot_json_text(json, bytes_of(vector, row));
        return;
    }
    if (write_nested(json, type, vector, row))
        return;
    ot_sql_value_add(&text, type, vector, row);
    const char *bytes = ot_str_borrow(&text);
    if (!is_bare(type))
        ot_json_text(json, (struct ot_text){bytes, text.len});
    else if (strpbrk(bytes, "ni")) /* nan, inf: JSON has none */
        ot_json_null(json);
    else
        ot_json_number(json, bytes);
    ot_str_release(&text);
}
