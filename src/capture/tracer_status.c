#include "capture/tracer_status.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ot_tracer_status_create(const char *path, struct ot_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    /* Root's programs may become somebody else before they load PyTorch. */
    if (geteuid() == 0)
        fchmod(fd, 0666);
    close(fd);
    return OT_OK;
}

static void keep_first(char *slot, size_t size, const char *text)
{
    if (slot[0] == '\0')
        snprintf(slot, size, "%s", text);
}

static void read_line(char *line, struct ot_tracer_status *status)
{
    char word[16];
    int text_at = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%15s %*d %n", word, &text_at) < 1 || text_at == 0)
        return;
    const char *text = line + text_at;
    if (strcmp(word, "refused") == 0) {
        status->refused++;
        keep_first(status->refusal, sizeof(status->refusal), text);
    } else if (strcmp(word, "lost") == 0) {
        status->lost++;
        keep_first(status->loss, sizeof(status->loss), text);
    } else if (strcmp(word, "warning") == 0) {
        keep_first(status->warning, sizeof(status->warning), text);
    } else if (strcmp(word, "attached") == 0 && status->attached++ == 0) {
        sscanf(text, "version=%63s overloads=%31s sequence=%ld path=%4095[^\n]", status->version,
               status->overloads, &status->sequence_offset, status->library);
    }
}

int ot_tracer_status_read(const char *path, struct ot_tracer_status *ret_status, struct ot_err *err)
{
    struct ot_tracer_status status = {.sequence_offset = -1};
    FILE *file = fopen(path, "re");
    if (!file)
        return ot_err_sys(err, OT_ERR_IO, "%s", path);
    char line[PATH_MAX + 256];
    while (fgets(line, sizeof(line), file))
        read_line(line, &status);
    fclose(file);
    *ret_status = status;
    return OT_OK;
}
