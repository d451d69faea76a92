#include "zookeeperd.h"

#include "base/fail.h"
#include "machine/clock.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENDING_MS = 200, PORT = 2181 };

static const char *archive(void) {
    const char *named = getenv("ZOOKEEPER_JAR");
    return named && *named ? named : "/usr/share/java/zookeeper.jar";
}

static bool ends(const struct zookeeperd *server) {
    for (int ms = 0; ms < ENDING_MS; ms++) {
        if (process_ended(&server->process))
            return true;
        poll(NULL, 0, 1);
    }
    return false;
}

void zookeeperd_fail(struct zookeeperd *server, const char *asked) {
    if (ends(server))
        fail("server %d %s: %s", server->number, process_end(&server->process),
             server->last_line);
    fail("server %d has not answered '%s' (for %d s at most): %s",
         server->number, asked, PATIENCE_MS / 1000, server->last_line);
}

// Reads the server's log, so that the pipe never fills.
static void read_log(void *owner) {
    struct zookeeperd *server = owner;
    char text[4096];
    ssize_t length = read(server->log.fd, text, sizeof text - 1);

    if (length <= 0) {
        loop_close(&server->log);
        if (server->own && ends(server)) // nobody here has killed it
            zookeeperd_fail(server, "anything");
        return;
    }
    text[length] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "SLF4J", strlen("SLF4J")) != 0 &&
            strncmp(line, "\tat ", strlen("\tat ")) != 0)
            snprintf(server->last_line, sizeof server->last_line, "%s", line);
}

static void path_in(char path[SANDBOX_PATH_SIZE + 32],
                    const struct zookeeperd *server, const char *name) {
    snprintf(path, SANDBOX_PATH_SIZE + 32, "%s/%s", server->folder, name);
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
            PORT, server->folder);
    if (fclose(file) != 0)
        fail("no room for %s: %s; set TMPDIR to a folder with room", path,
             strerror(errno));
}

// What is said to the virtual machine has two reasons: it starts quickly and
// takes little memory. What is written is not forced to the disk, because no
// power fails here that a run would not notice.
static void spawn(struct zookeeperd *server) {
    char settings[SANDBOX_PATH_SIZE + 32], path[4096];
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
    mkdir(server->folder, 0700);
    write_settings(server, settings);
    clock_environment_of_jvm(environment, server->slot, server->folder);
    process_start(&server->process, argv, environment);
    loop_watch(&server->log, process_output(&server->process), read_log,
               server);
}

static void end_of_start(struct zookeeperd *server) {
    const char *how = process_end(&server->process);

    while (server->log.fd >= 0) // its last words
        read_log(server);
    if (strcmp(how, "exited with 127") == 0)
        fail("there is no java here: Debian's package default-jre-headless has "
             "it (make roads)");
    fail("ZooKeeper %s before it was ready: %s", how,
         server->last_line[0] ? server->last_line : "it said nothing");
}

// It listens before it can do anything: then it does not say its version.
static bool answers(struct zookeeperd *server) {
    char path[SANDBOX_PATH_SIZE + 32], name[16], version[32] = "";

    snprintf(name, sizeof name, "%d", PORT);
    path_in(path, server, name);
    if (door_take(&server->door, path))
        server->listens = true;
    if (server->listens)
        zoo_version(&server->door, version, sizeof version);
    server->own = version[0] ? zoo_open(&server->door) : NULL;
    snprintf(server->version, sizeof server->version, "zookeeper %s", version);
    return server->own != NULL;
}

void zookeeperd_open(struct zookeeperd *server, int number) {
    char file[16];

    memset(server, 0, sizeof *server);
    server->number = number;
    snprintf(file, sizeof file, "zoo%d", number);
    sandbox_path(server->folder, file);
    server->slot = clock_slot();
    server->process.joins_stderr = true;
    server->door.fd = -1;
    server->log.fd = -1;
}

// The clients of the locks here write to this node (common/lock).
static void make_resource(struct zookeeperd *server) {
    int32_t error;

    if (!zoo_create(server->own, "/resource", &error))
        zookeeperd_fail(server, "create /resource");
}

void zookeeperd_start(struct zookeeperd *server) {
    struct patience patience = {0};

    if (access(archive(), R_OK) < 0)
        fail("there is no %s here: Debian's package libzookeeper-java has one "
             "(make roads), or name yours in ZOOKEEPER_JAR", archive());
    server->last_line[0] = '\0';
    server->rested = false;
    server->accepted = clock_accepted(server->slot);
    spawn(server);
    while (!answers(server)) {
        loop_turn(1000);
        if (process_ended(&server->process))
            end_of_start(server);
        if (!process_patience(&patience))
            fail("ZooKeeper was started and does not answer: %s",
                 server->last_line);
    }
    make_resource(server);
}

void zookeeperd_kill(struct zookeeperd *server) {
    zoo_close(server->own);
    server->own = NULL;
    loop_close(&server->log);
    process_kill(&server->process);
    server->listens = false;
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
    char folder[SANDBOX_PATH_SIZE + 32];

    path_in(folder, server, "data/version-2");
    remove_files(folder);
}

void zookeeperd_close(struct zookeeperd *server) {
    if (server->own)
        zookeeperd_kill(server);
    door_close(&server->door);
}

// --- looking at it -----------------------------------------------------------

static bool nothing_to_drain(void) {
    return true;
}

bool zookeeperd_rests(struct zookeeperd *server) {
    uint64_t mark;

    if (server->rested && server->rested_ns == clock_now() &&
        server->rested_connections == server->door.connections)
        return true;
    if (!tasks_sleep(&server->process.tasks, server->process.pid,
                     nothing_to_drain, &mark))
        return false;
    server->rested = true;
    server->rested_ns = clock_now();
    server->rested_connections = server->door.connections;
    return true;
}

bool zookeeperd_has_met_others(struct zookeeperd *server) {
    if (server->own)
        server->met_others |= clock_accepted(server->slot) - server->accepted !=
                              server->door.connections;
    return server->met_others;
}
