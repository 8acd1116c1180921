#include "tracer/inputs.h"

#include <dlfcn.h>
#include <string.h>

#include "test.h"
#include "tracer/fields.h"

/* Objects that lie as `layout` says: the order is PyTorch's, the distances are ours. */
struct tensor {
    uint64_t *extra_meta;
    uint64_t dims;
    union {
        int64_t sizes[5];
        const int64_t *far;
    };
    uint64_t keys;
    uint16_t dtype;
};

struct value {
    const void *payload;
    uint64_t tag;
};

struct type {
    void *vtable;
    uint32_t kind;
};

struct list {
    uint64_t header[2];
    const struct value *begin;
    const struct value *end;
    const struct value *capacity;
    const struct type *type;
};

struct record_function {
    uint64_t other;
    const struct value *inputs;
    size_t n;
    int64_t sequence;
    uint64_t forward_thread;
};

enum { NESTED = 8, KIND_TENSOR = 3, KIND_INT = 14 };
enum { TAG_NONE = 0, TAG_TENSOR = 1, TAG_DOUBLE = 3, TAG_INT = 5, TAG_UINT = 6, TAG_BOOL = 10 };
enum { TAG_TUPLE = 11, TAG_STRING = 12, TAG_BLOB = 13, TAG_LIST = 14, TAG_DEVICE = 18 };
enum { DTYPE_LONG = 4, DTYPE_FLOAT = 6 };

static const struct tensor undefined;
static const struct type tensor_type = {.kind = KIND_TENSOR};
static const struct type int_type = {.kind = KIND_INT};

static const struct ot_torch torch = {
    .sequence_offset = offsetof(struct record_function, sequence),
    .forward_thread_offset = offsetof(struct record_function, forward_thread),
    .inputs_offset = offsetof(struct record_function, inputs),
    .inputs =
        {
            .is_known = true,
            .has_uint_tag = true,
            .tensor_tag = TAG_TENSOR,
            .integer_tag = TAG_INT,
            .list_tag = TAG_LIST,
            .tensor_kind = KIND_TENSOR,
            .list_elements = offsetof(struct list, begin),
            .extra_meta = offsetof(struct tensor, extra_meta),
            .sizes = offsetof(struct tensor, dims),
            .dtype = offsetof(struct tensor, dtype),
            .keys = offsetof(struct tensor, keys),
            .nested_key = NESTED,
            .undefined_tensor = &undefined,
        },
};

static const struct tensor matrix = {.dims = 2, .sizes = {3, 4}, .dtype = DTYPE_FLOAT};
static const struct tensor vector = {.dims = 1, .sizes = {5}, .dtype = DTYPE_LONG};
static const struct tensor scalar = {.dims = 0, .dtype = DTYPE_FLOAT};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define LIST(values, n, of)                                                                        \
    {                                                                                              \
        .begin = (values), .end = (values) + (n), .capacity = (values) + (n), .type = (of)         \
    }

static void assert_text(const struct value *inputs, size_t n, const char *shapes, const char *types)
{
    struct record_function rf = {.inputs = inputs, .n = n};
    uint64_t sig[256];
    char first[1024];
    char second[1024];
    size_t first_len;
    size_t second_len;
    size_t n_words = ot_inputs_signature(&torch, &rf, sig, LENGTH(sig));
    assert_in_range(n_words, 1, LENGTH(sig));
    assert_true(ot_inputs_text(sig, n_words, first, sizeof(first) - 1, &first_len, second,
                               sizeof(second) - 1, &second_len));
    first[first_len] = second[second_len] = '\0';
    assert_string_equal(first, shapes);
    assert_string_equal(second, types);
}

static void tensors_have_their_shape_and_the_name_of_their_type(void **state)
{
    (void)state;
    const struct value inputs[] = {
        {&matrix, TAG_TENSOR}, {&vector, TAG_TENSOR}, {&scalar, TAG_TENSOR}};
    assert_text(inputs, 3, "[[3, 4], [5], []]", "[\"float\", \"long int\", \"float\"]");
    assert_text(inputs, 1, "[[3, 4]]", "[\"float\"]");
}

