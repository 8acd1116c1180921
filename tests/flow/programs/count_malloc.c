/* Something that a user preloads: counts allocations and writes the number to the file that
 * FLOW_ALLOCATIONS names when the process ends, if that is the fake program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own names for what is interposed here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *ptr, size_t size);

static _Atomic long n_allocations;

void *malloc(size_t size)
{
    n_allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    n_allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *ptr, size_t size)
{
    n_allocations++;
    return __libc_realloc(ptr, size);
}

__attribute__((destructor)) static void tell(void)
{
    long n = n_allocations;
    const char *path = getenv("FLOW_ALLOCATIONS");
    if (strcmp(program_invocation_short_name, "fake_program") != 0)
        return;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", n);
    fclose(file);
}
