#include "tracer/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracer/inputs_words.h"

/* caffe2::TypeMeta::name() of c10::ScalarType, as gcc spells the types. */
static const char *const dtype_names[] = {
    "unsigned char",
    "signed char",
    "short int",
    "int",
    "long int",
    "c10::Half",
    "float",
    "double",
    "c10::complex<c10::Half>",
    "c10::complex<float>",
    "c10::complex<double>",
    "bool",
    "c10::qint8",
    "c10::quint8",
    "c10::qint32",
    "c10::BFloat16",
    "c10::quint4x2",
    "c10::quint2x4",
    "c10::bits1x8",
    "c10::bits2x4",
    "c10::bits4x2",
    "c10::bits8",
    "c10::bits16",
    "c10::Float8_e5m2",
    "c10::Float8_e4m3fn",
    "c10::Float8_e5m2fnuz",
    "c10::Float8_e4m3fnuz",
    "short unsigned int",
    "unsigned int",
    "long unsigned int",
    "c10::dummy_uint1_7_t<1>",
    "c10::dummy_uint1_7_t<2>",
    "c10::dummy_uint1_7_t<3>",
    "c10::dummy_uint1_7_t<4>",
    "c10::dummy_uint1_7_t<5>",
    "c10::dummy_uint1_7_t<6>",
    "c10::dummy_uint1_7_t<7>",
    "c10::dummy_int1_7_t<1>",
    "c10::dummy_int1_7_t<2>",
    "c10::dummy_int1_7_t<3>",
    "c10::dummy_int1_7_t<4>",
    "c10::dummy_int1_7_t<5>",
    "c10::dummy_int1_7_t<6>",
    "c10::dummy_int1_7_t<7>",
    "c10::Float8_e8m0fnu",
    "c10::Float4_e2m1fn_x2",
};

static const char *dtype_name(unsigned dtype)
{
    return dtype < sizeof(dtype_names) / sizeof(dtype_names[0]) ? dtype_names[dtype] : "";
}

/* torch.profiler shows longer lists of tensors as if they were empty. */
enum { TENSORS_MAX = 30 };

struct text {
    char *at;
    size_t room;
    bool is_cut;
};

static void add(struct text *text, const char *what)
{
    size_t len = strlen(what);
    if (len > text->room) {
        len = text->room;
        text->is_cut = true;
    }
    if (len == 0)
        return;
    memcpy(text->at, what, len);
    text->at += len;
    text->room -= len;
}

/* Returns the word behind them. */
static size_t add_sizes(struct text *text, const uint64_t *sig, size_t n, size_t at)
{
    uint32_t dims = ot_inputs_count(sig[at++]);
    add(text, "[");
    for (uint32_t i = 0; i < dims && at < n; i++, at++) {
        char number[24];
        snprintf(number, sizeof(number), "%s%" PRId64, i > 0 ? ", " : "", (int64_t)sig[at]);
        add(text, number);
    }
    add(text, "]");
    return at;
}

static size_t add_tensors(struct text *text, const uint64_t *sig, size_t n, size_t at)
{
    struct text none = {0};
    uint32_t count = ot_inputs_count(sig[at++]);
    struct text *to = count > TENSORS_MAX ? &none : text;
    add(text, "[");
    for (uint32_t i = 0; i < count && at < n; i++) {
        if (i > 0 && to == text)
            add(to, ", ");
        at = add_sizes(to, sig, n, at);
    }
    add(text, "]");
    return at;
}

bool ot_inputs_text(const uint64_t *sig, size_t n, char *first, size_t first_cap,
                    size_t *ret_first_len, char *second, size_t second_cap, size_t *ret_second_len)
{
    static const char *const type_names[] = {
        [OT_INPUTS_SCALAR] = "Scalar",
        [OT_INPUTS_NUMBERS] = "ScalarList",
        [OT_INPUTS_TENSORS] = "TensorList",
    };
    struct text shapes = {.room = first_cap};
    struct text types = {.room = second_cap};
    shapes.at = first;
    types.at = second;
    for (size_t at = 0; at < n;) {
        unsigned kind = ot_inputs_kind(sig[at]);
        const char *type = kind == OT_INPUTS_TENSOR ? dtype_name(ot_inputs_dtype(sig[at]))
                           : kind <= OT_INPUTS_TENSORS && type_names[kind] ? type_names[kind]
                                                                           : "";
        add(&shapes, at > 0 ? ", " : "[");
        add(&types, at > 0 ? ", \"" : "[\"");
        add(&types, type);
        add(&types, "\"");
        at = kind == OT_INPUTS_TENSORS ? add_tensors(&shapes, sig, n, at)
                                       : add_sizes(&shapes, sig, n, at);
    }
    add(&shapes, n > 0 ? "]" : "[]");
    add(&types, n > 0 ? "]" : "[]");
    *ret_first_len = first_cap - shapes.room;
    *ret_second_len = second_cap - types.room;
    return !shapes.is_cut && !types.is_cut;
}
