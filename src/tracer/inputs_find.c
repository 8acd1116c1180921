/* inputs_find.c: where inputs lie, found out with a tensor of known shape.
 *
 * It is cloned, through the C functions that PyTorch exports for AOTInductor, and a callback sees
 * the inputs of the two operators that this takes: clone, with the tensor, and empty_strided, with
 * its sizes and strides. Whatever does not look as expected ends the search.
 */
#include <dlfcn.h>
#include <string.h>

#include "tracer/arch.h"
#include "tracer/inputs.h"
#include "tracer/inputs_words.h"

enum { DIMS = 3, DTYPE = 2 /* int16 */, DEVICE_CPU = 0 };

static const int64_t sizes[DIMS] = {3, 5, 7};
static const int64_t strides[DIMS] = {35, 7, 1};
enum { NUMEL = 3 * 5 * 7 };

struct functions {
    int32_t (*empty_strided)(int64_t n_dims, const int64_t *sizes, const int64_t *strides,
                             int32_t dtype, int32_t device_type, int32_t device_index,
                             void **ret_tensor);
    int32_t (*clone)(void *tensor, void **ret_tensor);
    int32_t (*get_sizes)(void *tensor, int64_t **ret_sizes);
    int32_t (*delete_tensor)(void *tensor);
    const char *(*backend_name)(uint8_t backend);
    const char *(*key_name)(uint16_t key);
    void *const *(*tensor_type)(void); /* reference to a pointer to the type */
    const void *undefined_tensor;
};

static const struct {
    size_t offset;
    const char *name;
} function_names[] = {
    {offsetof(struct functions, empty_strided), "aoti_torch_empty_strided"},
    {offsetof(struct functions, clone), "aoti_torch_clone"},
    {offsetof(struct functions, get_sizes), "aoti_torch_get_sizes"},
    {offsetof(struct functions, delete_tensor), "aoti_torch_delete_tensor_object"},
    {offsetof(struct functions, backend_name), "_ZN3c108toStringENS_16BackendComponentE"},
    {offsetof(struct functions, key_name), "_ZN3c108toStringENS_11DispatchKeyE"},
    {offsetof(struct functions, tensor_type), "_ZN3c1010TensorType3getEv"},
    {offsetof(struct functions, undefined_tensor), "_ZN3c1019UndefinedTensorImpl10_singletonE"},
};

/* What the callback has seen so far. PyTorch hands it nothing of ours. */
static __thread struct trial {
    const struct ot_torch *torch;
    struct ot_inputs_layout *layout;
    bool has_clone;
    bool has_empty_strided;
} trial __attribute__((tls_model("initial-exec")));

static uintptr_t word_at(const void *object, size_t at)
{
    uintptr_t word;
    memcpy(&word, (const char *)object + at, sizeof(word));
    return word;
}

static bool may_be_pointer(uintptr_t word)
{
    return word >= 65536 && word % 8 == 0 && word >> 48 == 0;
}

/* An IValue is two words: payload, tag. */
static uint32_t tag_of(const uintptr_t *inputs, size_t i)
{
    return (uint32_t)inputs[2 * i + 1];
}

/* c10::detail::ListImpl: table of functions, one or two words of reference counts, then a vector of
 * IValue and the type of the elements. */
static bool find_elements(struct ot_inputs_layout *layout, const void *list)
{
    for (uint16_t at = 8; at <= 24; at += 8) {
        uintptr_t begin = word_at(list, at);
        uintptr_t end = word_at(list, at + 8u);
        if (!may_be_pointer(begin) || end - begin != DIMS * 16)
            continue;
        const uintptr_t *elements = (const uintptr_t *)begin;
        for (size_t i = 0; i < DIMS; i++) {
            if (elements[2 * i] != (uintptr_t)sizes[i] ||
                tag_of(elements, i) != tag_of(elements, 0))
                return false;
        }
        layout->integer_tag = tag_of(elements, 0);
        layout->list_elements = at;
        return may_be_pointer(word_at(list, at + 24u));
    }
    return false;
}

