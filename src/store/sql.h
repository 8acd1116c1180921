/* sql.h: the queries of sql/, which the build puts into the module.
 *
 * One purpose per file. What a query leaves behind (a table) another may use, so they run in the
 * order in which they stand here. Constant data, any thread.
 */
#ifndef OT_STORE_SQL_H
#define OT_STORE_SQL_H

/* NUL-terminated; each is one or more statements, and the last one's rows are its result. */
extern const char ot_sql_operators[];
extern const char ot_sql_summary[];
extern const char ot_sql_aggregates[];
extern const char ot_sql_parts[];
extern const char ot_sql_coverage[];
extern const char ot_sql_details[];
extern const char ot_sql_shapes[];
extern const char ot_sql_threshold[];
extern const char ot_sql_repeated[];
extern const char ot_sql_repeated_details[];

/* Not of an analysis: the views over a commit, in a database of its own. */
extern const char ot_sql_views[];

#endif
