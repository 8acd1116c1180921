#include "mcp/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* What is needed on the way, and nowhere else. */
struct building {
    struct ot_mcp_command *command;
    const struct ot_mcp_rules *rules;
    const struct ot_mcp_tool *tool;
    const json_t *arguments;
    const char *commit; /* that is asked for; NULL: the newest */
    bool has_runs;
    size_t entries; /* that may still be looked at in folders */
    struct ot_mcp_failure *failure;
};

static int add_word(struct building *building, const char *option, const char *value)
{
    struct ot_mcp_command *command = building->command;
    struct ot_str word = {0};
    ot_str_addf(&word, "%s%s%s", option, *option && value ? "=" : "", value ? value : "");
    bool has_room = !word.failed && ot_vec_reserve(&command->words, &command->cap, command->n + 2,
                                                   sizeof(*command->words));
    char *copy = has_room ? ot_arena_copy(&command->arena, ot_str_borrow(&word), word.len) : NULL;
    ot_str_release(&word);
    if (!copy) {
        ot_err_set(&building->failure->err, OT_ERR_NOMEM, "out of memory for a command");
        return ot_mcp_fail(building->failure, "failed");
    }
    command->words[command->n++] = copy;
    command->words[command->n] = NULL;
    return OT_OK;
}

/* --- inputs ------------------------------------------------------------------------------------
 */

static int fail_file(struct building *building, const char *path, enum ot_mcp_place place)
{
    if (place == OT_MCP_ABSENT) {
        ot_err_set(&building->failure->err, OT_ERR_INPUT, "%s: there is no such file", path);
        return ot_mcp_fail(building->failure, "not_found");
    }
    if (place == OT_MCP_TOO_MANY) {
        ot_err_set(&building->failure->err, OT_ERR_INPUT,
                   "%s: there are more than %d files in the folders that are named", path,
                   OT_MCP_MAX_ENTRIES);
        return ot_mcp_fail(building->failure, "too_many_files");
    }
    ot_err_set(&building->failure->err, OT_ERR_INPUT,
               "%s is not a file or folder that this server may read", path);
    return ot_mcp_fail(building->failure, "not_allowed");
}

struct found {
    enum ot_mcp_place place;
    char path[PATH_MAX];
};

static void find(struct building *building, const char *path, struct found *ret_found)
{
    ret_found->place =
        ot_mcp_folders_find(building->rules->folders, path, &building->entries, ret_found->path);
}

static int add_found(struct building *building, const char *option, const char *path,
                     const struct found *found)
{
    if (found->place != OT_MCP_INSIDE)
        return fail_file(building, path, found->place);
    building->command->has_files = true;
    return add_word(building, option, found->path);
}

static int add_file(struct building *building, const char *option, const char *path)
{
    struct found found;
    find(building, path, &found);
    return add_found(building, option, path, &found);
}

