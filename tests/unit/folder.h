/* folder.h: a temporary folder with files in it. */
#ifndef OT_TESTS_UNIT_FOLDER_H
#define OT_TESTS_UNIT_FOLDER_H

#include "test.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/optally-unit-XXXXXX";

static inline const char *in_folder(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static inline void put_folder(const char *name)
{
    assert_int_equal(mkdir(in_folder(name), 0700), 0);
}

static inline void put_file(const char *name, const void *bytes, size_t len)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static inline int folder_begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/optally-unit-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *status, int type,
                             struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline int folder_end(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_begin, folder_end)

#endif
