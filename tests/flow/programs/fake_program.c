/* fake_program LIBRARY COUNT [SECONDS]: opens a fake libtorch, runs COUNT operators, waits, and
 * prints how often errno was changed by a callback; ends with 5. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    int (*run)(const char *, int) = (int (*)(const char *, int))dlsym(library, "fake_torch_run");
    int changed = run("fake::operator", atoi(argv[2]));
    if (argc > 3) {
        puts("ready");
        fflush(stdout);
        usleep((useconds_t)(atof(argv[3]) * 1e6));
        changed += run("fake::late", atoi(argv[2]));
    }
    printf("errno changed %d\n", changed);
    return 5;
}
