/* cmd_doctor.c: optally doctor: what this machine can record and read, and what to install. */
#include <babeltrace2/babeltrace.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/paths.h"
#include "capture/probe.h"
#include "cli/doctor.h"
#include "cli/output.h"
#include "cli/store_module.h"
#include "cli/verb.h"

static const char usage[] =
    "usage: optally doctor [-- INTERPRETER [ARGUMENT...]]\n"
    "\n"
    "Says what can be recorded and read here, and what to install. INTERPRETER (default: python3)\n"
    "is the Python whose PyTorch is looked at. Exits with 1 when something is missing.\n";

static void print_line(const char *mark, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

static void print_line(const char *mark, const char *fmt, va_list args)
{
    struct ot_err text; /* for its promise of one clean line */
    char raw[sizeof(text.msg)];
    vsnprintf(raw, sizeof(raw), fmt, args);
    ot_err_set(&text, OT_OK, "%s", raw);
    printf("  %-8s %s\n", mark, text.msg);
}

void ot_doctor_good(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_line("ok", fmt, args);
    va_end(args);
}

void ot_doctor_warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_line("warning", fmt, args);
    va_end(args);
}

void ot_doctor_optional(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_line("optional", fmt, args);
    va_end(args);
}

void ot_doctor_missing(struct ot_patient *patient, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_line("missing", fmt, args);
    va_end(args);
    patient->is_missing_something = true;
}

static void check_torch(struct ot_patient *patient)
{
    struct ot_tracer_status status;
    struct ot_err err;
    const char *name = patient->interpreter[0];
    char path[PATH_MAX];
    if (ot_paths_find_command(name, path) != OT_COMMAND_FOUND) {
        ot_doctor_missing(
            patient, "%s: no such command; name an interpreter: optally doctor -- PYTHON", name);
        return;
    }
    if (ot_capture_probe(patient->interpreter, patient->lib_dir, &status, &err) < 0) {
        ot_doctor_missing(patient,
                          "PyTorch in %s (%s): %s -m pip install torch, or apt-get install "
                          "python3-torch",
                          path, err.msg, name);
        return;
    }
    if (status.warning[0] != '\0')
        ot_doctor_warn("%s", status.warning);
    if (status.refused > 0) {
        ot_doctor_missing(patient, "a PyTorch that can be traced: %s", status.refusal);
    } else if (status.attached == 0) {
        ot_doctor_missing(patient, "libtorch_cpu.so: %s imports a torch that does not load it",
                          path);
    } else {
        ot_doctor_good("PyTorch %s (%s)", status.version, status.library);
        ot_doctor_good(
            "ABI self-test passed: a start and an end arrived, overload names come from %s",
            strcmp(status.overloads, "exported") == 0 ? "overload_name()" : "operator_name()");
        if (status.sequence_offset >= 0)
            ot_doctor_good("sequence numbers are at byte %ld of RecordFunction",
                           status.sequence_offset);
    }
}

static void check_reader(struct ot_patient *patient)
{
    char path[PATH_MAX + 64];
    unsigned major = bt_version_get_major();
    unsigned minor = bt_version_get_minor();
    const bt_plugin_set *plugins = NULL;
    const char *quote = strchr(patient->lib_dir, ' ') ? "'" : "";
    ot_doctor_good("libbabeltrace2 %u.%u.%u", major, minor, bt_version_get_patch());

    const bt_plugin *ctf = NULL;
    if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf) ==
        BT_PLUGIN_FIND_STATUS_OK) {
        ot_doctor_good("its CTF plugin");
        bt_plugin_put_ref(ctf);
    } else {
        ot_doctor_missing(patient, "libbabeltrace2's CTF plugin: apt-get install libbabeltrace2-0");
    }
    snprintf(path, sizeof(path), "%s/babeltrace2/babeltrace2-plugin-optally.so", patient->lib_dir);
    if (bt_plugin_find_all_from_file(path, BT_FALSE, &plugins) ==
        BT_PLUGIN_FIND_ALL_FROM_FILE_STATUS_OK) {
        ot_doctor_good("the optally plugin: babeltrace2 --plugin-path=%s%s/babeltrace2%s", quote,
                       patient->lib_dir, quote);
        bt_plugin_set_put_ref(plugins);
    } else {
        ot_doctor_missing(patient, "%s: install optally again", path);
    }
    if (ot_paths_find_command("babeltrace2", path) == OT_COMMAND_FOUND)
        ot_doctor_good("the babeltrace2 command (%s)", path);
    else
        ot_doctor_missing(patient,
                          "the babeltrace2 command (for use with the plugin; optally itself does "
                          "without it): apt-get install babeltrace2");
}

static void check_store(struct ot_patient *patient)
{
    const struct ot_store_api *store = NULL;
    struct ot_err err;
    if (ot_store_module_load(&store, &err) < 0)
        ot_doctor_missing(patient, "analysis: %s", err.msg);
    else
        ot_doctor_good("DuckDB, for optally analyze");
}

static const struct section {
    const char *title;
    void (*checks[5])(struct ot_patient *patient);
} sections[] = {
    {"Recording", {ot_doctor_clock, ot_doctor_room, ot_doctor_wipe}},
    {"PyTorch", {check_torch}},
    {"Recording through LTTng (needed only for --writer lttng)",
     {ot_doctor_session_daemon, ot_doctor_control_library, ot_doctor_writer_module,
      ot_doctor_isolation}},
    {"Reading", {check_reader}},
    {"Analysis", {check_store}},
};

int ot_cmd_doctor(int argc, char **argv)
{
    static const struct option long_options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    static const char *const default_interpreter[] = {"python3", NULL};
    for (int c; (c = getopt_long(argc, argv, "+:h", long_options, NULL)) != -1;) {
        if (c == 'h')
            return ot_print_usage("doctor", usage);
        ot_complain("doctor", "%s is no option of doctor (see optally doctor --help)",
                    argv[optind - 1]);
        return OT_EXIT_MISUSED;
    }
    struct ot_patient patient = {.interpreter = optind < argc ? (const char *const *)argv + optind
                                                              : default_interpreter};
    struct ot_err err;
    if (ot_paths_lib_dir(patient.lib_dir, &err) < 0) {
        ot_complain("doctor", "%s", err.msg);
        return OT_EXIT_FAILED;
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        printf("%s%s\n", i ? "\n" : "", sections[i].title);
        for (size_t j = 0; sections[i].checks[j]; j++)
            sections[i].checks[j](&patient);
    }
    return ot_finish_output("doctor", patient.is_missing_something ? OT_EXIT_FAILED : OT_EXIT_OK);
}
