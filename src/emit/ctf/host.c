#include "emit/ctf/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "emit/ctf/metadata.h"

enum { MAX_NAME = 80, MAX_SAME_NAME = 100000 };

static int no_memory(struct ot_err *err)
{
    return ot_err_set(err, OT_ERR_NOMEM, "out of memory for a CTF trace");
}

/* No name of a host makes a path of more than one part, or a hidden one. */
static void add_folder_name(struct ot_str *str, struct ot_text name)
{
    for (size_t i = 0; i < name.len && i < MAX_NAME; i++) {
        char c = name.bytes[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || (c == '.' && i > 0);
        ot_str_addf(str, "%c", is_plain ? c : '_');
    }
    if (name.len == 0)
        ot_str_addf(str, "unknown");
}

int ot_ctf_host_init(struct ot_ctf_host *host, const char *parent, struct ot_text name,
                     struct ot_err *err)
{
    struct ot_str path = {0};
    *host = (struct ot_ctf_host){.name_len = name.len, .first_ns = UINT64_MAX};
    ot_str_addf(&path, "%s/", parent);
    add_folder_name(&path, name);
    size_t len = path.len;
    int made = mkdir(ot_str_borrow(&path), 0777);
    for (int i = 2; made < 0 && errno == EEXIST && i < MAX_SAME_NAME && !path.failed; i++) {
        path.len = len;
        ot_str_addf(&path, "_%d", i);
        made = mkdir(ot_str_borrow(&path), 0777);
    }
    if (made < 0) {
        int code = ot_err_sys(err, OT_ERR_IO, "%s", ot_str_borrow(&path));
        ot_str_release(&path);
        return code;
    }
    host->folder = strdup(ot_str_borrow(&path));
    host->name = strndup(name.len ? name.bytes : "", name.len);
    host->name_len = host->name ? strlen(host->name) : 0;
    bool failed = path.failed || !host->folder || !host->name;
    ot_str_release(&path);
    if (!failed)
        return OT_OK;
    ot_ctf_host_release(host);
    return no_memory(err);
}

static int write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len) {
        ssize_t written = write(fd, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        at += written;
        len -= (size_t)written;
    }
    return 0;
}

/* The file is open for the moment only: a trace may have more streams than a process files. */
static int append(const char *path, const void *bytes, size_t len, struct ot_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    int failed = write_all(fd, bytes, len);
    int saved_errno = errno;
    if (close(fd) < 0 && !failed) {
        failed = -1;
        saved_errno = errno;
    }
    errno = saved_errno;
    return failed ? ot_err_sys(err, OT_ERR_IO, "%s", path) : OT_OK;
}

int ot_ctf_host_append(const struct ot_ctf_host *host, const char *prefix, size_t number,
                       const struct ot_ctf_packet *packet, struct ot_err *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s_%zu", host->folder, prefix, number) < 0)
        return no_memory(err);
    int code = append(path, packet->bytes, packet->len, err);
    free(path);
    return code;
}

struct loss {
    size_t stream;
    uint64_t number; /* of its packets */
    uint64_t so_far;
    uint64_t ts_ns;
};

static int write_loss(struct ot_ctf_host *host, struct ot_ctf_packet *scratch,
                      const struct loss *loss, struct ot_err *err)
{
    const struct ot_ctf_packet_place place = {
        .stream_instance = host->n_streams + loss->stream,
        .number = loss->number,
        .discarded = loss->so_far,
    };
    ot_ctf_packet_begin(scratch, loss->ts_ns);
    ot_ctf_packet_finish(scratch, &place);
    return ot_ctf_host_append(host, "lost", loss->stream, scratch, err);
}

/* A packet says how many events its stream has lost so far. A stream whose first one says some
 * already has lost them before anybody looked: babeltrace2 then takes their number for unknown. So
 * what is known is told by two packets without events. */
static int write_losses(struct ot_ctf_host *host, struct ot_ctf_packet *scratch, struct ot_err *err)
{
    uint64_t n_known = host->n_lost;
    uint64_t first_ns = host->first_ns < host->last_ns ? host->first_ns : host->last_ns;
    int code = OT_OK;
    if (host->has_unknown_loss) {
        n_known--;
        code = write_loss(host, scratch, &(struct loss){1, 0, 1, first_ns}, err);
    }
    if (code == OT_OK && n_known)
        code = write_loss(host, scratch, &(struct loss){0, 0, 0, first_ns}, err);
    if (code == OT_OK && n_known)
        code = write_loss(host, scratch, &(struct loss){0, 1, n_known, host->last_ns}, err);
    return code;
}

static int write_metadata(const struct ot_ctf_host *host, struct ot_err *err)
{
    struct ot_str text = {0};
    struct ot_str path = {0};
    ot_str_addf(&path, "%s/metadata", host->folder);
    ot_ctf_add_metadata(&text, (struct ot_text){host->name, host->name_len});
    int code = text.failed || path.failed ? no_memory(err)
                                          : append(ot_str_borrow(&path), text.bytes, text.len, err);
    ot_str_release(&text);
    ot_str_release(&path);
    return code;
}

int ot_ctf_host_finish(struct ot_ctf_host *host, struct ot_ctf_packet *scratch, struct ot_err *err)
{
    int code = write_losses(host, scratch, err);
    return code == OT_OK ? write_metadata(host, err) : code;
}

void ot_ctf_host_release(struct ot_ctf_host *host)
{
    free(host->name);
    free(host->folder);
    *host = (struct ot_ctf_host){0};
}
