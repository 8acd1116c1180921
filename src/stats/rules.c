#include "stats/rules.h"

#include <stddef.h>

enum rule { SYNCHRONIZES, COMPILES, NAMES_WARMUP, IS_WARM, LAUNCHES_GRAPH };

/* In lower case. */
static const struct word {
    enum rule rule;
    const char *word;
} words[] = {
    {SYNCHRONIZES, "synchronize"},   {COMPILES, "compile"},        {COMPILES, "dynamo"},
    {COMPILES, "inductor"},          {COMPILES, "graph_executor"}, {NAMES_WARMUP, "warmup"},
    {NAMES_WARMUP, "warm-up"},       {NAMES_WARMUP, "warm up"},    {IS_WARM, "warm"},
    {LAUNCHES_GRAPH, "graphlaunch"},
};

static const char phase_prefix[] = "phase:";

/* How PyTorch names the node that runs a backward operator. */
static const char backward_prefix[] = "autograd::engine::evaluate_function: ";

/* Ranges in which PyTorch runs code that it compiled before, or finds it. */
static const char *const runs_compiled_code[] = {
    "Torch-Compiled Region",    "CompiledFunction", "Call CompiledFxGraph",
    "TorchDynamo Cache Lookup", "inductor::",
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(struct ot_text text, const char *word)
{
    size_t len = strlen(word);
    for (size_t at = 0; at + len <= text.len; at++) {
        size_t same = 0;
        while (same < len && lower(text.bytes[at + same]) == word[same])
            same++;
        if (same == len)
            return true;
    }
    return false;
}

static bool matches(struct ot_text text, enum rule rule)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (words[i].rule == rule && contains(text, words[i].word))
            return true;
    }
    return false;
}

static bool skip_prefix(struct ot_text *text, const char *prefix)
{
    size_t len = strlen(prefix);
    if (text->len < len || memcmp(text->bytes, prefix, len) != 0)
        return false;
    *text = (struct ot_text){text->bytes + len, text->len - len};
    return true;
}

bool ot_rules_synchronizes(struct ot_text name)
{
    return matches(name, SYNCHRONIZES);
}

bool ot_rules_compiles(struct ot_text name)
{
    if (!matches(name, COMPILES))
        return false;
    while (skip_prefix(&name, "#") || skip_prefix(&name, " "))
        ;
    skip_prefix(&name, backward_prefix);
    for (size_t i = 0; i < sizeof(runs_compiled_code) / sizeof(runs_compiled_code[0]); i++) {
        if (skip_prefix(&name, runs_compiled_code[i]))
            return false;
    }
    return true;
}

bool ot_rules_phase(struct ot_text name, struct ot_text *ret_phase)
{
    struct ot_text phase = name;
    if (!skip_prefix(&phase, phase_prefix) && !matches(name, NAMES_WARMUP))
        return false;
    *ret_phase = phase;
    return true;
}

bool ot_rules_is_warm(struct ot_text phase)
{
    return matches(phase, IS_WARM);
}

bool ot_rules_is_graph_launch(struct ot_text name)
{
    return matches(name, LAUNCHES_GRAPH);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* `ns::op.overload`, and nothing else: kernels and ranges have names with points and colons, too.
 */
bool ot_rules_has_overload(struct ot_text name)
{
    size_t at = 0;
    bool has_namespace = false;
    for (; at < name.len && (is_word(name.bytes[at]) || name.bytes[at] == ':'); at++)
        has_namespace |= at > 0 && name.bytes[at] == ':' && name.bytes[at - 1] == ':';
    if (!has_namespace || at == name.len || name.bytes[at] != '.')
        return false;
    size_t first = ++at;
    while (at < name.len && is_word(name.bytes[at]))
        at++;
    return at == name.len && at > first;
}