static void more_than_five_dimensions_lie_elsewhere(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 4, 5, 6};
    const struct tensor five = {.dims = 5, .sizes = {1, 2, 3, 4, 5}, .dtype = DTYPE_FLOAT};
    const struct tensor six = {.dims = 6, .far = sizes, .dtype = DTYPE_FLOAT};
    const struct value inputs[] = {{&five, TAG_TENSOR}, {&six, TAG_TENSOR}};
    assert_text(inputs, 2, "[[1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]", "[\"float\", \"float\"]");
}

static void what_has_no_shape_has_no_type_either(void **state)
{
    (void)state;
    uint64_t symbolic[2] = {4096, 0};
    uint64_t not_symbolic[2] = {0, 4096};
    const struct tensor nested = {.dims = 2, .sizes = {3, 4}, .keys = NESTED | 1};
    struct tensor moving = matrix;
    struct tensor named = matrix;
    moving.extra_meta = symbolic;
    named.extra_meta = not_symbolic;
    const struct value inputs[] = {
        {NULL, TAG_NONE},   {&undefined, TAG_TENSOR}, {&nested, TAG_TENSOR}, {&moving, TAG_TENSOR},
        {NULL, TAG_DEVICE}, {NULL, TAG_UINT},         {"text", TAG_STRING},  {NULL, TAG_TUPLE},
        {NULL, TAG_BLOB},   {&named, TAG_TENSOR},
    };
    assert_text(inputs, LENGTH(inputs), "[[], [], [], [], [], [], [], [], [], [3, 4]]",
                "[\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"float\"]");
}

static void scalars_and_lists_of_them_have_a_type_alone(void **state)
{
    (void)state;
    struct value numbers[31];
    for (size_t i = 0; i < LENGTH(numbers); i++)
        numbers[i] = (struct value){NULL, TAG_INT};
    const struct value texts[] = {{"a", TAG_STRING}};
    const struct list thirty = LIST(numbers, 30, &int_type);
    const struct list longer = LIST(numbers, 31, &int_type);
    const struct list empty = LIST(numbers, 0, &int_type);
    const struct list of_text = LIST(texts, 1, &int_type);
    const struct value inputs[] = {
        {NULL, TAG_INT},     {NULL, TAG_DOUBLE}, {NULL, TAG_BOOL},     {&thirty, TAG_LIST},
        {&longer, TAG_LIST}, {&empty, TAG_LIST}, {&of_text, TAG_LIST},
    };
    assert_text(inputs, LENGTH(inputs), "[[], [], [], [], [], [], []]",
                "[\"Scalar\", \"Scalar\", \"Scalar\", \"ScalarList\", \"\", \"ScalarList\", \"\"]");
}

static void lists_of_tensors_nest_unless_one_has_no_shape_or_they_are_many(void **state)
{
    (void)state;
    struct value tensors[31];
    for (size_t i = 0; i < LENGTH(tensors); i++)
        tensors[i] = (struct value){i == 0 ? &matrix : &scalar, TAG_TENSOR};
    const struct value with_hole[] = {{&matrix, TAG_TENSOR}, {&undefined, TAG_TENSOR}};
    const struct list two = LIST(tensors, 2, &tensor_type);
    const struct list many = LIST(tensors, 31, &tensor_type);
    const struct list none = LIST(tensors, 0, &tensor_type);
    const struct list holed = LIST(with_hole, 2, &tensor_type);
    const struct value inputs[] = {
        {&two, TAG_LIST}, {&many, TAG_LIST}, {&none, TAG_LIST}, {&holed, TAG_LIST}, {&vector, 1}};
    assert_text(inputs, LENGTH(inputs), "[[[3, 4], []], [], [], [], [5]]",
                "[\"TensorList\", \"TensorList\", \"TensorList\", \"\", \"long int\"]");
}