/* Looks up a run, or, if that is NULL, the commit alone. */
static int pick(struct building *building, const char *run)
{
    const struct ot_mcp_host *host = building->rules->opts->host;
    struct ot_mcp_pick *pick = &building->command->pick;
    const char *commit = pick->commit[0] ? pick->commit : building->commit;
    struct ot_mcp_pick found = {0};
    int code = host->pick(host->data, commit, run, &found, &building->failure->err);
    free(pick->sessions);
    *pick = found;
    if (code < 0)
        return ot_mcp_fail(building->failure, "bad_input");
    building->has_runs |= run != NULL;
    bool takes_all = building->tool->mixes_ranks ||
                     json_is_true(json_object_get(building->arguments, "all_sessions"));
    if (!run || found.n_sessions <= 1 || takes_all)
        return OT_OK;
    ot_err_set(&building->failure->err, OT_ERR_INPUT,
               "%s has %zu sessions, whose numbers are not to be mixed by accident", run,
               found.n_sessions);
    return ot_mcp_fail(building->failure, "several_sessions");
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_path(const char *input)
{
    return starts_with(input, "/") || starts_with(input, "./") || starts_with(input, "../");
}

/* What is spelt as a path is a file; what is there and may be named is one, too, unless a commit is
 * asked for. */
static int add_input(struct building *building, const char *option, const char *input)
{
    struct found found = {OT_MCP_OUTSIDE, ""};
    if (is_path(input) || (!building->commit && building->rules->folders->n > 0))
        find(building, input, &found);
    if (is_path(input) || found.place == OT_MCP_INSIDE || found.place == OT_MCP_TOO_MANY)
        return add_found(building, option, input, &found);
    /* It would be taken for an option of `diff`; a run of such a name has an id, too. */
    if (input[0] == '-')
        return fail_file(building, input, OT_MCP_OUTSIDE);
    int code = pick(building, input);
    if (code < 0 && strchr(input, '/') && !building->has_runs) /* rather a path than a name */
        return fail_file(building, input, found.place);
    return code < 0 ? code : add_word(building, option, input);
}

static int add_inputs(struct building *building, const json_t *inputs,
                      int (*add)(struct building *, const char *, const char *))
{
    size_t i;
    json_t *input;
    json_array_foreach (inputs, i, input) {
        int code = add(building, "", json_string_value(input));
        if (code < 0)
            return code;
    }
    return OT_OK;
}

/* --- options -----------------------------------------------------------------------------------
 */

static int add_value(struct building *building, const struct ot_mcp_param *param,
                     const json_t *value)
{
    char number[32];
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return add_word(building, param->option,
                    json_is_string(value) ? json_string_value(value) : number);
}

static int add_switch(struct building *building, const struct ot_mcp_param *param,
                      const json_t *value)
{
    /* Only runs have sessions to speak of. */
    return json_is_true(value) && building->has_runs ? add_word(building, param->option, NULL)
                                                     : OT_OK;
}

static int add_pairs(struct building *building, const struct ot_mcp_param *param,
                     const json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        struct ot_str pair = {0};
        if (strchr(key, '=')) {
            ot_err_set(&building->failure->err, OT_ERR_USAGE,
                       "\"%s\": the name of a label has no '='", param->name);
            return ot_mcp_fail(building->failure, "invalid_arguments");
        }
        ot_str_addf(&pair, "%s=%s", key, json_string_value(member));
        int code = add_word(building, param->option, ot_str_borrow(&pair));
        ot_str_release(&pair);
        if (code < 0)
            return code;
    }
    return OT_OK;
}

static int add_up_to(struct building *building, const struct ot_mcp_param *param,
                     const json_t *value)
{
    char number[32];
    json_int_t offset = json_integer_value(json_object_get(building->arguments, "offset"));
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value) + offset);
    return add_word(building, param->option, number);
}

static int add_one_input(struct building *building, const struct ot_mcp_param *param,
                         const json_t *value)
{
    return add_input(building, param->option ? param->option : "", json_string_value(value));
}

static int add_files(struct building *building, const struct ot_mcp_param *param,
                     const json_t *value)
{
    (void)param;
    return add_inputs(building, value, add_file);
}

static int add_side(struct building *building, const struct ot_mcp_param *param,
                    const json_t *value)
{
    int code = add_word(building, param->option, NULL);
    return code < 0 ? code : add_inputs(building, value, add_input);
}

static const struct {
    bool is_input; /* stands behind the options */
    bool is_bare;  /* and behind `--` */
    int (*add)(struct building *, const struct ot_mcp_param *, const json_t *);
} forms[] = {
    [OT_MCP_VALUE] = {.add = add_value},          [OT_MCP_SWITCH] = {.add = add_switch},
    [OT_MCP_PAIRS] = {.add = add_pairs},          [OT_MCP_UP_TO] = {.add = add_up_to},
    [OT_MCP_INPUT] = {true, true, add_one_input}, [OT_MCP_FILES] = {true, true, add_files},
    [OT_MCP_SIDE] = {true, false, add_side},
};

static int add_params(struct building *building, bool inputs)
{
    for (size_t i = 0; i < OT_MCP_MAX_PARAMS && building->tool->params[i].name; i++) {
        const struct ot_mcp_param *param = &building->tool->params[i];
        const json_t *value = json_object_get(building->arguments, param->name);
        if (!value || forms[param->form].is_input != inputs)
            continue;
        int code = forms[param->form].is_bare ? add_word(building, "--", NULL) : OT_OK;
        if (code == OT_OK)
            code = forms[param->form].add(building, param, value);
        if (code < 0)
            return code;
    }
    return OT_OK;
}

