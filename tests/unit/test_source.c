#include "folder.h"
#include "packed.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "ingest/bytes/source.h"

static struct ot_err err;
static const struct ot_source_opts no_opts;

struct outcome {
    struct blob got;
    int code;
    bool is_cut;
    enum ot_packing packing;
};

static void collect(void *context, uint32_t session, const void *bytes, size_t len)
{
    assert_int_equal(session, 7);
    blob_add(context, bytes, len);
}

/* Takes all there is, writes wherever that is allowed, and reads wherever something is promised. */
static struct outcome take_all(const char *path, struct blob *tapped)
{
    static const unsigned char zeros[OT_SOURCE_PADDING];
    struct ot_source_opts opts = {.tap_context = tapped, .session = 7};
    if (tapped)
        opts.tap = collect;
    struct ot_source *source = NULL;
    assert_int_equal(ot_source_open(path, &opts, &source, &err), OT_OK);
    struct outcome outcome = {.packing = ot_source_packing(source)};
    unsigned char *bytes = NULL;
    size_t len = 0;
    while ((outcome.code = ot_source_next(source, &bytes, &len, &err)) == OT_OK) {
        assert_true(len > 0);
        assert_memory_equal(bytes + len, zeros, sizeof(zeros));
        blob_add(&outcome.got, bytes, len);
        memset(bytes - OT_SOURCE_HEADROOM, 0xee, OT_SOURCE_HEADROOM + len);
    }
    assert_int_equal(ot_source_next(source, &bytes, &len, &err), outcome.code);
    outcome.is_cut = outcome.code == OT_ERR_INPUT && strstr(err.msg, "data ends early");
    ot_source_close(source);
    return outcome;
}

static bool is_prefix(const struct blob *part, const struct blob *whole)
{
    return part->len <= whole->len &&
           (part->len == 0 || memcmp(part->bytes, whole->bytes, part->len) == 0);
}

static struct outcome take_blob(const struct blob *packed)
{
    put_file("f", packed->bytes, packed->len);
    return take_all(in_folder("f"), NULL);
}

static void assert_unpacks_to(const struct blob *packed, const struct blob *text,
                              enum ot_packing packing)
{
    struct blob tapped = {0};
    put_file("f", packed->bytes, packed->len);
    struct outcome outcome = take_all(in_folder("f"), &tapped);
    assert_int_equal(outcome.code, OT_END);
    assert_int_equal(outcome.packing, packing);
    assert_int_equal(outcome.got.len, text->len);
    assert_true(is_prefix(&outcome.got, text));
    assert_int_equal(tapped.len, packed->len);
    assert_true(is_prefix(&tapped, packed));
    blob_clear(&outcome.got);
    blob_clear(&tapped);
}

static void every_packing_gives_the_same_bytes_and_the_tap_the_files(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,      1,      15,     16,      17,     4096,
                                   262143, 262144, 262145, 1048576, 9777777};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct blob text = make_text(sizes[i]);
        struct blob packed = {0};
        assert_unpacks_to(&text, &text, OT_PACKING_NONE);
        add_gzip(&packed, text.bytes, text.len, false);
        assert_unpacks_to(&packed, &text, OT_PACKING_GZIP);
        blob_clear(&packed);
        add_zstd(&packed, text.bytes, text.len);
        assert_unpacks_to(&packed, &text, OT_PACKING_ZSTD);
        blob_clear(&packed);
        blob_clear(&text);
    }
}

