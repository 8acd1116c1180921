#include "tracer/builtin/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/tick_clock.h"
#include "tracer/builtin/region.h"
#include "tracer/builtin/state.h"
#include "tracer/status.h"

/* A process that executes itself keeps its number, and so does each of a few containers. */
enum { FILES_PER_PID = 100000, PATH_BYTES = PATH_MAX + 64, HEADER_MAPPED = 4096 };

/* Asking for more would bring SIGXFSZ, which ends a program that does not expect it. */
static bool is_within_limit(uint64_t end)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           end <= limit.rlim_cur;
}

/* Room in the file, so that a store into the mapping finds it: into a hole of a full disk it would
 * end the program with SIGBUS. (So it may all the same where the file system puts what is written
 * elsewhere each time, as btrfs does; there is no asking for that.) Zeros are written rather than
 * room allocated: they are in memory then, in large pages, and the first stores of a chunk cost a
 * tenth (ext4: 31 to 88 microseconds in all, with fallocate() 180 to 630). Returns 0 or an errno.
 */
static int take_room(int fd, off_t at, size_t len)
{
    static char zeros[OT_OPLOG_CHUNK_BYTES];
    if (!is_within_limit((uint64_t)at + len))
        return EFBIG;
    for (size_t done = 0; done < len;) {
        ssize_t n = pwrite(fd, zeros, len - done, at + (off_t)done);
        if (n >= 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            int code = errno;
            (void)!ftruncate(fd, at); /* leaves some room to the line that says so */
            return code;
        }
    }
    return 0;
}

/* A forked child shall not reach what is its parent's. */
static void *map_file(int fd, off_t at, size_t len, void *where)
{
    void *mapped =
        mmap(where, len, PROT_READ | PROT_WRITE, MAP_SHARED | (where ? MAP_FIXED : 0), fd, at);
    if (mapped == MAP_FAILED)
        return NULL;
    madvise(mapped, len, MADV_DONTFORK);
    return mapped;
}

static void fill_header(struct ot_oplog_header *header)
{
    header->version = OT_OPLOG_VERSION;
    header->header_bytes = OT_OPLOG_HEADER_BYTES;
    header->chunk_bytes = OT_OPLOG_CHUNK_BYTES;
    header->clock = ot_builtin.clock;
    header->options = ot_builtin.options;
    header->pid = getpid();
    header->parent_pid = getppid();
    gethostname(header->host_name, sizeof(header->host_name) - 1);
    ot_boot_id_read(header->boot_id);
    memcpy(header->torch_version, ot_builtin.torch.version, sizeof(header->torch_version) - 1);
    header->loaded = ot_builtin.loaded;
    header->opened = ot_tick_clock_moment(ot_builtin.clock);
    memcpy(header->magic, OT_OPLOG_MAGIC, sizeof(header->magic));
}

