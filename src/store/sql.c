#include "store/sql.h"

/* The assembler reads the file; OT_SQL_DIR comes from the build. */
#define SQL_FILE(name)                                                                             \
    __asm__(".pushsection .rodata\n"                                                               \
            ".global ot_sql_" #name "\n"                                                           \
            ".hidden ot_sql_" #name "\n"                                                           \
            "ot_sql_" #name ":\n"                                                                  \
            ".incbin \"" OT_SQL_DIR "/" #name ".sql\"\n"                                           \
            ".byte 0\n"                                                                            \
            ".popsection\n")

SQL_FILE(operators);
SQL_FILE(summary);
SQL_FILE(aggregates);
SQL_FILE(parts);
SQL_FILE(coverage);
SQL_FILE(details);
SQL_FILE(shapes);
SQL_FILE(threshold);
SQL_FILE(repeated);
SQL_FILE(repeated_details);
SQL_FILE(views);
