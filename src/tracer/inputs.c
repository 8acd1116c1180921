#include "tracer/inputs.h"

#include <string.h>

#include "tracer/inputs_words.h"

/* c10::IValue */
struct ivalue {
    uintptr_t payload;
    uint32_t tag;
    uint32_t padding;
};
_Static_assert(sizeof(struct ivalue) == 16, "as in ATen/core/ivalue.h, on 64 bits");

/* Tags from this one to the last before tuples, strings, blobs and lists are those of scalars. The
 * numbers in between differ between versions. */
enum { TAG_DOUBLE = 3, NO_SCALARS_BEFORE_LIST = 3 };

/* torch.profiler leaves out longer lists of numbers. */
enum { NUMBERS_MAX = 30 };

/* A signature in the making. `n` counts on where there is no room, so that the caller learns it. */
struct row {
    const struct ot_inputs_layout *layout;
    uint64_t *words;
    size_t cap;
    size_t n;
};

static void push(struct row *row, uint64_t word)
{
    if (row->n < row->cap)
        row->words[row->n] = word;
    row->n++;
}

static inline uintptr_t word_at(const void *object, size_t at)
{
    uintptr_t word;
    memcpy(&word, (const char *)object + at, sizeof(word));
    return word;
}

static bool is_scalar(const struct ot_inputs_layout *layout, uint32_t tag)
{
    return tag >= TAG_DOUBLE && tag < layout->list_tag - NO_SCALARS_BEFORE_LIST &&
           !(layout->has_uint_tag && tag == layout->integer_tag + 1);
}

/* Whether the profiler tells its shape. */
static bool has_shape(const struct ot_inputs_layout *layout, const void *tensor)
{
    if (tensor == layout->undefined_tensor ||
        (word_at(tensor, layout->keys) & layout->nested_key) != 0)
        return false;
    const void *extra = (const void *)word_at(tensor, layout->extra_meta);
    return !extra || word_at(extra, 0) == 0;
}

static void push_tensor(struct row *row, const void *tensor)
{
    const struct ot_inputs_layout *layout = row->layout;
    uint16_t dtype;
    memcpy(&dtype, (const char *)tensor + layout->dtype, sizeof(dtype));
    size_t dims = word_at(tensor, layout->sizes);
    size_t first = layout->sizes + sizeof(uintptr_t);
    const char *sizes = (const char *)tensor + first;
    if (dims > OT_INPUTS_INLINE_DIMS)
        sizes = (const char *)word_at(tensor, first);
    push(row, OT_INPUTS_WORD(OT_INPUTS_TENSOR, dtype, dims));
    for (size_t i = 0; i < dims; i++)
        push(row, word_at(sizes, i * sizeof(uint64_t)));
}

static void push_tensors(struct row *row, const struct ivalue *first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!has_shape(row->layout, (const void *)first[i].payload)) {
            push(row, OT_INPUTS_WORD(OT_INPUTS_OTHER, 0, 0));
            return;
        }
    }
    push(row, OT_INPUTS_WORD(OT_INPUTS_TENSORS, 0, n));
    for (size_t i = 0; i < n; i++)
        push_tensor(row, (const void *)first[i].payload);
}

static void push_list(struct row *row, const void *list)
{
    const struct ot_inputs_layout *layout = row->layout;
    uintptr_t fields[4]; /* begin, end, capacity, type */
    memcpy(fields, (const char *)list + layout->list_elements, sizeof(fields));
    const struct ivalue *first = (const struct ivalue *)fields[0];
    size_t n = (fields[1] - fields[0]) / sizeof(*first);
    uint32_t kind;
    memcpy(&kind, (const char *)fields[3] + OT_INPUTS_TYPE_KIND, sizeof(kind));
    if (kind == layout->tensor_kind) {
        push_tensors(row, first, n);
        return;
    }
    bool are_numbers = n == 0 || (n <= NUMBERS_MAX && is_scalar(layout, first[0].tag));
    push(row, OT_INPUTS_WORD(are_numbers ? OT_INPUTS_NUMBERS : OT_INPUTS_OTHER, 0, 0));
}

size_t ot_inputs_signature(const struct ot_torch *torch, const void *rf, uint64_t *buf,
                           size_t cap_words)
{
    if (!torch->inputs.is_known)
        return 0;
    struct row row = {.layout = &torch->inputs, .cap = cap_words};
    row.words = buf;
    const struct ivalue *inputs = (const struct ivalue *)word_at(rf, (size_t)torch->inputs_offset);
    size_t n = word_at(rf, (size_t)torch->inputs_offset + sizeof(inputs));
    for (size_t i = 0; i < n; i++) {
        const void *object = (const void *)inputs[i].payload;
        if (inputs[i].tag == row.layout->tensor_tag && has_shape(row.layout, object))
            push_tensor(&row, object);
        else if (inputs[i].tag == row.layout->list_tag)
            push_list(&row, object);
        else if (is_scalar(row.layout, inputs[i].tag))
            push(&row, OT_INPUTS_WORD(OT_INPUTS_SCALAR, 0, 0));
        else
            push(&row, OT_INPUTS_WORD(OT_INPUTS_OTHER, 0, 0));
    }
    return row.n;
}
