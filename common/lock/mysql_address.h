// The address of a database, from MYSQL_URL.
#ifndef MYSQL_ADDRESS_H
#define MYSQL_ADDRESS_H

struct mysql_address {
    char user[128];
    char password[256];
    char host[256];
    int port;
    char database[128];
    char socket[256]; // empty: by the network
};

// mysql://[user[:password]@]host[:port]/database[?unix_socket=/path], in which
// %xx is the byte with this hexadecimal number. NULL if it is one; otherwise
// what is wrong with it, without the URL: a password may stand there.
const char *mysql_address_read(const char *url, struct mysql_address *address);

#endif
