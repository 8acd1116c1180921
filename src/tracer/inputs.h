/* inputs.h: shapes and types of an operator's inputs, as torch.profiler's trace has them.
 *
 * In two steps, so that the text is made once per combination: the signature is a short row of
 * words that is equal exactly where the text is; the text comes from it alone. Nothing here
 * allocates, throws or prints, and no code of PyTorch runs: some tensors answer questions about
 * their sizes in Python, or with an exception. So sizes are read where they lie, which is found
 * out once by running two operators on a tensor of known shape.
 *
 * Callbacks have to be registered with `needs_inputs`.
 */
#ifndef OT_TRACER_INPUTS_H
#define OT_TRACER_INPUTS_H

#include "tracer/torch.h"

/* Fills torch->inputs; after ot_probe_run(), before hooks are registered, and only if shapes are
 * wanted. OT_ERR_MISSING: this PyTorch's inputs cannot be read; `err` is a sentence about it and
 * ot_inputs_signature() returns 0. Without the C functions of AOTInductor (2.2) that is so. */
int ot_inputs_find(struct ot_torch *torch, struct ot_err *err);

/* Called inside a start callback of `rf`, by any thread. Returns the number of words stored in
 * `buf`; 0 where there are no inputs or they cannot be read; a number larger than `cap_words` where
 * they do not fit (nothing that is in `buf` then counts). */
size_t ot_inputs_signature(const struct ot_torch *torch, const void *rf, uint64_t *buf,
                           size_t cap_words);

/* `first`: the shapes, `[[64, 3], []]`; `second`: the types, `["float", "Scalar"]`. Texts are not
 * terminated; what exceeds a buffer is cut, and *ret_len is what was stored. Returns whether
 * nothing was cut. */
bool ot_inputs_text(const uint64_t *sig, size_t n, char *first, size_t first_cap,
                    size_t *ret_first_len, char *second, size_t second_cap, size_t *ret_second_len);

#endif
