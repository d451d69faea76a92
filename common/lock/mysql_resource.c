// The resource of a lock in a database: a row of the table resource, in the
// same database:
//     CREATE TABLE resource (id INT PRIMARY KEY, value VARCHAR(16));
// No lock in a database has a number yet, so every write is taken as it comes.
#include "mysql.h"
#include "resource.h"

static struct sql *connected(void) {
    static struct sql *sql;

    if (!sql)
        sql = sql_open();
    return sql;
}

static enum lock_result understood(enum sql_type type) {
    switch (type) {
    case SQL_DONE:
    case SQL_ROWS: return LOCK_OK;
    case SQL_NONE: return LOCK_UNKNOWN;
    default:       return LOCK_ERROR;
    }
}

enum lock_result resource_write(long long fence) {
    struct sql *sql = connected();

    (void)fence;
    if (!sql)
        return LOCK_UNKNOWN;
    return understood(
        sql_call(sql, "REPLACE INTO resource VALUES (1, 'written')")
            .type);
}

enum lock_result resource_write_apart(long long fence) {
    struct sql *sql = connected();

    if (!sql)
        return LOCK_UNKNOWN;
    enum lock_result read = understood(
        sql_call(sql, "SELECT value FROM resource WHERE id = 1").type);
    return read == LOCK_OK ? resource_write(fence) : read;
}
