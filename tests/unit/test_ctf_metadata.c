#include "folder.h"

#include <stdbool.h>
#include <string.h>

#include "ingest/ctf/metadata.h"

/* A packet's header: magic, UUID, checksum, content and packet size in bits, five single bytes. */
static void put_packet(unsigned char *bytes, uint32_t content_bits, uint32_t packet_bits,
                       bool is_swapped)
{
    uint32_t words[] = {0x75d11d57, content_bits, packet_bits};
    static const size_t places[] = {0, 24, 28};
    for (size_t i = 0; i < 3; i++) {
        uint32_t word = is_swapped ? __builtin_bswap32(words[i]) : words[i];
        memcpy(bytes + places[i], &word, sizeof(word));
    }
}

static int check(const void *bytes, size_t len)
{
    struct ot_err err;
    put_file("metadata", bytes, len);
    return ot_ctf_check_metadata(folder, &err);
}

static void whole_packets_of_either_byte_order_pass(void **state)
{
    (void)state;
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        unsigned char bytes[128] = {0};
        put_packet(bytes, 64 * 8, 64 * 8, is_swapped);
        put_packet(bytes + 64, 40 * 8, 64 * 8, is_swapped);
        assert_int_equal(check(bytes, sizeof(bytes)), OT_OK);
    }
}

static void a_packet_that_is_cut_anywhere_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[128] = {0};
    put_packet(bytes, 64 * 8, 64 * 8, false);
    put_packet(bytes + 64, 64 * 8, 64 * 8, false);
    for (size_t len = 0; len < sizeof(bytes); len++)
        assert_int_equal(check(bytes, len), len == 64 ? OT_OK : OT_ERR_INPUT);
}

static void sizes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{0, 0}, {0, 512}, {520, 512}, {512, 515}, {8, 8}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        unsigned char bytes[128] = {0};
        put_packet(bytes, sizes[i][0], sizes[i][1], false);
        assert_int_equal(check(bytes, sizeof(bytes)), OT_ERR_INPUT);
    }
}

static void text_needs_its_first_words(void **state)
{
    (void)state;
    assert_int_equal(check("/* CTF 1.8 */ trace", 19), OT_OK);
    assert_int_equal(check("trace { }", 9), OT_ERR_INPUT);
    assert_int_equal(check("/* CTF", 6), OT_ERR_INPUT);
}

static void an_absent_file_is_told(void **state)
{
    (void)state;
    struct ot_err err;
    assert_int_equal(ot_ctf_check_metadata(in_folder("absent"), &err), OT_ERR_IO);
    assert_non_null(strstr(err.msg, "absent/metadata"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(whole_packets_of_either_byte_order_pass),
        IN_FOLDER(a_packet_that_is_cut_anywhere_is_refused),
        IN_FOLDER(sizes_that_make_no_sense_are_refused),
        IN_FOLDER(text_needs_its_first_words),
        IN_FOLDER(an_absent_file_is_told),
    };
    return RUN(tests);
}