/* Pieces of all sizes, empty ones among them. */
static void members_and_frames_follow_each_other(void **state)
{
    (void)state;
    struct blob text = make_text(3000000);
    struct blob gzip = {0};
    struct blob zstd = {0};
    static const unsigned char skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    blob_add(&zstd, skippable, sizeof(skippable));
    size_t at = 0;
    for (size_t i = 0; at < text.len; i++) {
        size_t len = i % 5 == 0 ? 0 : i * i * 97 % 200000;
        len = len < text.len - at ? len : text.len - at;
        add_gzip(&gzip, text.bytes + at, len, i % 2 != 0);
        add_zstd(&zstd, text.bytes + at, len);
        blob_add(&zstd, skippable, sizeof(skippable));
        at += len;
    }
    assert_unpacks_to(&gzip, &text, OT_PACKING_GZIP);
    assert_unpacks_to(&zstd, &text, OT_PACKING_ZSTD);
    static const unsigned char zeros[300];
    for (size_t i = 0; i < 1000; i++)
        blob_add(&gzip, zeros, sizeof(zeros));
    assert_unpacks_to(&gzip, &text, OT_PACKING_GZIP);
    blob_clear(&gzip);
    blob_clear(&zstd);
    blob_clear(&text);
}

static void assert_cut_everywhere(const struct blob *packed, size_t n_magic,
                                  const struct blob *text)
{
    size_t longest = 0;
    for (size_t len = n_magic; len < packed->len; len += 1 + len / 40) {
        struct blob part = {.bytes = packed->bytes, .len = len};
        struct outcome outcome = take_blob(&part);
        assert_int_equal(outcome.code, OT_ERR_INPUT);
        assert_true(outcome.is_cut);
        assert_non_null(strstr(err.msg, "ends early, after "));
        assert_true(is_prefix(&outcome.got, text));
        char says[64];
        snprintf(says, sizeof(says), "after %zu unpacked bytes (byte %zu of", outcome.got.len, len);
        assert_non_null(strstr(err.msg, says));
        longest = outcome.got.len > longest ? outcome.got.len : longest;
        blob_clear(&outcome.got);
    }
    assert_true(longest > text->len / 3);
}

static void what_is_cut_gives_all_that_is_whole(void **state)
{
    (void)state;
    struct blob text = make_text(700000);
    struct blob packed = {0};
    add_gzip(&packed, text.bytes, text.len, true);
    assert_cut_everywhere(&packed, 2, &text);
    blob_clear(&packed);
    add_zstd(&packed, text.bytes, text.len);
    assert_cut_everywhere(&packed, 4, &text);
    blob_clear(&packed);
    blob_clear(&text);
}

static void a_changed_byte_is_an_error_and_what_was_before_it_is_handed_out(void **state)
{
    (void)state;
    struct blob text = make_text(100000);
    for (int is_zstd = 0; is_zstd < 2; is_zstd++) {
        struct blob packed = {0};
        size_t first_len = 60000;
        size_t skipped = is_zstd ? 4 : 10; /* gzip's header has a date that nobody checks */
        if (is_zstd)
            add_zstd(&packed, text.bytes, first_len);
        else
            add_gzip(&packed, text.bytes, first_len, false);
        size_t start = packed.len + skipped;
        if (is_zstd)
            add_zstd(&packed, text.bytes + first_len, text.len - first_len);
        else
            add_gzip(&packed, text.bytes + first_len, text.len - first_len, false);
        for (size_t at = start; at < packed.len; at += 37) {
            packed.bytes[at] ^= 0x55;
            struct outcome outcome = take_blob(&packed);
            assert_int_equal(outcome.code, OT_ERR_INPUT);
            assert_true(outcome.got.len >= first_len);
            assert_memory_equal(outcome.got.bytes, text.bytes, first_len);
            blob_clear(&outcome.got);
            packed.bytes[at] ^= 0x55;
        }
        packed.bytes[packed.len - 1] ^= 1;
        struct outcome outcome = take_blob(&packed);
        assert_int_equal(outcome.code, OT_ERR_INPUT);
        assert_false(outcome.is_cut);
        assert_non_null(strstr(err.msg, "data is damaged at byte "));
        assert_true(is_prefix(&outcome.got, &text));
        blob_clear(&outcome.got);
        blob_clear(&packed);
    }
    blob_clear(&text);
}

