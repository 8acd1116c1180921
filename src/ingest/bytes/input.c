#include "ingest/bytes/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: reading is to stop. A descriptor that poll() cannot wait for counts as readable. */
static bool wait_for_bytes(const struct ot_input *input)
{
    struct pollfd fds[2] = {{.fd = input->fd, .events = POLLIN},
                            {.fd = input->stop_fd, .events = POLLIN}};
    while (poll(fds, 2, -1) < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
    return fds[1].revents == 0;
}

/* As read(); 0 also when reading is to stop. */
static ssize_t read_some(struct ot_input *input, void *bytes, size_t cap)
{
    while (true) {
        if (atomic_load(&input->is_stopping) || (!input->is_regular && !wait_for_bytes(input)))
            return 0;
        ssize_t len = read(input->fd, bytes, cap);
        if (len >= 0 || (errno != EINTR && errno != EAGAIN))
            return len;
    }
}

static bool read_head(struct ot_input *input)
{
    while (input->n_head < OT_INPUT_HEAD) {
        ssize_t len = read_some(input, input->head + input->n_head, OT_INPUT_HEAD - input->n_head);
        if (len < 0)
            return false;
        if (len == 0)
            return true;
        input->n_head += (size_t)len;
    }
    return true;
}

static bool prepare(struct ot_input *input)
{
    struct stat status;
    if (fstat(input->fd, &status) != 0)
        return false;
    input->is_regular = S_ISREG(status.st_mode);
    if (input->is_regular) {
        /* Only advice: a refusal costs time, no more. */
        (void)posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (!S_ISDIR(status.st_mode)) {
        input->stop_fd = eventfd(0, EFD_CLOEXEC);
        if (input->stop_fd < 0)
            return false;
    }
    return read_head(input); /* for a folder, read() says what is wrong */
}

int ot_input_open(struct ot_input *input, const char *path, struct ot_err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *input = (struct ot_input){.stop_fd = -1};
    input->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                         : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (input->fd >= 0 && prepare(input))
        return OT_OK;
    int code = ot_err_sys(err, OT_ERR_IO, "%s", is_stdin ? "standard input" : path);
    ot_input_release(input);
    return code;
}

int ot_input_read(struct ot_input *input, unsigned char *ret_bytes, size_t cap, size_t *ret_len,
                  struct ot_err *err)
{
    if (input->n_read < input->n_head) {
        size_t n_left = input->n_head - (size_t)input->n_read;
        size_t len = n_left < cap ? n_left : cap;
        memcpy(ret_bytes, input->head + input->n_read, len);
        input->n_read += len;
        *ret_len = len;
        return OT_OK;
    }
    ssize_t len = read_some(input, ret_bytes, cap);
    if (len < 0)
        return ot_err_sys(err, OT_ERR_IO, "cannot read on at byte %" PRIu64, input->n_read);
    input->n_read += (uint64_t)len;
    *ret_len = (size_t)len;
    return OT_OK;
}

void ot_input_stop(struct ot_input *input)
{
    atomic_store(&input->is_stopping, true);
    if (input->stop_fd >= 0)
        (void)eventfd_write(input->stop_fd, 1);
}

void ot_input_release(struct ot_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    if (input->stop_fd >= 0)
        close(input->stop_fd);
    *input = (struct ot_input){.fd = -1, .stop_fd = -1};
}
