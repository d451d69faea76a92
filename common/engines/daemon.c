#include "daemon.h"

#include "base/fail.h"
#include "machine/clock.h"
#include "machine/sandbox.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ENDING_MS = 200 };

bool daemon_ends(const struct daemon *daemon) {
    for (int ms = 0; ms < ENDING_MS; ms++) {
        if (process_ended(&daemon->process))
            return true;
        poll(NULL, 0, 1);
    }
    return false;
}

_Noreturn static void blame(struct daemon *daemon, const char *what,
                            const char *task) {
    const char *said = daemon->last_line;

    daemon_hear(daemon);
    fail("server %d %s, for %d s%s%s%s%s%s", daemon->number, what,
         PATIENCE_MS / 1000, *task ? "; " : "", task,
         *said ? "; of its log: \"" : "", said, *said ? "\"" : "");
}

void daemon_blame_if_awake(struct daemon *daemon, const char *what) {
    char task[TASKS_TEXT_SIZE];

    tasks_describe(&daemon->process.tasks, daemon->process.pid, task);
    if (*task)
        blame(daemon, what, task);
}

void daemon_blame(struct daemon *daemon, const char *what) {
    daemon_blame_if_awake(daemon, what);
    blame(daemon, what, "");
}

// The beginning of a line, of which nobody knows an end.
static void keep_rest(struct daemon *daemon) {
    if (*daemon->said)
        daemon->kind->note_line(daemon, daemon->said);
    *daemon->said = '\0';
}

// Handles the whole lines of the log so far. The rest is the beginning of a
// line; one that fills the room is taken for a whole line.
static void read_lines(struct daemon *daemon) {
    char *line = daemon->said, *end;

    while ((end = strchr(line, '\n'))) {
        *end = '\0';
        if (*line)
            daemon->kind->note_line(daemon, line);
        line = end + 1;
    }
    memmove(daemon->said, line, strlen(line) + 1);
    if (strlen(daemon->said) == sizeof daemon->said - 1)
        keep_rest(daemon);
}

// Reads the server's log, so that the pipe never fills.
static void read_log(void *owner) {
    struct daemon *daemon = owner;
    size_t begun = strlen(daemon->said);
    ssize_t length = read(daemon->log.fd, daemon->said + begun,
                          sizeof daemon->said - 1 - begun);

    if (length <= 0) {
        loop_close(&daemon->log);
        keep_rest(daemon);
        if (daemon->answers && daemon_ends(daemon)) // nobody here has killed it
            daemon->kind->fail(daemon);
        return;
    }
    daemon->said[begun + (size_t)length] = '\0';
    read_lines(daemon);
}

void daemon_hear(struct daemon *daemon) {
    enum { MOST_READS = 32 }; // more than a pipe holds
    struct pollfd more = {.fd = daemon->log.fd, .events = POLLIN};

    for (int i = 0; i < MOST_READS && daemon->log.fd >= 0 &&
                    poll(&more, 1, 0) > 0; i++)
        read_log(daemon);
    keep_rest(daemon);
}

void daemon_open(struct daemon *daemon, const struct daemon_kind *kind,
                 int number) {
    char file[32];

    *daemon = (struct daemon){.kind = kind, .number = number};
    snprintf(file, sizeof file, "%s%d", kind->name, number);
    sandbox_path(daemon->folder, file);
    snprintf(daemon->path, sizeof daemon->path, "%s.sock", daemon->folder);
    daemon->slot = clock_server_slot();
    daemon->process.joins_stderr = true;
    daemon->door.fd = -1;
    daemon->log.fd = -1;
}

void daemon_blame_disk(const struct daemon *daemon) {
    fail("no room for the files of %s in %s: %s; set TMPDIR to a folder with "
         "room", daemon->kind->program(), sandbox_folder(), strerror(ENOSPC));
}

_Noreturn static void end_of_start(struct daemon *daemon) {
    const char *how = process_end(&daemon->process);

    while (daemon->log.fd >= 0) // its last words
        read_log(daemon);
    daemon->kind->explain(daemon, how);
    fail("%s %s before it was ready: %s", daemon->kind->program(), how,
         daemon->last_line[0] ? daemon->last_line : "it said nothing");
}

static bool answers(struct daemon *daemon) {
    if (door_take(&daemon->door, daemon->path))
        daemon->listens = true;
    return daemon->listens && daemon->kind->answers(daemon);
}

// A server writes to its log when it is ready: so its door is tried again after
// each line of it.
void daemon_await(struct daemon *daemon) {
    struct patience patience = {0};

    daemon->last_line[0] = daemon->said[0] = '\0';
    loop_watch(&daemon->log, process_output(&daemon->process), read_log,
               daemon);
    while (!answers(daemon)) {
        loop_turn(1000);
        if (process_ended(&daemon->process))
            end_of_start(daemon);
        if (!process_patience_of(&patience, PATIENCE_FOR_STARTS_MS)) {
            daemon_hear(daemon);
            fail("%s was started and has not answered for %d s%s%s",
                 daemon->kind->program(), PATIENCE_FOR_STARTS_MS / 1000,
                 daemon->last_line[0] ? ": " : "", daemon->last_line);
        }
    }
    daemon->answers = true;
}

void daemon_kill(struct daemon *daemon) {
    loop_close(&daemon->log);
    process_kill(&daemon->process);
    daemon->listens = daemon->answers = false;
}
