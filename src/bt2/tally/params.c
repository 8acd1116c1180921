#include "bt2/tally/params.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"

struct reading {
    struct ot_tally_opts *opts;
    struct ot_err *err;
    int code;
};

static int refuse_name(const char *name, struct ot_err *err)
{
    struct ot_str list = {0};
    for (size_t i = 0; i < ot_tally_n_options; i++)
        ot_str_addf(&list, "%s%s", i ? ", " : "", ot_tally_options[i].name);
    int code =
        ot_err_set(err, OT_ERR_USAGE, "parameter '%s' is none of: %s", name, ot_str_borrow(&list));
    ot_str_release(&list);
    return code;
}

static int set_switch(const struct ot_tally_option *option, const bt_value *value,
                      struct reading *reading)
{
    if (!bt_value_is_bool(value))
        return ot_err_set(reading->err, OT_ERR_USAGE, "not a boolean");
    if (!bt_value_bool_get(value))
        return OT_OK;
    return option->set(reading->opts, NULL, reading->err);
}

static int set_valued(const struct ot_tally_option *option, const bt_value *value,
                      struct reading *reading)
{
    char number[24];
    if (bt_value_is_string(value))
        return option->set(reading->opts, bt_value_string_get(value), reading->err);
    if (bt_value_is_signed_integer(value))
        snprintf(number, sizeof(number), "%" PRId64, bt_value_integer_signed_get(value));
    else if (bt_value_is_unsigned_integer(value))
        snprintf(number, sizeof(number), "%" PRIu64, bt_value_integer_unsigned_get(value));
    else
        return ot_err_set(reading->err, OT_ERR_USAGE, "not a string or integer");
    return option->set(reading->opts, number, reading->err);
}

static bt_value_map_foreach_entry_const_func_status read_param(const char *name,
                                                               const bt_value *value, void *data)
{
    struct reading *reading = data;
    const struct ot_tally_option *option = ot_tally_option_find(name);
    if (option) {
        reading->code = option->is_switch ? set_switch(option, value, reading)
                                          : set_valued(option, value, reading);
        if (reading->code < 0)
            ot_err_context(reading->err, "parameter '%s'", name);
    } else {
        reading->code = refuse_name(name, reading->err);
    }
    return reading->code == OT_OK ? BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK
                                  : BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_INTERRUPT;
}

int ot_tally_params_read(struct ot_tally_opts *opts, const bt_value *params, struct ot_err *err)
{
    struct reading reading = {.opts = opts, .err = err};
    if (bt_value_map_foreach_entry_const(params, read_param, &reading) ==
        BT_VALUE_MAP_FOREACH_ENTRY_CONST_STATUS_OK) {
        if (opts->by_forward)
            return ot_err_set(err, OT_ERR_USAGE,
                              "parameter 'by': intervals do not say what a backward operator works "
                              "for; optally tally can tell it by forward");
        return ot_tally_opts_check(opts, err);
    }
    /* The interruption itself is no error of the library's. */
    bt_current_thread_clear_error();
    return reading.code < 0 ? reading.code
                            : ot_err_set(err, OT_ERR_NOMEM, "out of memory for parameters");
}
