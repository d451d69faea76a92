#include "zookeeperd.h"

#include "base/fail.h"
#include "machine/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PORT = 2181 };

static const char *archive(void) {
    const char *named = getenv("ZOOKEEPER_JAR");
    return named && *named ? named : "/usr/share/java/zookeeper.jar";
}

// What is started, for messages.
static const char *program(void) {
    return "ZooKeeper";
}

void zookeeperd_fail(struct zookeeperd *server, const char *asked) {
    struct daemon *daemon = &server->daemon;

    if (daemon_ends(daemon))
        fail("server %d %s: %s", daemon->number, process_end(&daemon->process),
             daemon->last_line);
    fail("server %d has not answered '%s' (for %d s at most): %s",
         daemon->number, asked, PATIENCE_MS / 1000, daemon->last_line);
}

static void keep_line(struct daemon *daemon, const char *line) {
    if (strncmp(line, "SLF4J", strlen("SLF4J")) != 0 &&
        strncmp(line, "\tat ", strlen("\tat ")) != 0)
        snprintf(daemon->last_line, sizeof daemon->last_line, "%s", line);
}

static void path_in(char path[DAEMON_PATH_SIZE],
                    const struct zookeeperd *server, const char *name) {
    snprintf(path, DAEMON_PATH_SIZE, "%s/%s", server->daemon.folder,
             name);
}

// --- starting ----------------------------------------------------------------

// A round is in what the server counts time: a session ends with the round in
// which its time is over. To the world's own session no time passes.
static void write_settings(const struct zookeeperd *server, const char *path) {
    FILE *file = fopen(path, "w");

    if (!file)
        fail("cannot write %s: %s", path, strerror(errno));
    fprintf(file, "tickTime=500\nminSessionTimeout=500\n"
                  "maxSessionTimeout=2000000000\nmaxClientCnxns=0\n"
                  "clientPort=%d\nclientPortAddress=127.0.0.1\n"
                  "admin.enableServer=false\n4lw.commands.whitelist=srvr\n"
                  "dataDir=%s/data\n",
            PORT, server->daemon.folder);
    if (fclose(file) != 0)
        fail("no room for %s: %s; set TMPDIR to a folder with room", path,
             strerror(errno));
}

// What is said to the virtual machine has two reasons: it starts quickly and
// takes little memory. What is written is not forced to the disk, because no
// power fails here that a run would not notice.
static void spawn(struct zookeeperd *server) {
    char settings[DAEMON_PATH_SIZE], path[4096];
    char *argv[] = {
        (char *)"java", (char *)"-XX:TieredStopAtLevel=1",
        (char *)"-XX:+UseSerialGC", (char *)"-Xshare:auto", (char *)"-Xmx96m",
        (char *)"-XX:-UsePerfData", (char *)"-Djava.net.preferIPv4Stack=true",
        (char *)"-Dzookeeper.forceSync=no",
        (char *)"-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        (char *)"-cp", path,
        (char *)"org.apache.zookeeper.server.ZooKeeperServerMain", settings,
        NULL,
    };
    struct variable environment[CLOCK_VARIABLES + 1];

    path_in(settings, server, "zoo.cfg");
    snprintf(path, sizeof path, "%s:/usr/share/java/slf4j-simple.jar",
             archive());
    mkdir(server->daemon.folder, 0700);
    write_settings(server, settings);
    clock_environment_of_jvm(environment, server->daemon.slot,
                             server->daemon.folder);
    process_start(&server->daemon.process, argv, environment);
}

static void explain(const struct daemon *daemon, const char *how) {
    (void)daemon;
    if (strcmp(how, "exited with 127") == 0)
        fail("there is no java here: Debian's package default-jre-headless has "
             "it (make roads)");
}

static void fail_by_itself(struct daemon *daemon) {
    zookeeperd_fail((struct zookeeperd *)daemon, "anything");
}

// It listens before it can do anything: then it does not say its version.
static bool answers(struct daemon *daemon) {
    struct zookeeperd *server = (struct zookeeperd *)daemon;
    char version[32] = "";

    zoo_version(&daemon->door, version, sizeof version);
    server->own = version[0] ? zoo_open(&daemon->door) : NULL;
    snprintf(server->version, sizeof server->version, "zookeeper %s", version);
    return server->own != NULL;
}

static const struct daemon_kind zookeeper_server = {
    .name = "zoo",
    .program = program,
    .answers = answers,
    .keep_line = keep_line,
    .explain = explain,
    .fail = fail_by_itself,
};

// Its sockets have the names of ports, in its folder.
void zookeeperd_open(struct zookeeperd *server, int number) {
    struct daemon *daemon = &server->daemon;

    memset(server, 0, sizeof *server);
    daemon_open(daemon, &zookeeper_server, number);
    snprintf(daemon->path, sizeof daemon->path, "%s/%d", daemon->folder, PORT);
}

void zookeeperd_make_resource(struct zookeeperd *server) {
    int32_t error;

    if (!zoo_create(server->own, "/resource", &error))
        zookeeperd_fail(server, "create /resource");
}

void zookeeperd_start(struct zookeeperd *server) {
    if (access(archive(), R_OK) < 0)
        fail("there is no %s here: Debian's package libzookeeper-java has one "
             "(make roads), or name yours in ZOOKEEPER_JAR", archive());
    server->rested = false;
    server->accepted = clock_accepted(server->daemon.slot);
    spawn(server);
    daemon_await(&server->daemon);
    zookeeperd_make_resource(server);
}

void zookeeperd_kill(struct zookeeperd *server) {
    zoo_close(server->own);
    server->own = NULL;
    daemon_kill(&server->daemon);
}

static void remove_files(const char *folder) {
    DIR *listed = opendir(folder);
    struct dirent *entry;

    while (listed && (entry = readdir(listed)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(listed), entry->d_name, 0);
    if (listed)
        closedir(listed);
}

void zookeeperd_wipe(struct zookeeperd *server) {
    char folder[DAEMON_PATH_SIZE];

    path_in(folder, server, "data/version-2");
    remove_files(folder);
}

void zookeeperd_close(struct zookeeperd *server) {
    if (server->own)
        zookeeperd_kill(server);
    door_close(&server->daemon.door);
}

// --- looking at it -----------------------------------------------------------

static bool nothing_to_drain(void) {
    return true;
}

bool zookeeperd_rests(struct zookeeperd *server) {
    uint64_t mark;

    if (server->rested && server->rested_ns == clock_now() &&
        server->rested_connections == server->daemon.door.connections)
        return true;
    if (!tasks_sleep(&server->daemon.process.tasks, server->daemon.process.pid,
                     nothing_to_drain, &mark))
        return false;
    server->rested = true;
    server->rested_ns = clock_now();
    server->rested_connections = server->daemon.door.connections;
    return true;
}

void zookeeperd_come_to_rest(struct zookeeperd *server) {
    struct patience patience = {0};

    server->rested = false;
    while (!zookeeperd_rests(server)) {
        loop_turn(1);
        if (!process_patience(&patience))
            fail("server %d does not come to rest", server->daemon.number);
    }
}

bool zookeeperd_has_met_others(struct zookeeperd *server) {
    struct daemon *daemon = &server->daemon;

    if (server->own)
        daemon->met_others |= clock_accepted(daemon->slot) - server->accepted !=
                              daemon->door.connections;
    return daemon->met_others;
}
