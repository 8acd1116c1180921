/* fuzz.h: the one function of a fuzz target.
 *
 * Takes any bytes, keeps none, returns 0. It aborts when an invariant of the code under test does
 * not hold: OT_FUZZ_CHECK() stays on in builds without asserts.
 */
#ifndef OT_TESTS_FUZZ_H
#define OT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define OT_FUZZ_CHECK(cond)                                                                        \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #cond);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
