/* doctor.h: what the checks of optally doctor share. */
#ifndef OT_CLI_DOCTOR_H
#define OT_CLI_DOCTOR_H

#include <limits.h>
#include <stdbool.h>

struct ot_patient {
    char lib_dir[PATH_MAX];
    const char *const *interpreter;
    bool is_missing_something;
};

/* One line each. */
void ot_doctor_good(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void ot_doctor_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What is not there is needed for a choice alone. */
void ot_doctor_optional(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What is not there has to be. */
void ot_doctor_missing(struct ot_patient *patient, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What the built-in writer needs (doctor_builtin.c). */
void ot_doctor_clock(struct ot_patient *patient);
void ot_doctor_room(struct ot_patient *patient);
void ot_doctor_wipe(struct ot_patient *patient);

/* What the LTTng writer needs (doctor_lttng.c). */
void ot_doctor_session_daemon(struct ot_patient *patient);
void ot_doctor_control_library(struct ot_patient *patient);
void ot_doctor_writer_module(struct ot_patient *patient);
void ot_doctor_isolation(struct ot_patient *patient);

#endif
