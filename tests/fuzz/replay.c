/* replay.c: feeds saved inputs to a fuzz target without a fuzzing engine.
 *
 * Usage: NAME FILE-OR-FOLDER... Runs LLVMFuzzerTestOneInput() once per file, and once on no bytes
 * at all. A failure is a crash, so the name of the file at work goes to stderr beforehand.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    /* The block is exactly as long as the input, so that a sanitizer sees a read past its end. */
    uint8_t *data = NULL;
    long len = -1;
    if (fseek(f, 0, SEEK_END) == 0)
        len = ftell(f);
    if (len >= 0 && fseek(f, 0, SEEK_SET) == 0)
        data = malloc(len ? (size_t)len : 1);
    int ok = data && fread(data, 1, (size_t)len, f) == (size_t)len;
    fclose(f);
    if (ok) {
        fprintf(stderr, "%s\n", path);
        LLVMFuzzerTestOneInput(data, (size_t)len);
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(data);
    return ok ? 1 : -1;
}

/* Returns how many inputs ran, or -1. */
static int replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    if (!S_ISDIR(st.st_mode))
        return replay_file(path);

    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    if (n < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    int total = 0;
    for (int i = 0; i < n; i++) {
        char inner[4096];
        int cut = snprintf(inner, sizeof(inner), "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && total >= 0) {
            int ran = cut < (int)sizeof(inner) ? replay_file(inner) : -1;
            total = ran < 0 ? -1 : total + ran;
        }
        free(names[i]);
    }
    free(names);
    return total;
}

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int ran = replay(argv[i]);
        if (ran < 0)
            return 1;
        total += ran;
    }
    if (!total) {
        fprintf(stderr, "no saved input: a target needs a corpus\n");
        return 1;
    }
    printf("%d inputs\n", total);
    return 0;
}
