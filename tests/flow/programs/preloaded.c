/* Something that a user preloads: leaves a mark in the environment. */
#include <stdlib.h>

__attribute__((constructor)) static void mark(void)
{
    setenv("FLOW_PRELOADED", "yes", 1);
}