/* --- the command -------------------------------------------------------------------------------
 */

static int choose_commit(struct building *building)
{
    const char *pinned = building->rules->opts->commit;
    const char *asked = json_string_value(json_object_get(building->arguments, "commit"));
    building->commit = pinned ? pinned : asked;
    if (!pinned || !asked || strncmp(pinned, asked, strlen(asked)) == 0)
        return OT_OK;
    ot_err_set(&building->failure->err, OT_ERR_USAGE, "this server answers from commit %s alone",
               pinned);
    return ot_mcp_fail(building->failure, "pinned");
}

/* A statement can be longer than a word of a command line; so the verb reads it. */
static int add_query(struct building *building)
{
    struct ot_mcp_question question = {building->arguments, &building->command->pick};
    char seconds[32];
    snprintf(seconds, sizeof(seconds), "%" PRId64,
             building->rules->opts->timeout_ns / 1000000000 + 1);
    if (building->tool->ask(&question, &building->command->input, &building->failure->err) < 0)
        return ot_mcp_fail(building->failure, "invalid_arguments");
    int code = add_word(building, "--timeout", seconds);
    if (code == OT_OK)
        code = add_word(building, "--file", "-");
    if (code == OT_OK && building->command->input.failed) {
        ot_err_set(&building->failure->err, OT_ERR_NOMEM, "out of memory for a statement");
        code = ot_mcp_fail(building->failure, "failed");
    }
    return code;
}

/* The first `n_first` words change places with those behind them. */
static void turn(char **words, size_t n_first, size_t n)
{
    for (size_t i = 0; i < n_first; i++) {
        char *word = words[0];
        memmove(words, words + 1, (n - 1) * sizeof(*words));
        words[n - 1] = word;
    }
}

static int add_store(struct building *building)
{
    const char *commit = building->command->pick.commit;
    int code = OT_OK;
    if (building->rules->opts->store)
        code = add_word(building, "--store", building->rules->opts->store);
    if (code == OT_OK && commit[0])
        code = add_word(building, "--commit", commit);
    return code;
}

/* Inputs come first, since they say which commit it is, and are then turned behind the options. */
static int add_all(struct building *building)
{
    struct ot_mcp_command *command = building->command;
    const char *run = json_string_value(json_object_get(building->arguments, "input"));
    size_t n_before = command->n;
    int code = building->tool->is_of_store ? pick(building, run) : OT_OK;
    if (code == OT_OK)
        code = add_params(building, true);
    size_t n_inputs = command->n - n_before;
    if (code == OT_OK)
        code = add_store(building);
    if (code == OT_OK)
        code = add_params(building, false);
    if (code == OT_OK)
        turn(command->words + n_before, n_inputs, command->n - n_before);
    if (code == OT_OK && building->tool->ask)
        code = add_query(building);
    return code;
}

int ot_mcp_command_build(struct ot_mcp_command *command, const struct ot_mcp_rules *rules,
                         const struct ot_mcp_tool *tool, const json_t *arguments,
                         struct ot_mcp_failure *failure)
{
    struct building building = {
        .command = command,
        .rules = rules,
        .tool = tool,
        .arguments = arguments,
        .entries = OT_MCP_MAX_ENTRIES,
        .failure = failure,
    };
    int code = choose_commit(&building);
    if (code == OT_OK)
        code = add_word(&building, "optally", NULL);
    if (code == OT_OK)
        code = add_word(&building, tool->verb, NULL);
    if (code == OT_OK)
        code = add_word(&building, tool->json_option, NULL);
    if (code == OT_OK)
        code = add_all(&building);
    if (code == OT_OK && building.has_runs && command->has_files) {
        ot_err_set(&failure->err, OT_ERR_USAGE,
                   "runs and files do not mix: import the files first");
        code = ot_mcp_fail(failure, "invalid_arguments");
    }
    return code;
}

void ot_mcp_command_release(struct ot_mcp_command *command)
{
    ot_arena_release(&command->arena);
    ot_str_release(&command->input);
    free(command->words);
    free(command->pick.sessions);
    *command = (struct ot_mcp_command){0};
}
