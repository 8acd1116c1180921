/* ISA-L alone, on one thread: what unpacking costs when nothing is done with the bytes. */
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <unistd.h>

static uint8_t packed[256 * 1024];
static uint8_t unpacked[512 * 1024];
static struct inflate_state state;

/* All that can be unpacked of the piece; false: it is damaged. */
static int unpack(size_t len, size_t *total)
{
    state.next_in = packed;
    state.avail_in = (uint32_t)len;
    do {
        state.next_out = unpacked;
        state.avail_out = sizeof(unpacked);
        if (isal_inflate(&state) < 0)
            return 0;
        *total += sizeof(unpacked) - state.avail_out;
    } while (state.avail_out == 0 && state.block_state != ISAL_BLOCK_FINISH);
    return 1;
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0)
        return 2;
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    size_t total = 0;
    ssize_t len;
    while ((len = read(fd, packed, sizeof(packed))) > 0) {
        if (!unpack((size_t)len, &total))
            return 1;
    }
    printf("%zu\n", total);
    return len < 0 || state.block_state != ISAL_BLOCK_FINISH;
}
