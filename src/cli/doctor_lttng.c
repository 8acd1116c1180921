/* What recording through LTTng needs. */
#include <string.h>
#include <unistd.h>

#include "capture/daemon.h"
#include "capture/lttng_api.h"
#include "capture/paths.h"
#include "capture/probe.h"
#include "cli/doctor.h"

/* Some versions print the number alone, others the program's name before and a nickname after. */
void ot_doctor_session_daemon(struct ot_patient *patient)
{
    (void)patient;
    char path[PATH_MAX];
    char line[256];
    if (ot_paths_find_command("lttng-sessiond", path) != OT_COMMAND_FOUND) {
        ot_doctor_optional("lttng-sessiond is not there: apt-get install lttng-tools");
        return;
    }
    const char *argv[] = {path, "--version", NULL};
    if (ot_capture_last_line(argv, line, sizeof(line)) != 0)
        line[0] = '\0';
    const char *version = line + strcspn(line, "0123456789");
    ot_doctor_good("lttng-sessiond %.*s (%s)", (int)strcspn(version, " "), version, path);
}

void ot_doctor_control_library(struct ot_patient *patient)
{
    (void)patient;
    struct ot_lttng_api api;
    struct ot_err err;
    if (ot_lttng_api_open(&api, &err) < 0)
        ot_doctor_optional("liblttng-ctl: %s", err.msg);
    else
        ot_doctor_good("liblttng-ctl");
}

void ot_doctor_writer_module(struct ot_patient *patient)
{
    char lacking[256];
    if (ot_capture_can_load(patient->lib_dir, "optally-writer-lttng.so", lacking, sizeof(lacking)))
        ot_doctor_good("liblttng-ust, and the writer that uses it");
    else
        ot_doctor_optional("liblttng-ust (%s): apt-get install liblttng-ust1", lacking);
}

void ot_doctor_isolation(struct ot_patient *patient)
{
    (void)patient;
    if (geteuid() != 0)
        ot_doctor_good("a session daemon of your own, in a folder of its own");
    else if (ot_daemon_can_isolate())
        ot_doctor_good("a session daemon in a mount namespace, out of the way of root's other one");
    else if (!ot_daemon_foreign_is_running())
        ot_doctor_good(
            "a session daemon in /run/lttng (no mount namespace is allowed, but nobody else is "
            "there)");
    else
        ot_doctor_optional(
            "no place for a session daemon: root's runs already and no mount namespace is "
            "allowed; an ordinary user can have one");
}