/* clone(Tensor self, *, MemoryFormat? memory_format) */
static bool look_at_clone(struct ot_inputs_layout *layout, const uintptr_t *inputs, size_t n)
{
    if (n != 2 || !may_be_pointer(inputs[0]) || tag_of(inputs, 1) != 0)
        return false;
    layout->tensor_tag = tag_of(inputs, 0);
    return layout->tensor_tag == 1;
}

/* empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype, Layout? layout,
 *               Device? device, bool? pin_memory) */
static bool look_at_empty_strided(struct ot_inputs_layout *layout, const uintptr_t *inputs,
                                  size_t n)
{
    if (n != 6 || tag_of(inputs, 0) != tag_of(inputs, 1) || !may_be_pointer(inputs[0]) ||
        !find_elements(layout, (const void *)inputs[0]))
        return false;
    layout->list_tag = tag_of(inputs, 0);
    /* In between: UInt (not in the oldest), SymInt, SymFloat, SymBool; Bool, Tuple, String, Blob.
     */
    uint32_t between = layout->list_tag - layout->integer_tag - 1;
    layout->has_uint_tag = between == 8;
    return layout->integer_tag == 5 && (between == 7 || between == 8) &&
           tag_of(inputs, 2) == layout->integer_tag && inputs[4] == DTYPE;
}

__attribute__((used)) static void *trial_start_impl(void **ret, const void *rf)
{
    *ret = NULL;
    const char *name = trial.torch ? trial.torch->name(rf) : NULL;
    if (!name)
        return ret;
    const char *at = (const char *)rf + trial.torch->inputs_offset;
    const uintptr_t *inputs = (const uintptr_t *)word_at(at, 0);
    size_t n = word_at(at, 8);
    if (!may_be_pointer((uintptr_t)inputs))
        return ret;
    if (strcmp(name, "aten::clone") == 0)
        trial.has_clone = look_at_clone(trial.layout, inputs, n);
    if (strcmp(name, "aten::empty_strided") == 0)
        trial.has_empty_strided = look_at_empty_strided(trial.layout, inputs, n);
    return ret;
}
OT_RETURNS_THROUGH_POINTER(trial_start, trial_start_impl)

/* c10::TensorImpl, as far as it matters:
 *
 *     table of functions, one or two words of reference counts
 *     Storage storage_;                       a pointer
 *     autograd_meta_, extra_meta_             pointers, NULL here
 *     VariableVersion version_counter_;       a pointer
 *     PyObjectSlot pyobj_slot_;
 *     SizesAndStrides sizes_and_strides_;     dimensions, then 2 * 5 numbers
 *     int64_t storage_offset_, numel_;
 *     caffe2::TypeMeta data_type_;            uint16_t
 *     ...
 *     DispatchKeySet key_set_;
 */
static bool find_extra_meta(struct ot_inputs_layout *layout, const void *impl)
{
    for (uint16_t at = 8; at + 24u < layout->sizes; at += 8) {
        if (may_be_pointer(word_at(impl, at)) && word_at(impl, at + 8u) == 0 &&
            word_at(impl, at + 16u) == 0 && may_be_pointer(word_at(impl, at + 24u))) {
            layout->extra_meta = at + 16;
            return true;
        }
    }
    return false;
}

/* The bit of a key is its number behind the backends, counted from 1 like them. */
static bool find_keys(struct ot_inputs_layout *layout, const void *impl,
                      const struct functions *functions)
{
    enum { KEYS_MAX = 64 };
    unsigned n_backends = 0;
    uint64_t expected = 1; /* the CPU is the first backend */
    unsigned n_found = 0;
    while (n_backends < KEYS_MAX &&
           strcmp(functions->backend_name((uint8_t)(n_backends + 1)), "UNKNOWN_BACKEND_BIT") != 0)
        n_backends++;
    for (unsigned key = 1; n_backends + key <= KEYS_MAX; key++) {
        static const char *const of_any[] = {"Dense", "ADInplaceOrView", "AutogradFunctionality"};
        const char *name = functions->key_name((uint16_t)key);
        uint64_t bit = UINT64_C(1) << (n_backends + key - 1);
        if (strcmp(name, "NestedTensor") == 0)
            layout->nested_key = bit;
        for (size_t i = 0; i < sizeof(of_any) / sizeof(of_any[0]); i++) {
            if (strcmp(name, of_any[i]) == 0) {
                expected |= bit;
                n_found++;
            }
        }
    }
    if (n_found != 3 || layout->nested_key == 0)
        return false;
    for (uint16_t at = (layout->dtype + 7) & ~7; at <= layout->dtype + 32; at += 8) {
        uint64_t keys = word_at(impl, at);
        if ((keys & expected) == expected && (keys & layout->nested_key) == 0) {
            layout->keys = at;
            return true;
        }
    }
    return false;
}