static void what_follows_and_is_not_packed_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *tail;
        size_t len;
    } cases[] = {{"x", 1}, {"\0\0\0x", 4}, {"{\"a\": 1}", 8}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct blob packed = {0};
        add_gzip(&packed, "abc", 3, false);
        blob_add(&packed, cases[i].tail, cases[i].len);
        struct outcome outcome = take_blob(&packed);
        assert_int_equal(outcome.code, OT_ERR_INPUT);
        assert_false(outcome.is_cut);
        assert_non_null(strstr(err.msg, "gzip data is followed by something else at byte "));
        assert_int_equal(outcome.got.len, 3);
        blob_clear(&outcome.got);
        blob_clear(&packed);
    }
}

static void a_frame_cannot_ask_for_all_memory(void **state)
{
    (void)state;
    static const unsigned char wide[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x90, 1, 0, 0};
    put_file("f", wide, sizeof(wide));
    struct outcome outcome = take_all(in_folder("f"), NULL);
    assert_int_equal(outcome.code, OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "zstd data needs more than 128 MiB"));
}

/* What feeds a pipe: packets, so that each read gets one; what a read has no room for is lost, so
 * their length has to divide the room. */
struct feeder {
    pthread_t thread;
    int fds[2];
    const struct blob *blob;
    size_t packet_len;
};

static void *feed(void *context)
{
    struct feeder *feeder = context;
    const struct blob *blob = feeder->blob;
    for (size_t at = 0; at < blob->len; at += feeder->packet_len) {
        size_t len = blob->len - at < feeder->packet_len ? blob->len - at : feeder->packet_len;
        assert_int_equal(write(feeder->fds[1], blob->bytes + at, len), len);
    }
    close(feeder->fds[1]);
    return NULL;
}

static struct outcome take_fed(const struct blob *blob, size_t packet_len)
{
    struct feeder feeder = {.blob = blob, .packet_len = packet_len};
    assert_int_equal(pipe2(feeder.fds, O_CLOEXEC | O_DIRECT), 0);
    assert_int_equal(dup2(feeder.fds[0], STDIN_FILENO), STDIN_FILENO);
    close(feeder.fds[0]);
    assert_int_equal(pthread_create(&feeder.thread, NULL, feed, &feeder), 0);
    struct outcome outcome = take_all("-", NULL);
    assert_int_equal(pthread_join(feeder.thread, NULL), 0);
    return outcome;
}

static void standard_input_may_come_byte_by_byte(void **state)
{
    (void)state;
    struct blob text = make_text(20000);
    struct blob packed[3] = {{0}};
    blob_add(&packed[0], text.bytes, text.len);
    add_gzip(&packed[1], text.bytes, 5000, true);
    add_gzip(&packed[1], text.bytes + 5000, text.len - 5000, true);
    add_zstd(&packed[2], text.bytes, 5000);
    add_zstd(&packed[2], text.bytes + 5000, text.len - 5000);
    for (size_t i = 0; i < 3; i++) {
        for (size_t packet_len = 1; packet_len <= 4; packet_len *= 2) {
            struct outcome outcome = take_fed(&packed[i], packet_len);
            assert_int_equal(outcome.code, OT_END);
            assert_int_equal(outcome.packing, (enum ot_packing)i);
            assert_int_equal(outcome.got.len, text.len);
            assert_true(is_prefix(&outcome.got, &text));
            blob_clear(&outcome.got);
        }
        blob_clear(&packed[i]);
    }
    blob_clear(&text);
}

static void a_source_can_be_closed_at_any_time(void **state)
{
    (void)state;
    struct blob text = make_text(5000000);
    put_file("f", text.bytes, text.len);
    blob_clear(&text);
    for (int n_taken = 0; n_taken < 5; n_taken++) {
        struct ot_source *source = NULL;
        assert_int_equal(ot_source_open(in_folder("f"), &no_opts, &source, &err), OT_OK);
        unsigned char *bytes = NULL;
        size_t len = 0;
        for (int i = 0; i < n_taken; i++)
            assert_int_equal(ot_source_next(source, &bytes, &len, &err), OT_OK);
        ot_source_close(source);
    }
    ot_source_close(NULL);
}