/* NFS and a few others cannot rename without replacing; there nobody else uses our number. */
static int rename_new(const char *from, const char *to)
{
    struct stat st;
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
        return -1;
    if (stat(to, &st) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

/* Makes and fills the file under another name, so that no reader sees half a header. */
static int make_file(struct ot_process *process, const char *making)
{
    int fd = open(making, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return errno;
    struct stat st = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int code = EFBIG;
    if (is_within_limit(OT_OPLOG_HEADER_BYTES))
        code = take_room(fd, 0, page < OT_OPLOG_HEADER_BYTES ? page : OT_OPLOG_HEADER_BYTES);
    if (code == 0 && (ftruncate(fd, OT_OPLOG_HEADER_BYTES) < 0 || fstat(fd, &st) < 0))
        code = errno;
    if (code == 0) {
        process->header = map_file(fd, 0, HEADER_MAPPED, NULL);
        code = process->header ? 0 : errno;
    }
    close(fd);
    if (code == 0 && process->header) {
        process->dev = st.st_dev;
        process->ino = st.st_ino;
        fill_header(process->header);
        if (rename_new(making, process->path) < 0)
            code = errno;
    }
    if (code != 0) {
        ot_region_free(process->header, HEADER_MAPPED);
        process->header = NULL;
        unlink(making);
    }
    return code;
}

static int find_name_and_make(struct ot_process *process)
{
    char making[PATH_BYTES];
    int code = EEXIST;
    for (int i = 1; code == EEXIST && i < FILES_PER_PID; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof(number), "-%d", i);
        snprintf(process->path, PATH_BYTES, "%s/%ld%s" OT_OPLOG_SUFFIX, ot_builtin.dir,
                 (long)getpid(), number);
        snprintf(making, sizeof(making), "%s.new", process->path);
        if (access(process->path, F_OK) != 0)
            code = make_file(process, making);
    }
    return code;
}

static void map_budget(struct ot_process *process)
{
    char path[PATH_BYTES];
    struct stat st;
    snprintf(path, sizeof(path), "%s/" OT_OPLOG_BUDGET_FILE, ot_builtin.dir);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(struct ot_oplog_budget))
        process->budget = map_file(fd, 0, sizeof(struct ot_oplog_budget), NULL);
    close(fd);
}

static uint64_t used_chunks(struct ot_process *process, int64_t more)
{
    return __atomic_add_fetch(&process->budget->used_chunks, (uint64_t)more, __ATOMIC_RELAXED);
}

static int open_locked(struct ot_process *process, struct ot_err *err)
{
    process->path = ot_region_new(PATH_BYTES);
    int code = process->path ? find_name_and_make(process) : ENOMEM;
    if (code == 0) {
        map_budget(process);
        if (process->budget)
            used_chunks(process, 1); /* the header; whoever exists has one */
    } else {
        atomic_store(&process->is_stopped, true);
    }
    uint64_t now = ot_tick_clock_read(ot_builtin.clock);
    atomic_store_explicit(&process->nonce, now ? now : 1, memory_order_release);
    if (code == 0)
        return OT_OK;
    errno = code;
    return ot_err_sys(err, OT_ERR_IO, "cannot make %s", process->path ? process->path : "a log");
}

int ot_process_open(struct ot_process *process, struct ot_err *err)
{
    pthread_mutex_lock(&process->lock);
    int rc = open_locked(process, err);
    pthread_mutex_unlock(&process->lock);
    return rc;
}

bool ot_process_is_ready(struct ot_process *process)
{
    if (atomic_load_explicit(&process->nonce, memory_order_acquire) == 0) {
        struct ot_err err;
        pthread_mutex_lock(&process->lock);
        if (atomic_load_explicit(&process->nonce, memory_order_relaxed) == 0 &&
            open_locked(process, &err) < 0)
            ot_status_line("lost", "%s", err.msg);
        pthread_mutex_unlock(&process->lock);
    }
    return !atomic_load_explicit(&process->is_stopped, memory_order_relaxed);
}

static void stop(struct ot_process *process, int reason)
{
    if (atomic_exchange(&process->is_stopped, true))
        return;
    __atomic_store_n(&process->header->stop_reason, (uint32_t)reason, __ATOMIC_RELEASE);
    struct ot_err err;
    if (reason == OT_OPLOG_STOP_SIZE) {
        ot_err_set(&err, OT_ERR_IO, "the recording has reached its size limit");
    } else {
        errno = reason;
        ot_err_sys(&err, OT_ERR_IO, "cannot extend %s", process->path);
    }
    ot_status_line("lost", "%s", err.msg);
}

/* Whether the limit allows for one more chunk, which is then counted. */
static bool take_from_budget(struct ot_process *process)
{
    if (!process->budget || used_chunks(process, 1) <= process->budget->max_chunks)
        return true;
    used_chunks(process, -1);
    return false;
}

/* Returns an errno, or 0 and a mapping. */
static int map_chunk(struct ot_process *process, uint32_t index, bool is_new, void *window,
                     struct ot_oplog_chunk **ret_chunk)
{
    struct stat st;
    off_t at = OT_OPLOG_HEADER_BYTES + (off_t)index * OT_OPLOG_CHUNK_BYTES;
    int fd = open(process->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno;
    int code = 0;
    if (fstat(fd, &st) < 0)
        code = errno;
    else if (st.st_dev != process->dev || st.st_ino != process->ino ||
             (!is_new && st.st_size < at + OT_OPLOG_CHUNK_BYTES))
        code = ENOENT; /* something else is in its place, or somebody has cut it short */
    if (code == 0 && is_new)
        code = take_room(fd, at, OT_OPLOG_CHUNK_BYTES);
    if (code == 0) {
        *ret_chunk = map_file(fd, at, OT_OPLOG_CHUNK_BYTES, window);
        if (!*ret_chunk)
            code = errno;
    }
    close(fd);
    return code;
}

/* A reader that copies the chunk meanwhile sees that its kind or generation has changed. */
static void use_again(struct ot_process *process, struct ot_oplog_chunk *chunk)
{
    uint64_t *n_overwritten = &process->header->overwritten_events;
    __atomic_store_n(n_overwritten,
                     *n_overwritten + ot_oplog_count_events((const uint64_t *)(chunk + 1)),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->kind, OT_OPLOG_CHUNK_UNUSED, __ATOMIC_RELAXED);
    __atomic_store_n(&chunk->generation, chunk->generation + 1, __ATOMIC_RELAXED);
    __sync_synchronize(); /* gcc's ThreadSanitizer knows no fence of C11 */
    memset(chunk + 1, 0, OT_OPLOG_CHUNK_BYTES - sizeof(*chunk));
}

/* That the program is out of descriptors, or of memory, may be over soon. */
static bool will_pass(int code)
{
    return code == EMFILE || code == ENFILE || code == ENOMEM || code == EAGAIN;
}

uint64_t ot_process_chunks_for_names(const struct ot_process *process)
{
    enum { ALWAYS = 16 };
    if (atomic_load_explicit(&process->is_stopped, memory_order_relaxed))
        return 0;
    if (!process->budget || !process->budget->is_ring)
        return UINT64_MAX;
    uint64_t half = process->budget->max_chunks / 2;
    return half > ALWAYS ? half : ALWAYS;
}

bool ot_process_take_chunk_locked(struct ot_process *process, enum ot_oplog_chunk_kind kind,
                                  void *window, struct ot_chunk *ret_chunk)
{
    if (atomic_load_explicit(&process->is_stopped, memory_order_relaxed))
        return false;
    bool is_new = true;
    bool is_counted = take_from_budget(process);
    uint32_t index = (uint32_t)process->header->n_chunks;
    if (!is_counted) {
        if (!process->budget->is_ring) {
            stop(process, OT_OPLOG_STOP_SIZE);
            return false;
        }
        /* A ring goes on with what it has. Each thread may have one chunk, and names stay. */
        if (kind == OT_OPLOG_CHUNK_EVENTS && ot_finished_take(&process->finished, &index))
            is_new = false;
        else
            used_chunks(process, 1);
    }
    struct ot_oplog_chunk *chunk = NULL;
    int code = map_chunk(process, index, is_new, window, &chunk);
    if (code != 0 || !chunk) {
        if (is_new && process->budget)
            used_chunks(process, -1);
        if (!is_new)
            ot_finished_put(&process->finished, index);
        if (!will_pass(code))
            stop(process, code);
        return false;
    }
    if (is_new)
        __atomic_store_n(&process->header->n_chunks, index + 1, __ATOMIC_RELEASE);
    else
        use_again(process, chunk);
    *ret_chunk = (struct ot_chunk){chunk, index};
    return true;
}

bool ot_process_take_chunk(struct ot_process *process, enum ot_oplog_chunk_kind kind, void *window,
                           struct ot_chunk *ret_chunk)
{
    pthread_mutex_lock(&process->lock);
    bool is_taken = ot_process_take_chunk_locked(process, kind, window, ret_chunk);
    pthread_mutex_unlock(&process->lock);
    return is_taken;
}

void ot_process_finish_chunk(struct ot_process *process, uint32_t index)
{
    if (!process->budget)
        return;
    pthread_mutex_lock(&process->lock);
    ot_finished_put(&process->finished, index);
    pthread_mutex_unlock(&process->lock);
}

void ot_process_close(struct ot_process *process)
{
    if (atomic_load_explicit(&process->nonce, memory_order_acquire) != 0 && process->header)
        process->header->closed = ot_tick_clock_moment(ot_builtin.clock);
}

void ot_process_lose(struct ot_process *process, uint64_t n_events)
{
    if (atomic_load_explicit(&process->nonce, memory_order_acquire) != 0 && process->header)
        __atomic_fetch_add(&process->header->lost_events, n_events, __ATOMIC_RELAXED);
}
