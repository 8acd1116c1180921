#include "folder.h"

#include <string.h>
#include <unistd.h>

#include "ingest/ctf/find.h"

static void folders_with_metadata_are_found_in_order_of_their_names(void **state)
{
    (void)state;
    put_folder("b");
    put_folder("a");
    put_folder("a/deep");
    put_folder("none");
    put_file("b/metadata", "", 0);
    put_file("a/deep/metadata", "", 0);
    struct ot_ctf_folders folders = {0};
    struct ot_err err;
    assert_int_equal(ot_ctf_find(&folders, folder, &err), OT_OK);
    assert_int_equal(folders.n_paths, 2);
    assert_string_equal(folders.paths[0], in_folder("a/deep"));
    assert_string_equal(folders.paths[1], in_folder("b"));
    ot_ctf_folders_release(&folders);
    ot_ctf_folders_release(NULL);
}

static void links_are_not_followed(void **state)
{
    (void)state;
    put_folder("a");
    put_file("a/metadata", "", 0);
    assert_int_equal(symlink(".", in_folder("a/loop")), 0);
    struct ot_ctf_folders folders = {0};
    struct ot_err err;
    assert_int_equal(ot_ctf_find(&folders, folder, &err), OT_OK);
    assert_int_equal(folders.n_paths, 1);
    ot_ctf_folders_release(&folders);
}

static void a_stream_without_metadata_is_a_stray(void **state)
{
    (void)state;
    put_folder("a");
    put_folder("b");
    put_file("a/metadata", "", 0);
    put_file("a/stream", "\xc1\x1f\xfc\xc1", 4);
    put_file("b/stream", "\xc1\x1f\xfc\xc1 and more", 13);
    put_file("b/text", "c1", 2);
    struct ot_ctf_folders folders = {0};
    struct ot_err err;
    assert_int_equal(ot_ctf_find(&folders, folder, &err), OT_OK);
    assert_string_equal(folders.stray_stream, in_folder("b/stream"));
    ot_ctf_folders_release(&folders);
}

static void a_file_is_nothing(void **state)
{
    (void)state;
    put_file("file", "x", 1);
    struct ot_ctf_folders folders = {0};
    struct ot_err err;
    assert_int_equal(ot_ctf_find(&folders, in_folder("file"), &err), OT_OK);
    assert_int_equal(folders.n_paths, 0);
    ot_ctf_folders_release(&folders);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char path[PATH_MAX] = "d";
    for (int i = 0; i <= OT_CTF_MAX_LEVELS; i++) {
        put_folder(path);
        strcat(path, "/d");
    }
    struct ot_ctf_folders folders = {0};
    struct ot_err err;
    assert_int_equal(ot_ctf_find(&folders, folder, &err), OT_ERR_INPUT);
    ot_ctf_folders_release(&folders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(folders_with_metadata_are_found_in_order_of_their_names),
        IN_FOLDER(links_are_not_followed),
        IN_FOLDER(a_stream_without_metadata_is_a_stray),
        IN_FOLDER(a_file_is_nothing),
        IN_FOLDER(depth_is_bounded),
    };
    return RUN(tests);
}
