/* sql_text.h: where the query of `optally sql` comes from. */
#ifndef OT_CLI_SQL_TEXT_H
#define OT_CLI_SQL_TEXT_H

#include "base/err.h"
#include "base/str.h"

/* Reads all of a file; "-" is standard input. OT_ERR_INPUT: it is no text, or too long for one. */
int ot_sql_text_read(const char *name, struct ot_str *ret_text, struct ot_err *err);

#endif
