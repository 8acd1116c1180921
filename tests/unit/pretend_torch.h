/* pretend_torch.h: a PyTorch made of functions here, for tests of the built-in writer.
 *
 * The writer is opened once in a process, so each scenario runs in a child, whose log is read
 * afterwards.
 */
#ifndef OT_TESTS_UNIT_PRETEND_TORCH_H
#define OT_TESTS_UNIT_PRETEND_TORCH_H

#include "folder.h"
#include "test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/oplog.h"
#include "base/tracer_env.h"
#include "tracer/builtin/writer.h"
#include "tracer/hooks.h"
#include "tracer/status.h"

/* Stands for at::RecordFunction. */
struct record_function {
    const char *name;
    const char *overload;
    int64_t sequence;
    uint64_t forward_thread;
    void *context; /* what the start callback returned */
};

static struct ot_torch_callback pretend_callbacks[2];
static int n_pretend_callbacks;

static inline uint64_t pretend_add_callback(struct ot_torch_callback callback)
{
    pretend_callbacks[n_pretend_callbacks] = callback;
    return (uint64_t)++n_pretend_callbacks;
}

static inline const char *pretend_name(const void *rf)
{
    return ((const struct record_function *)rf)->name;
}

static inline const char *pretend_overload(const void *rf)
{
    return ((const struct record_function *)rf)->overload;
}

static inline uint64_t pretend_thread_id(void)
{
    return 7;
}

static inline struct ot_torch pretend_torch(void)
{
    return (struct ot_torch){
        .add_global_callback = pretend_add_callback,
        .name = pretend_name,
        .overload_name = pretend_overload,
        .current_thread_id = pretend_thread_id,
        .sequence_offset = offsetof(struct record_function, sequence),
        .forward_thread_offset = offsetof(struct record_function, forward_thread),
        .keeps_context = true,
        .version = "2.13.0+pretended",
    };
}

static inline void begin_of(int pair, struct record_function *rf)
{
    void *(*start)(void **, const void *);
    memcpy(&start, &pretend_callbacks[pair].start, sizeof(start));
    start(&rf->context, rf);
}

/* As PyTorch: the callback, then the deleting destructor of the context. */
static inline void end_of(int pair, struct record_function *rf)
{
    void (*end)(const void *, void *);
    memcpy(&end, &pretend_callbacks[pair].end, sizeof(end));
    end(rf, rf->context);
    if (rf->context) {
        void (*const *vtable)(void *) = *(void (*const **)(void *))rf->context;
        vtable[1](rf->context);
    }
}

static inline void begin(struct record_function *rf)
{
    begin_of(0, rf);
}

static inline void end(struct record_function *rf)
{
    end_of(0, rf);
}

static inline void call(const char *name, const char *overload)
{
    struct record_function rf = {.name = name, .overload = overload, .sequence = -1};
    begin(&rf);
    end(&rf);
}

/* In a scenario: fails the test, which sees the child's status. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static inline void pretend_open_with(struct ot_torch torch)
{
    struct ot_err err;
    ot_status_open();
    int rc = ot_builtin_writer.open(&torch, &err);
    if (rc < 0)
        fprintf(stderr, "open: %s\n", err.msg);
    CHECK(rc == OT_OK);
    ot_hooks_register(&torch, &ot_builtin_writer, OT_SCOPES_DEFAULT);
}

static inline void pretend_open(void)
{
    pretend_open_with(pretend_torch());
}

/* Returns the child's number. */
static inline pid_t run_in_child(void (*scenario)(void))
{
    setenv(OT_ENV_LOG_DIR, folder, 1);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        scenario();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return pid;
}

static inline const char *path_of_log(pid_t pid)
{
    static char name[64];
    snprintf(name, sizeof(name), "%ld" OT_OPLOG_SUFFIX, (long)pid);
    return in_folder(name);
}

#endif
