/* torch.h: libtorch as the tracer sees it: a handful of exported functions, found by name.
 *
 * Nothing of PyTorch is compiled in. The symbols and the layout of RecordFunctionCallback come
 * from ATen/record_function.h (1.12 to 2.14); every assumption that can be tested is tested by
 * probe.h before anything is recorded. A struct ot_torch is filled once per process and then only
 * read, so threads may share it.
 */
#ifndef OT_TRACER_TORCH_H
#define OT_TRACER_TORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* at::RecordFunctionCallback, 40 bytes. libtorch takes it by value; the zero padding lets a later
 * version read a longer one. */
struct ot_torch_callback {
    void *start;
    void *end;
    double sampling_probability;
    bool scopes[10];
    bool needs_inputs;
    bool needs_outputs;
    bool needs_ids;
    char padding[27];
};
_Static_assert(sizeof(struct ot_torch_callback) == 64, "a 40-byte prefix in 64 bytes");
_Static_assert(offsetof(struct ot_torch_callback, scopes) == 24, "scopes follow the probability");
_Static_assert(offsetof(struct ot_torch_callback, needs_inputs) == 34, "flags follow the scopes");

/* How inputs lie in memory. Offsets are in bytes, inside c10::TensorImpl. */
struct ot_inputs_layout {
    bool is_known;
    bool has_uint_tag; /* the tag behind that of integers is no scalar (c10::IValue::Tag) */
    uint32_t tensor_tag;
    uint32_t integer_tag;
    uint32_t list_tag;
    uint32_t tensor_kind;         /* c10::TypeKind of tensors */
    uint16_t list_elements;       /* inside c10::detail::ListImpl: begin, end, capacity, type */
    uint16_t extra_meta;          /* pointer; its first word is not 0 where sizes are symbolic */
    uint16_t sizes;               /* number of dimensions, then five sizes or a pointer to them */
    uint16_t dtype;               /* uint16_t, c10::ScalarType */
    uint16_t keys;                /* c10::DispatchKeySet */
    uint64_t nested_key;          /* the bit of nested tensors in it */
    const void *undefined_tensor; /* the one object that stands for none */
};

struct ot_torch {
    void *handle; /* of libtorch_cpu.so; kept open */
    uint64_t (*add_global_callback)(struct ot_torch_callback callback);
    void (*remove_callback)(uint64_t id);
    const char *(*name)(const void *rf);
    const char *(*overload_name)(const void *rf); /* NULL before PyTorch 2.7 */
    void *operator_name;                          /* returns std::optional<OperatorName> */
    void (*construct)(void *rf, unsigned scope);
    void (*destroy)(void *rf);
    /* One of these begins a range: before(const char *, int64_t) up to about 2.4, else
     * before(std::variant<string_view, ...>, int64_t). */
    void (*before_cstr)(void *rf, const char *name, int64_t sequence);
    void *before_view;
    bool view_is_pointer_first; /* c10::string_view; std::string_view has the length first */
    void (*operator_delete)(void *ptr);
    uint64_t (*current_thread_id)(void); /* PyTorch's own numbers; may be NULL */

    /* What probe.h found out. Offsets are inside RecordFunction, -1 unknown. */
    ptrdiff_t sequence_offset;       /* int64_t */
    ptrdiff_t forward_thread_offset; /* uint64_t */
    ptrdiff_t inputs_offset;         /* c10::ArrayRef<const IValue>: pointer, length */
    bool keeps_context;              /* what a start callback returns comes back at the end */
    struct ot_inputs_layout inputs;  /* of inputs.h, filled by it */

    char version[64]; /* as PyTorch spells it, "" unknown */
};

/* Resolves the symbols of the library at `path`, which is loaded already. `dlopen_fn` is the real
 * dlopen. OT_ERR_MISSING names the first symbol that the tracer cannot do without. */
int ot_torch_resolve(struct ot_torch *torch, const char *path,
                     void *(*dlopen_fn)(const char *, int), struct ot_err *err);

/* Begins and, through the destructor, ends a range of scope FUNCTION with this name and sequence
 * number, in `rf`: zeroed storage that is large enough for any version's RecordFunction. */
void ot_torch_run_range(const struct ot_torch *torch, void *rf, const char *name, int64_t sequence);

enum { OT_TORCH_RECORD_FUNCTION_BYTES = 4096 };

/* Whether version `text` lies within what has been tried. */
bool ot_torch_version_known(const char *text);

#endif
