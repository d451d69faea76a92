// The parts of MYSQL_URL. A part ends where the URL's own @, : or / stands, and
// only then its %xx are read: so a password may have all of them.
#include "mysql_address.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PORT = 3306 };

// A % begins an escape: two hexadecimal digits, which are not 00.
static bool is_escape(const char *text) {
    return isxdigit((unsigned char)text[1]) &&
           isxdigit((unsigned char)text[2]) && strncmp(text, "%00", 3) != 0;
}

static bool has_bad_escape(const char *url) {
    for (const char *c = url; *c; c++)
        if (*c == '%' && !is_escape(c))
            return true;
    return false;
}

// Copies one part of the URL. False: it is too long.
static bool read_part(char *to, size_t size, const char *from, size_t length) {
    const char *end = from + length;

    for (; from < end; size--) {
        if (size <= 1)
            return false;
        char digits[3] = {0};
        if (*from != '%') {
            *to++ = *from++;
            continue;
        }
        memcpy(digits, from + 1, 2);
        *to++ = (char)strtol(digits, NULL, 16);
        from += 3;
    }
    *to = '\0';
    return true;
}

// [user[:password]@]
static const char *read_user(const char *rest, struct mysql_address *address) {
    size_t host = strcspn(rest, "/");
    const char *at = memrchr(rest, '@', host);

    if (!at)
        return rest;
    const char *colon = memchr(rest, ':', (size_t)(at - rest));
    const char *end = colon ? colon : at;
    if (!read_part(address->user, sizeof address->user, rest,
                   (size_t)(end - rest)) ||
        (colon &&
         !read_part(address->password, sizeof address->password, colon + 1,
                    (size_t)(at - colon - 1))))
        return NULL;
    return at + 1;
}

static bool read_port(const char *text, size_t length, int *port) {
    char *end;
    long number = strtol(text, &end, 10);

    *port = (int)number;
    return length > 0 && end == text + length && number > 0 && number < 65536;
}

// host[:port]/
static const char *read_host(const char *rest, struct mysql_address *address) {
    size_t host = strcspn(rest, ":/");
    const char *slash = strchr(rest, '/');

    if (!slash || !read_part(address->host, sizeof address->host, rest, host))
        return NULL;
    if (rest[host] == ':' &&
        !read_port(rest + host + 1, (size_t)(slash - rest) - host - 1,
                   &address->port))
        return NULL;
    return slash + 1;
}

// database[?unix_socket=/path]
static bool read_database(const char *rest, struct mysql_address *address) {
    static const char option[] = "?unix_socket=";
    size_t database = strcspn(rest, "?");
    const char *socket = rest + database + strlen(option);

    if (database == 0 || !read_part(address->database,
                                    sizeof address->database, rest, database))
        return false;
    if (!rest[database])
        return true;
    return strncmp(rest + database, option, strlen(option)) == 0 &&
           read_part(address->socket, sizeof address->socket, socket,
                     strlen(socket));
}

const char *mysql_address_read(const char *url, struct mysql_address *address) {
    static const char scheme[] = "mysql://";
    const char *rest = strncmp(url, scheme, strlen(scheme)) == 0
                           ? url + strlen(scheme) : NULL;

    memset(address, 0, sizeof *address);
    address->port = DEFAULT_PORT;
    if (has_bad_escape(url))
        return "MYSQL_URL has a % without the two hexadecimal digits of a "
               "byte (not 00) behind it: write %25 for a %";
    if (rest && (rest = read_user(rest, address)) &&
        (rest = read_host(rest, address)) && read_database(rest, address))
        return NULL;
    return "MYSQL_URL is not mysql://[user[:password]@]host[:port]/"
           "database[?unix_socket=/path]";
}
