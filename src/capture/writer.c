#include "capture/writer.h"

#include <string.h>

static const struct ot_capture_writer *const writers[] = {&ot_capture_builtin, &ot_capture_lttng};

const struct ot_capture_writer *ot_capture_writer_find(const char *name)
{
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        if (strcmp(writers[i]->name, name) == 0)
            return writers[i];
    }
    return NULL;
}
