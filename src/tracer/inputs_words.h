/* inputs_words.h: the words that inputs.c makes of an operator's inputs and inputs_text.c reads.
 *
 * One word per input; behind a tensor's its sizes, behind that of a list of tensors theirs.
 */
#ifndef OT_TRACER_INPUTS_WORDS_H
#define OT_TRACER_INPUTS_WORDS_H

#include <stdint.h>

enum ot_inputs_kind {
    OT_INPUTS_OTHER = 1, /* no shape and no type: None, a string, a device, an undefined tensor */
    OT_INPUTS_SCALAR,
    OT_INPUTS_NUMBERS, /* a list of scalars */
    OT_INPUTS_TENSOR,  /* dtype; count: of its sizes */
    OT_INPUTS_TENSORS, /* count: of the tensors */
};

#define OT_INPUTS_WORD(kind, dtype, count)                                                         \
    ((uint64_t)(kind) | (uint64_t)(dtype) << 8 | (uint64_t)(count) << 32)

static inline unsigned ot_inputs_kind(uint64_t word)
{
    return word & 0xff;
}

static inline unsigned ot_inputs_dtype(uint64_t word)
{
    return word >> 8 & 0xffff;
}

static inline uint32_t ot_inputs_count(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* What does not change from one version of PyTorch to the next: so many sizes lie inside
 * c10::impl::SizesAndStrides, and c10::Type's kind behind its table of functions. */
enum { OT_INPUTS_INLINE_DIMS = 5, OT_INPUTS_TYPE_KIND = 8 };

#endif