static void a_signature_that_does_not_fit_says_how_long_it_is(void **state)
{
    (void)state;
    const struct value inputs[] = {{&matrix, TAG_TENSOR}, {&vector, TAG_TENSOR}};
    struct record_function rf = {.inputs = inputs, .n = 2};
    uint64_t sig[6] = {0, 0, 0, 0, 0, 77};
    assert_int_equal(ot_inputs_signature(&torch, &rf, sig, 5), 5);
    assert_int_equal(sig[5], 77);
    assert_int_equal(ot_inputs_signature(&torch, &rf, sig, 4), 5);
    assert_int_equal(ot_inputs_signature(&torch, &rf, NULL, 0), 5);
}

static void without_inputs_or_without_knowing_where_there_is_no_signature(void **state)
{
    (void)state;
    struct ot_torch unknown = torch;
    const struct value inputs[] = {{&matrix, TAG_TENSOR}};
    struct record_function none = {.n = 0};
    struct record_function one = {.inputs = inputs, .n = 1};
    uint64_t sig[8];
    unknown.inputs.is_known = false;
    assert_int_equal(ot_inputs_signature(&torch, &none, sig, LENGTH(sig)), 0);
    assert_int_equal(ot_inputs_signature(&unknown, &one, sig, LENGTH(sig)), 0);
}

static void texts_are_cut_where_they_do_not_fit(void **state)
{
    (void)state;
    const struct value inputs[] = {{&matrix, TAG_TENSOR}, {&vector, TAG_TENSOR}};
    struct record_function rf = {.inputs = inputs, .n = 2};
    uint64_t sig[8];
    char first[16];
    char second[16];
    size_t first_len;
    size_t second_len;
    size_t n = ot_inputs_signature(&torch, &rf, sig, LENGTH(sig));
    memset(first, '#', sizeof(first));
    assert_false(ot_inputs_text(sig, n, first, 6, &first_len, second, 16, &second_len));
    assert_int_equal(first_len, 6);
    assert_memory_equal(first, "[[3, 4###", 9);
    assert_int_equal(second_len, 16);
    assert_memory_equal(second, "[\"float\", \"long ", 16);
}

static void a_libtorch_without_the_functions_is_told_by_its_version(void **state)
{
    (void)state;
    struct ot_torch old = {.handle = dlopen(NULL, RTLD_LAZY), .version = "1.13.1"};
    struct ot_err err;
    assert_int_equal(ot_inputs_find(&old, &err), OT_ERR_MISSING);
    assert_string_equal(err.msg, "input shapes are not available with PyTorch 1.13.1");
    assert_false(old.inputs.is_known);
}

static void fields_are_read_where_they_lie_or_are_none(void **state)
{
    (void)state;
    const struct ot_torch unknown = {.sequence_offset = -1, .forward_thread_offset = -1};
    struct record_function rf = {.sequence = 41, .forward_thread = 7};
    assert_int_equal(ot_fields_sequence(&torch, &rf), 41);
    assert_int_equal(ot_fields_forward_thread(&torch, &rf), 7);
    assert_int_equal(ot_fields_sequence(&unknown, &rf), -1);
    assert_int_equal(ot_fields_forward_thread(&unknown, &rf), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_have_their_shape_and_the_name_of_their_type),
        cmocka_unit_test(more_than_five_dimensions_lie_elsewhere),
        cmocka_unit_test(what_has_no_shape_has_no_type_either),
        cmocka_unit_test(scalars_and_lists_of_them_have_a_type_alone),
        cmocka_unit_test(lists_of_tensors_nest_unless_one_has_no_shape_or_they_are_many),
        cmocka_unit_test(a_signature_that_does_not_fit_says_how_long_it_is),
        cmocka_unit_test(without_inputs_or_without_knowing_where_there_is_no_signature),
        cmocka_unit_test(texts_are_cut_where_they_do_not_fit),
        cmocka_unit_test(a_libtorch_without_the_functions_is_told_by_its_version),
        cmocka_unit_test(fields_are_read_where_they_lie_or_are_none),
    };
    return RUN(tests);
}
