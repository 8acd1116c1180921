/* json.h: JSON as a stream.
 *
 * Values are written as they come, compactly; the writer only keeps track of commas. Keys and
 * values have to alternate inside an object: that is the caller's duty and not checked. Strings
 * are untrusted bytes: what is no UTF-8 becomes U+FFFD, so that the output is always valid JSON.
 * Write errors stay in the FILE, where the caller finds them at the end. One thread.
 */
#ifndef OT_EMIT_JSON_JSON_H
#define OT_EMIT_JSON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct ot_json {
    FILE *out;
    bool needs_comma;
};

void ot_json_begin_object(struct ot_json *json);
void ot_json_end_object(struct ot_json *json);
void ot_json_begin_array(struct ot_json *json);
void ot_json_end_array(struct ot_json *json);
void ot_json_key(struct ot_json *json, struct ot_text key);
void ot_json_text(struct ot_json *json, struct ot_text text);
void ot_json_unsigned(struct ot_json *json, uint64_t value);
void ot_json_signed(struct ot_json *json, int64_t value);
/* Digits that the caller has made, JSON's own syntax. */
void ot_json_number(struct ot_json *json, const char *digits);
void ot_json_bool(struct ot_json *json, bool value);
void ot_json_null(struct ot_json *json);

/* A key of ours and its value, in one call. */
void ot_json_put_text(struct ot_json *json, const char *key, struct ot_text text);
void ot_json_put_unsigned(struct ot_json *json, const char *key, uint64_t value);
void ot_json_put_signed(struct ot_json *json, const char *key, int64_t value);
void ot_json_put_bool(struct ot_json *json, const char *key, bool value);

/* null unless `is_there`. */
void ot_json_put_signed_if(struct ot_json *json, const char *key, bool is_there, int64_t value);

/* sum / count: whole numbers as such, others with three decimals; null if `count` is 0. */
void ot_json_put_mean(struct ot_json *json, const char *key, uint64_t sum, uint64_t count);

#endif
