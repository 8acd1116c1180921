/* engine.h: the parser of events, compiled for each instruction set.
 *
 * All engines give the same answers; tests hold them to it. Constant tables, any thread; a parser
 * belongs to one.
 */
#ifndef OT_INGEST_KINETO_ENGINE_H
#define OT_INGEST_KINETO_ENGINE_H

#include <stddef.h>

#include "ingest/kineto/json.h"
#include "ingest/kineto/raw.h"
#include "ingest/kineto/segments.h"

struct ot_kineto_parser {
    /* NULL: nothing is learned, and raw->values[OT_FIELD_ARGS] has the whole of args. */
    struct ot_kineto_segments *segments;

    /* The segment that ended the latest event; one of enum ot_kineto_state where there is none. */
    size_t segment;
};

struct ot_kineto_engine {
    const char *name;

    /* The next event of a list. OT_JSON_OK: the cursor is behind it. OT_JSON_CLOSED: it is behind
     * the list's bracket. OT_JSON_MORE and OT_JSON_FAULT: the parser is where it was, the cursor
     * anywhere; raw->at is where the event began, NULL if none did. */
    enum ot_json_code (*parse)(struct ot_kineto_parser *parser, struct ot_json_cursor *cur,
                               struct ot_kineto_raw *raw);

    /* Goes on with a value that is skipped; see skip.h. */
    enum ot_json_code (*skip)(struct ot_json_cursor *cur, struct ot_json_skip *skip);
};

extern const struct ot_kineto_engine ot_kineto_scalar;

/* The best one for this machine. */
const struct ot_kineto_engine *ot_kineto_engine(void);

/* All that this machine can run; NULL ends the list. For tests. */
enum { OT_KINETO_MAX_ENGINES = 3 };
void ot_kineto_engines(const struct ot_kineto_engine *ret_engines[OT_KINETO_MAX_ENGINES + 1]);

#endif
