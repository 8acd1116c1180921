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

    ptrdiff_t sequence_offset; /* of the sequence number inside RecordFunction, -1 unknown */
    char version[64];          /* as PyTorch spells it, "" unknown */
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
