#include "cli/progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/tick_clock.h"
#include "cli/folder_files.h"
#include "cli/terminal.h"
#include "emit/progress/line.h"

enum { INTERVAL_NS = 100 * 1000 * 1000, FIRST_NS = 1000 * 1000 * 1000 };

/* Standard error is the process's, and so is whether a line of ours stands in it. Changed with
 * flockfile(stderr), and read by the signal handler. */
static atomic_bool is_drawn;

#define ERASE "\r\033[K"

/* In the background somebody else's line would go. */
void ot_progress_erase(void)
{
    if (atomic_exchange(&is_drawn, false) && ot_tty_is_ours(STDERR_FILENO))
        fputs(ERASE, stderr);
}

/* --- signals ------------------------------------------------------------------------------------
 */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
enum { N_ENDING_SIGNALS = sizeof(ending_signals) / sizeof(ending_signals[0]) };

/* The signal is the default's again by now, and ends the process. */
static void erase_and_end(int number)
{
    if (atomic_exchange(&is_drawn, false))
        (void)!write(STDERR_FILENO, ERASE, sizeof(ERASE) - 1);
    raise(number);
}

static void take_signals(void)
{
    const struct sigaction ours = {.sa_handler = erase_and_end,
                                   .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    for (size_t i = 0; i < N_ENDING_SIGNALS; i++) {
        struct sigaction before;
        if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending_signals[i], &ours, NULL);
    }
}

static void leave_signals(void)
{
    const struct sigaction none = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < N_ENDING_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(ending_signals[i], NULL, &now) == 0 && now.sa_handler == erase_and_end)
            sigaction(ending_signals[i], &none, NULL);
    }
}

/* --- sizes --------------------------------------------------------------------------------------
 */

/* False: it has no size that is known. */
static bool add_size(const char *path, uint64_t *sum)
{
    struct stat status;
    bool is_stdin = strcmp(path, "-") == 0;
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(path, &status)) < 0)
        return false;
    if (S_ISREG(status.st_mode))
        *sum += (uint64_t)status.st_size;
    return S_ISREG(status.st_mode);
}

static bool add_folder(const char *path, uint64_t *sum)
{
    struct ot_folder_files files = {0};
    struct ot_err err;
    bool is_known = ot_folder_files_list(&files, path, &err) == 0;
    for (size_t i = 0; i < files.n && is_known; i++)
        is_known = add_size(files.paths[i], sum);
    ot_folder_files_release(&files);
    return is_known;
}

static uint64_t size_of(const char *const *inputs, size_t n_inputs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n_inputs; i++) {
        struct stat status;
        bool is_folder = stat(inputs[i], &status) == 0 && S_ISDIR(status.st_mode);
        if (!(is_folder ? add_folder(inputs[i], &sum) : add_size(inputs[i], &sum)))
            return 0;
    }
    return sum;
}

/* --- drawing ------------------------------------------------------------------------------------
 */

static void draw(const struct ot_progress_line *line, bool ascii)
{
    struct ot_str text = {0};
    size_t width = ot_tty_width(STDERR_FILENO);
    /* In the last cell the cursor would be between two lines. */
    ot_progress_line_add(&text, line, width - 1, ascii);
    flockfile(stderr);
    fprintf(stderr, ERASE "%s", ot_str_borrow(&text));
    fflush(stderr);
    atomic_store(&is_drawn, true);
    funlockfile(stderr);
    ot_str_release(&text);
}

static void tick(struct ot_progress *progress)
{
    int64_t now_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
    if (now_ns - progress->began_ns < FIRST_NS || !ot_tty_is_ours(STDERR_FILENO))
        return;
    if (progress->inputs) {
        progress->total_bytes = size_of(progress->inputs, progress->n_inputs);
        progress->inputs = NULL;
    }
    const struct ot_progress_line line = {
        .what = progress->what,
        .done_bytes = atomic_load_explicit(&progress->read_bytes, memory_order_relaxed),
        .total_bytes = progress->total_bytes,
        .elapsed_ns = now_ns - progress->phase_ns,
    };
    draw(&line, progress->ascii);
}

static void *draw_until_stopped(void *context)
{
    struct ot_progress *progress = context;
    pthread_mutex_lock(&progress->lock);
    while (!progress->is_ending) {
        int64_t until_ns = ot_tick_clock_ns(CLOCK_MONOTONIC) + INTERVAL_NS;
        struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
        pthread_cond_timedwait(&progress->wake, &progress->lock, &until);
        if (!progress->is_ending)
            tick(progress);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

static bool start_thread(struct ot_progress *progress)
{
    pthread_condattr_t monotonic;
    sigset_t all;
    sigset_t before;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&progress->lock, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_running = pthread_create(&progress->thread, NULL, draw_until_stopped, progress) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_running;
}

void ot_progress_start(struct ot_progress *progress, const char *what, const char *const *inputs,
                       size_t n_inputs)
{
    int64_t now_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
    *progress = (struct ot_progress){
        .what = what,
        .inputs = inputs,
        .n_inputs = n_inputs,
        .began_ns = now_ns,
        .phase_ns = now_ns,
    };
    if (!ot_tty_can_erase(STDERR_FILENO))
        return;
    progress->ascii = !ot_tty_takes_utf8();
    progress->is_running = start_thread(progress);
    if (progress->is_running)
        take_signals();
}

void ot_progress_phase(struct ot_progress *progress, const char *what, uint64_t total_bytes)
{
    if (!progress->is_running)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->what = what;
    progress->inputs = NULL;
    progress->total_bytes = total_bytes;
    progress->phase_ns = ot_tick_clock_ns(CLOCK_MONOTONIC);
    atomic_store(&progress->read_bytes, 0);
    pthread_mutex_unlock(&progress->lock);
}

void ot_progress_stop(struct ot_progress *progress)
{
    if (!progress->is_running)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->is_ending = true;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    progress->is_running = false;
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->lock);
    flockfile(stderr);
    ot_progress_erase();
    fflush(stderr);
    funlockfile(stderr);
    leave_signals();
}
