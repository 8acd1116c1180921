#include "emit/tally/opts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"

enum { MAX_LEVEL = 99, LEVEL_WHERE_NONE_IS_DEFAULT = 1, DEFAULT_NAME_SIZE = 80 };

/* Indexed by the enum's value. */
static const char *const sort_names[] = {
    [OT_SORT_TIME] = "time",       [OT_SORT_SELF] = "self",     [OT_SORT_CALLS] = "calls",
    [OT_SORT_AVERAGE] = "average", [OT_SORT_MIN] = "min",       [OT_SORT_MAX] = "max",
    [OT_SORT_NAME] = "name",       [OT_SORT_ERRORS] = "errors",
};
/* By operator, too: what differs are the operators' names. */
enum { BY_FORWARD = OT_BY_RANK + 1 };
static const char *const by_names[] = {
    [OT_BY_OPERATOR] = "operator", [OT_BY_THREAD] = "thread", [OT_BY_PROCESS] = "process",
    [OT_BY_RANK] = "rank",         [BY_FORWARD] = "forward",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

void ot_tally_opts_init(struct ot_tally_opts *opts)
{
    *opts = (struct ot_tally_opts){.max_name_size = DEFAULT_NAME_SIZE, .view.top = -1};
    for (int i = 0; i < OT_BACKEND_COUNT; i++)
        opts->view.levels[i] = ot_backends[i].default_level;
}

static int choose(const char *const *names, size_t n_names, const char *value, int *ret_choice,
                  struct ot_err *err)
{
    struct ot_str list = {0};
    for (size_t i = 0; i < n_names; i++) {
        if (strcmp(value, names[i]) == 0) {
            *ret_choice = (int)i;
            ot_str_release(&list);
            return OT_OK;
        }
        ot_str_addf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    int code = ot_err_set(err, OT_ERR_USAGE, "'%s' is none of: %s", value, ot_str_borrow(&list));
    ot_str_release(&list);
    return code;
}

static int read_integer(const char *value, int64_t smallest, const char *meaning,
                        int64_t *ret_integer, struct ot_err *err)
{
    char *end;
    errno = 0;
    long long integer = strtoll(value, &end, 10);
    if (errno || end == value || *end != '\0' || integer < smallest)
        return ot_err_set(err, OT_ERR_USAGE, "'%s' is not %s", value, meaning);
    *ret_integer = integer;
    return OT_OK;
}

/* THAPI knows neither annotations nor what comes after them. */
static int set_thapi(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    (void)value;
    (void)err;
    opts->thapi = true;
    for (int i = OT_BACKEND_ANNOTATION; i < OT_BACKEND_COUNT && !opts->has_chosen_backends; i++)
        opts->view.levels[i] = 0;
    return OT_OK;
}

static int set_json(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    (void)value;
    (void)err;
    opts->format = OT_TALLY_JSON;
    return OT_OK;
}

static int set_csv(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    (void)value;
    (void)err;
    opts->format = OT_TALLY_CSV;
    return OT_OK;
}

static int set_no_self(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    (void)value;
    (void)err;
    opts->no_self = true;
    return OT_OK;
}

static int set_extended(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    (void)value;
    (void)err;
    opts->view.extended = true;
    return OT_OK;
}

static int set_sort(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    int choice = 0;
    int code = choose(sort_names, COUNT_OF(sort_names), value, &choice, err);
    if (code == OT_OK)
        opts->view.sort = (enum ot_sort)choice;
    return code;
}

static int set_by(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    int choice = 0;
    int code = choose(by_names, COUNT_OF(by_names), value, &choice, err);
    if (code < 0)
        return code;
    opts->by_forward = choice == BY_FORWARD;
    opts->view.by = opts->by_forward ? OT_BY_OPERATOR : (enum ot_by)choice;
    return OT_OK;
}

static int set_top(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    return read_integer(value, 1, "a number of rows, 1 or more", &opts->view.top, err);
}

static int set_max_name_size(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    opts->has_name_size = true;
    return read_integer(value, -1, "a length, or -1 for no limit", &opts->max_name_size, err);
}

static int unknown_backend(struct ot_text name, struct ot_err *err)
{
    struct ot_str list = {0};
    for (int i = 0; i < OT_BACKEND_COUNT; i++)
        ot_str_addf(&list, "%s%s", i ? ", " : "", ot_backends[i].name);
    int code = ot_err_set(err, OT_ERR_USAGE, "'%.*s' is none of: %s", (int)name.len, name.bytes,
                          ot_str_borrow(&list));
    ot_str_release(&list);
    return code;
}

/* One item of the list: name[:level]. */
static int choose_backend(int levels[OT_BACKEND_COUNT], struct ot_text item, struct ot_err *err)
{
    const char *colon = memchr(item.bytes, ':', item.len);
    struct ot_text name = {item.bytes, colon ? (size_t)(colon - item.bytes) : item.len};
    const struct ot_backend *backend = ot_backend_by_name(name);
    if (!backend)
        return unknown_backend(name, err);
    int level = backend->default_level ? backend->default_level : LEVEL_WHERE_NONE_IS_DEFAULT;
    if (colon) {
        size_t n_digits = item.len - name.len - 1;
        level = 0;
        for (size_t i = 1; i <= n_digits && n_digits <= 2; i++)
            level = colon[i] >= '0' && colon[i] <= '9' ? level * 10 + colon[i] - '0' : -MAX_LEVEL;
        if (level < 1)
            return ot_err_set(err, OT_ERR_USAGE, "'%.*s' has no level from 1 to %d", (int)item.len,
                              item.bytes, MAX_LEVEL);
    }
    levels[backend->id] = level;
    return OT_OK;
}

static int set_backends(struct ot_tally_opts *opts, const char *value, struct ot_err *err)
{
    int levels[OT_BACKEND_COUNT] = {0};
    while (true) {
        size_t len = strcspn(value, ",");
        int code = choose_backend(levels, (struct ot_text){value, len}, err);
        if (code < 0)
            return code;
        if (value[len] == '\0')
            break;
        value += len + 1;
    }
    memcpy(opts->view.levels, levels, sizeof(levels));
    opts->has_chosen_backends = true;
    return OT_OK;
}

const struct ot_tally_option ot_tally_options[] = {
    {"thapi", true, set_thapi},
    {"json", true, set_json},
    {"csv", true, set_csv},
    {"extended", true, set_extended},
    {"no-self", true, set_no_self},
    {"sort", false, set_sort},
    {"by", false, set_by},
    {"top", false, set_top},
    {"max-name-size", false, set_max_name_size},
    {"backends", false, set_backends},
};
const size_t ot_tally_n_options = COUNT_OF(ot_tally_options);

const struct ot_tally_option *ot_tally_option_find(const char *name)
{
    for (size_t i = 0; i < ot_tally_n_options; i++) {
        if (strcmp(name, ot_tally_options[i].name) == 0)
            return &ot_tally_options[i];
    }
    return NULL;
}

int ot_tally_opts_check(const struct ot_tally_opts *opts, struct ot_err *err)
{
    bool by_operator = opts->view.by == OT_BY_OPERATOR;
    if (opts->thapi && opts->format == OT_TALLY_CSV)
        return ot_err_set(err, OT_ERR_USAGE, "thapi and csv exclude each other: THAPI has no CSV");
    if (opts->thapi && (!by_operator || opts->by_forward))
        return ot_err_set(err, OT_ERR_USAGE,
                          "thapi and by exclude each other: THAPI has rows by operator alone");
    if (opts->no_self && opts->view.sort == OT_SORT_SELF)
        return ot_err_set(err, OT_ERR_USAGE,
                          "no-self and sort exclude each other: there is no self time to sort by");
    if (opts->view.extended && !by_operator)
        return ot_err_set(
            err, OT_ERR_USAGE,
            "extended and by exclude each other: extended has rows by operator alone");
    return OT_OK;
}