static void closing_ends_a_read_that_waits(void **state)
{
    (void)state;
    static const char start[] = "{\"schemaVersion\": 1, ";
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(write(fds[1], start, strlen(start)), strlen(start));
    for (int i = 0; i < 2; i++) {
        struct ot_source *source = NULL;
        assert_int_equal(ot_source_open("-", &no_opts, &source, &err), OT_OK);
        usleep(i * 20000); /* before and after the thread has come to wait */
        ot_source_close(source);
        assert_int_equal(write(fds[1], start, strlen(start)), strlen(start));
    }
    close(fds[0]);
    close(fds[1]);
}

static void signals_are_not_for_the_thread(void **state)
{
    (void)state;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    put_file("f", "[]", 2);
    struct ot_source *source = NULL;
    assert_int_equal(ot_source_open(in_folder("f"), &no_opts, &source, &err), OT_OK);
    assert_int_equal(kill(getpid(), SIGUSR1), 0); /* would end the program in any open thread */
    ot_source_close(source);
    int number = 0;
    assert_int_equal(sigwait(&set, &number), 0);
    assert_int_equal(number, SIGUSR1);
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    struct ot_source *source = NULL;
    assert_int_equal(ot_source_open(in_folder("none"), &no_opts, &source, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "/none: No such file"));
    put_folder("folder");
    assert_int_equal(ot_source_open(in_folder("folder"), &no_opts, &source, &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "/folder: Is a directory"));
    assert_null(source);
}

static void assert_peeks(const struct blob *packed, const struct blob *text, size_t cap,
                         enum ot_packing expected)
{
    unsigned char bytes[64];
    size_t len = 0;
    enum ot_packing packing = OT_PACKING_NONE;
    put_file("f", packed->bytes, packed->len);
    assert_int_equal(ot_source_peek(in_folder("f"), bytes, cap, &len, &packing, &err), OT_OK);
    assert_int_equal(packing, expected);
    assert_int_equal(len, cap < text->len ? cap : text->len);
    assert_memory_equal(bytes, text->bytes, len);
}

static void a_peek_shows_the_start(void **state)
{
    (void)state;
    struct blob text = make_text(40);
    struct blob packed = {0};
    assert_peeks(&text, &text, 0, OT_PACKING_NONE);
    assert_peeks(&text, &text, 20, OT_PACKING_NONE);
    assert_peeks(&text, &text, 64, OT_PACKING_NONE);
    add_zstd(&packed, text.bytes, text.len);
    assert_peeks(&packed, &text, 20, OT_PACKING_ZSTD);
    blob_clear(&packed);
    add_gzip(&packed, text.bytes, text.len, true);
    assert_peeks(&packed, &text, 20, OT_PACKING_GZIP);
    packed.len -= 3; /* in the check sum: all the text is there */
    assert_peeks(&packed, &text, 64, OT_PACKING_GZIP);
    blob_clear(&packed);
    blob_clear(&text);
}

static void a_pipe_is_not_peeked_into(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    unsigned char byte = 0;
    size_t len = 0;
    enum ot_packing packing = OT_PACKING_NONE;
    assert_int_equal(ot_source_peek(in_folder("pipe"), &byte, 1, &len, &packing, &err),
                     OT_ERR_INPUT);
    assert_non_null(strstr(err.msg, "/pipe: not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(every_packing_gives_the_same_bytes_and_the_tap_the_files),
        IN_FOLDER(members_and_frames_follow_each_other),
        IN_FOLDER(what_is_cut_gives_all_that_is_whole),
        IN_FOLDER(a_changed_byte_is_an_error_and_what_was_before_it_is_handed_out),
        IN_FOLDER(what_follows_and_is_not_packed_is_an_error),
        IN_FOLDER(a_frame_cannot_ask_for_all_memory),
        cmocka_unit_test(standard_input_may_come_byte_by_byte),
        IN_FOLDER(a_source_can_be_closed_at_any_time),
        cmocka_unit_test(closing_ends_a_read_that_waits),
        IN_FOLDER(signals_are_not_for_the_thread),
        IN_FOLDER(what_cannot_be_opened_is_named),
        IN_FOLDER(a_peek_shows_the_start),
        IN_FOLDER(a_pipe_is_not_peeked_into),
    };
    return RUN(tests);
}