static bool look_at_tensor(struct ot_inputs_layout *layout, void *tensor,
                           const struct functions *functions)
{
    enum { LARGEST = 512 };
    const void *impl = (const void *)word_at(tensor, 0);
    int64_t *where;
    if (!may_be_pointer((uintptr_t)impl) || functions->get_sizes(tensor, &where) != 0)
        return false;
    uintptr_t at = (uintptr_t)where - (uintptr_t)impl;
    if (at < 40 || at > LARGEST || memcmp(where, sizes, sizeof(sizes)) != 0 || where[-1] != DIMS ||
        memcmp(where + OT_INPUTS_INLINE_DIMS, strides, sizeof(strides)) != 0)
        return false;
    const int64_t *behind = where + 2 * OT_INPUTS_INLINE_DIMS;
    uint16_t dtype;
    memcpy(&dtype, behind + 2, sizeof(dtype));
    if (behind[0] != 0 || behind[1] != NUMEL || dtype != DTYPE)
        return false;
    layout->sizes = (uint16_t)(at - 8);
    layout->dtype = (uint16_t)(at + (2 * OT_INPUTS_INLINE_DIMS + 2) * sizeof(int64_t));
    return find_extra_meta(layout, impl) && find_keys(layout, impl, functions);
}

static bool find_layout(const struct ot_torch *torch, const struct functions *functions,
                        struct ot_inputs_layout *layout)
{
    void *tensor = NULL;
    void *copy = NULL;
    trial = (struct trial){.torch = torch, .layout = layout};
    bool is_good =
        functions->empty_strided(DIMS, sizes, strides, DTYPE, DEVICE_CPU, 0, &tensor) == 0 &&
        functions->clone(tensor, &copy) == 0 && trial.has_clone && trial.has_empty_strided &&
        look_at_tensor(layout, tensor, functions);
    trial.torch = NULL;
    if (copy)
        functions->delete_tensor(copy);
    if (tensor)
        functions->delete_tensor(tensor);
    if (!is_good)
        return false;
    layout->undefined_tensor = functions->undefined_tensor;
    const void *type = *functions->tensor_type();
    memcpy(&layout->tensor_kind, (const char *)type + OT_INPUTS_TYPE_KIND,
           sizeof(layout->tensor_kind));
    return layout->tensor_kind == 3; /* c10::TypeKind::TensorType, in all versions */
}

int ot_inputs_find(struct ot_torch *torch, struct ot_err *err)
{
    struct functions functions;
    struct ot_torch_callback callback = {
        .start = (void *)trial_start,
        .sampling_probability = 1.0,
        .needs_inputs = true,
    };
    callback.scopes[0] = true;
    const char *version = torch->version[0] ? torch->version : "of this version";

    for (size_t i = 0; i < sizeof(function_names) / sizeof(function_names[0]); i++) {
        void *address = dlsym(torch->handle, function_names[i].name);
        if (!address || torch->inputs_offset < 0)
            return ot_err_set(err, OT_ERR_MISSING, "input shapes are not available with PyTorch %s",
                              version);
        memcpy((char *)&functions + function_names[i].offset, &address, sizeof(address));
    }
    struct ot_inputs_layout layout = {0};
    uint64_t id = torch->add_global_callback(callback);
    layout.is_known = find_layout(torch, &functions, &layout);
    torch->remove_callback(id);
    if (!layout.is_known)
        return ot_err_set(err, OT_ERR_MISSING,
                          "input shapes are not available: PyTorch %s keeps its operators' inputs "
                          "in a way that is not known here",
                          version);
    torch->inputs = layout;
    return OT_OK;
}
