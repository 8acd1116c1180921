#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"

static struct ot_err err;
static struct ot_outfile file;

static size_t n_files(void)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t n = 0;
    for (const struct dirent *entry; (entry = readdir(dir));)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static const char *text_of(const char *name)
{
    static char text[256];
    FILE *in = fopen(in_folder(name), "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    fclose(in);
    return text;
}

static char *name_of(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s", in_folder(name));
    return path;
}

static void open_file(const char *name)
{
    assert_int_equal(ot_outfile_open(&file, name, NULL, 0, &err), OT_OK);
}

static void nothing_is_there_until_it_is_whole(void **state)
{
    (void)state;
    open_file(name_of("new"));
    fputs("half", file.out);
    fflush(file.out);
    assert_int_equal(access(in_folder("new"), F_OK), -1);
    off_t bytes = 0;
    assert_int_equal(ot_outfile_keep(&file, &bytes, &err), OT_OK);
    assert_int_equal(bytes, 4);
    assert_string_equal(text_of("new"), "half");
    assert_int_equal(n_files(), 1);
}

static void what_was_there_stays_when_it_is_abandoned(void **state)
{
    (void)state;
    put_file("old", "old", 3);
    open_file(name_of("old"));
    fputs("new", file.out);
    ot_outfile_abandon(&file);
    ot_outfile_abandon(&file);
    assert_string_equal(text_of("old"), "old");
    assert_int_equal(n_files(), 1);
}

static void what_was_there_is_replaced_and_keeps_its_mode(void **state)
{
    (void)state;
    put_file("old", "old", 3);
    assert_int_equal(chmod(in_folder("old"), 0640), 0);
    open_file(name_of("old"));
    fputs("newer", file.out);
    assert_int_equal(ot_outfile_keep(&file, NULL, &err), OT_OK);
    assert_string_equal(text_of("old"), "newer");
    struct stat status;
    assert_int_equal(stat(in_folder("old"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(n_files(), 1);
}

static void a_link_stays_one(void **state)
{
    (void)state;
    put_file("old", "old", 3);
    assert_int_equal(symlink("old", in_folder("link")), 0);
    open_file(name_of("link"));
    fputs("new", file.out);
    assert_int_equal(ot_outfile_keep(&file, NULL, &err), OT_OK);
    struct stat status;
    assert_int_equal(lstat(in_folder("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_string_equal(text_of("old"), "new");
}

static void a_device_is_written_to_and_not_replaced(void **state)
{
    (void)state;
    open_file("/dev/null");
    fputs("gone", file.out);
    off_t bytes = 1;
    assert_int_equal(ot_outfile_keep(&file, &bytes, &err), OT_OK);
    assert_int_equal(bytes, 0);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void a_full_disk_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    open_file("/dev/full");
    fputs("too much", file.out);
    assert_int_equal(ot_outfile_keep(&file, NULL, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "/dev/full: cannot write the output"));
}

static void an_input_is_not_replaced(void **state)
{
    (void)state;
    put_file("trace", "{}", 2);
    const char *inputs[] = {name_of("trace")};
    assert_int_equal(ot_outfile_open(&file, inputs[0], inputs, 1, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "trace is an input: write to another file"));
    assert_string_equal(text_of("trace"), "{}");
}

static void what_lies_in_an_input_is_not_touched(void **state)
{
    (void)state;
    const char *inputs[] = {folder};
    put_file("log", "log", 3);
    assert_int_equal(ot_outfile_open(&file, name_of("log"), inputs, 1, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "log lies in the input"));
    assert_int_equal(ot_outfile_open(&file, name_of("new"), inputs, 1, &err), OT_ERR_INPUT);
    assert_int_equal(n_files(), 1);
}

static void a_folder_whose_name_begins_alike_is_no_input(void **state)
{
    (void)state;
    put_folder("rec");
    put_folder("rec2");
    char input[PATH_MAX];
    snprintf(input, sizeof(input), "%s", in_folder("rec"));
    const char *inputs[] = {input};
    assert_int_equal(ot_outfile_open(&file, name_of("rec2/new"), inputs, 1, &err), OT_OK);
    assert_int_equal(ot_outfile_keep(&file, NULL, &err), OT_OK);
}

static void a_link_to_nothing_is_told(void **state)
{
    (void)state;
    assert_int_equal(symlink("later", in_folder("link")), 0);
    assert_int_equal(ot_outfile_open(&file, name_of("link"), NULL, 0, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "is a link to a file that is not there"));
}

static void the_longest_name_can_be_had(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    open_file(name_of(name));
    assert_int_equal(ot_outfile_keep(&file, NULL, &err), OT_OK);
    assert_int_equal(access(in_folder(name), F_OK), 0);
}

static void a_file_that_nobody_may_read_stays_so(void **state)
{
    (void)state;
    put_file("old", "old", 3);
    assert_int_equal(chmod(in_folder("old"), 0), 0);
    open_file(name_of("old"));
    assert_int_equal(ot_outfile_keep(&file, NULL, &err), OT_OK);
    struct stat status;
    assert_int_equal(stat(in_folder("old"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0);
}

static void a_folder_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ot_outfile_open(&file, folder, NULL, 0, &err), OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "is a folder: name a file in it"));
    ot_outfile_abandon(&file);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    (void)state;
    assert_int_equal(ot_outfile_open(&file, name_of("no/file"), NULL, 0, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "No such file or directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(nothing_is_there_until_it_is_whole),
        IN_FOLDER(what_was_there_stays_when_it_is_abandoned),
        IN_FOLDER(what_was_there_is_replaced_and_keeps_its_mode),
        IN_FOLDER(a_link_stays_one),
        cmocka_unit_test(a_device_is_written_to_and_not_replaced),
        cmocka_unit_test(a_full_disk_is_told_and_leaves_nothing),
        IN_FOLDER(an_input_is_not_replaced),
        IN_FOLDER(what_lies_in_an_input_is_not_touched),
        IN_FOLDER(a_folder_whose_name_begins_alike_is_no_input),
        IN_FOLDER(a_link_to_nothing_is_told),
        IN_FOLDER(the_longest_name_can_be_had),
        IN_FOLDER(a_file_that_nobody_may_read_stays_so),
        IN_FOLDER(a_folder_is_refused),
        IN_FOLDER(a_folder_that_is_not_there_is_told),
    };
    return RUN(tests);
}
