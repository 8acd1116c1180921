/* arch.h: the two places where the C++ calling convention shows through.
 *
 * A C++ function that returns an object with a destructor writes it through a hidden pointer: the
 * first argument on x86-64 (System V psABI 3.2.3), register x8 on aarch64 (AAPCS64 6.9). The
 * aarch64 half compiles in the cross build; it has not run on hardware.
 */
#ifndef OT_TRACER_ARCH_H
#define OT_TRACER_ARCH_H

#if defined(__x86_64__)

/* `name` is what PyTorch calls; `impl` is `void *impl(void **ret, const void *rf)`. */
#define OT_RETURNS_THROUGH_POINTER(name, impl)                                                     \
    static void *name(void **ret, const void *rf) __attribute__((alias(#impl)));

/* Calls the member function `fn` of `self`, which builds its result at `ret`. */
static inline void ot_call_returning_object(void *fn, void *ret, const void *self)
{
    ((void *(*)(void *, const void *))fn)(ret, self);
}

#elif defined(__aarch64__)

/* In assembly as a whole: gcc has no naked functions here. */
#define OT_RETURNS_THROUGH_POINTER(name, impl)                                                     \
    extern __attribute__((visibility("hidden"))) void *name(void **ret, const void *rf);           \
    __asm__(".pushsection .text\n\t"                                                               \
            ".type " #name ", %function\n" #name ":\n\t"                                           \
            "hint #34\n\t" /* bti c: may be called through a pointer */                            \
            "mov x1, x0\n\t"                                                                       \
            "mov x0, x8\n\t"                                                                       \
            "b " #impl "\n\t"                                                                      \
            ".size " #name ", .-" #name "\n\t"                                                     \
            ".popsection");

static inline void ot_call_returning_object(void *fn, void *ret, const void *self)
{
    register void *x8 __asm__("x8") = ret;
    register const void *x0 __asm__("x0") = self;
    __asm__ volatile("blr %2"
                     : "+r"(x0), "+r"(x8)
                     : "r"(fn)
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x9", "x10", "x11", "x12", "x13",
                       "x14", "x15", "x16", "x17", "x18", "x30", "v0", "v1", "v2", "v3", "v4", "v5",
                       "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
                       "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

#else
#error "PyTorch's callbacks are known for x86-64 and aarch64 only"
#endif

#endif
