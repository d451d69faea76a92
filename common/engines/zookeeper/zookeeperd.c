#include "zookeeperd.h"

#include "base/fail.h"
#include "base/paths.h"
#include "machine/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char NAME[] = "zoo"; // of its folder, with its number

enum { PORT = 2181, LEADERS_PORT = 2888, ELECTION_PORT = 3888 };

static const char *archive(void) {
    const char *named = getenv("ZOOKEEPER_JAR");
    return named && *named ? named : "/usr/share/java/zookeeper.jar";
}

// The name of the program, for messages.
static const char *program(void) {
    return "ZooKeeper";
}

void zookeeperd_fail(struct zookeeperd *server, const char *asked) {
    struct daemon *daemon = &server->daemon;

    daemon_hear(daemon);
    if (daemon_ends(daemon))
        fail("server %d %s: %s", daemon->number, process_end(&daemon->process),
             daemon->last_line);
    if (server->own && !zoo_is_open(server->own))
        fail("server %d has closed our connection instead of answering '%s': "
             "%s", daemon->number, asked, daemon->last_line);
    fail("server %d has not answered '%s' for %d s: %s", daemon->number, asked,
         PATIENCE_MS / 1000, daemon->last_line);
}

// A virtual machine that has no memory says so in a line, and after that where
// a report of it is. A server whose disk is full says so, and may then go on
// without answering anybody.
static void note_line(struct daemon *daemon, const char *line) {
    static const char no_memory[] = "# There is insufficient memory";

    if (strstr(line, "No space left on device"))
        daemon_blame_disk(daemon);
    if (strncmp(daemon->last_line, no_memory, strlen(no_memory)) == 0)
        return;
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

static FILE *begin_file(const char *path) {
    FILE *file = fopen(path, "w");

    if (!file)
        fail("cannot write %s: %s", path, strerror(errno));
    return file;
}

static void end_file(FILE *file, const char *path) {
    if (fclose(file) != 0)
        fail("no room for %s: %s; set TMPDIR to a folder with room", path,
             strerror(errno));
}

// The number by which a server is elected: of servers with the same data, the
// one with the greatest. So it is the first, and without that one the second.
static int id_of(int number, int peers) {
    return peers + 1 - number;
}

static void write_peers(const struct zookeeperd *server, FILE *settings) {
    char path[DAEMON_PATH_SIZE];
    int peers = server->peers;

    fprintf(settings, "initLimit=20\nsyncLimit=20\n");
    for (int number = 1; number <= peers; number++)
        fprintf(settings, "server.%d=127.0.0.%d:%d:%d\n",
                id_of(number, peers), number, LEADERS_PORT, ELECTION_PORT);
    path_in(path, server, "data");
    mkdir(path, 0700);
    path_in(path, server, "data/myid");
    FILE *file = begin_file(path);
    fprintf(file, "%d\n", id_of(server->daemon.number, peers));
    end_file(file, path);
}

// A round is in what the server counts time: a session ends with the round in
// which its time is over. To the world's own session no time passes.
static void write_settings(const struct zookeeperd *server, const char *path) {
    FILE *file = begin_file(path);

    fprintf(file, "tickTime=500\nminSessionTimeout=500\n"
                  "maxSessionTimeout=2000000000\nmaxClientCnxns=0\n"
                  "clientPort=%d\nclientPortAddress=127.0.0.%d\n"
                  "admin.enableServer=false\n4lw.commands.whitelist=srvr\n"
                  "dataDir=%s/data\n",
            PORT, server->daemon.number, server->daemon.folder);
    if (server->peers)
        write_peers(server, file);
    end_file(file, path);
}

// The classes that Debian's archive needs at its start, as `make` has kept
// them: a start with that file takes a quarter less. Otherwise the classes of
// Java itself come from such a file, and the server's from the archive.
static const char *class_file(char file[PATHS_SIZE]) {
    paths_join(file, "build/zookeeper.jsa");
    return !getenv("ZOOKEEPER_JAR") && access(file, R_OK) == 0 ? file : NULL;
}

// The options for the virtual machine have three reasons: it starts quickly,
// takes little memory, and leaves no report behind when it dies. A write is not
// forced to the disk, because no power fails here that a run
// would not notice. A new leader tells its followers everything, and not only
// the changes that they lack. ZooKeeper 3.8 has a bug there: sometimes they do
// not come together before a time-out (ZOOKEEPER-4685). One thread reads and
// writes on all connections: otherwise there would be two more for each core,
// and each step would wake some of them. At its start the server prints this
// machine's name. An empty file of hosts keeps it from asking the network for
// it, which can take half a minute.
static void spawn(struct zookeeperd *server) {
    static const char alone[] = "org.apache.zookeeper.server."
                                "ZooKeeperServerMain",
                      of_several[] = "org.apache.zookeeper.server.quorum."
                                     "QuorumPeerMain";
    char settings[DAEMON_PATH_SIZE], path[4096], hosts[SANDBOX_PATH_SIZE];
    char classes[PATHS_SIZE + 32] = "-Xshare:auto", file[PATHS_SIZE];
    char *argv[] = {
        (char *)"java", (char *)"-XX:TieredStopAtLevel=1",
        (char *)"-XX:+UseSerialGC", classes, (char *)"-Xmx96m",
        (char *)"-XX:-UsePerfData", (char *)"-XX:ErrorFile=/dev/null",
        (char *)"-Djava.net.preferIPv4Stack=true",
        (char *)"-Djdk.net.hosts.file=/dev/null",
        (char *)"-Dzookeeper.forceSync=no",
        (char *)"-Dzookeeper.forceSnapshotSync=true",
        (char *)"-Dzookeeper.nio.numSelectorThreads=1",
        (char *)"-Dzookeeper.nio.numWorkerThreads=0",
        (char *)"-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        (char *)"-cp", path,
        (char *)(server->peers ? of_several : alone), settings, NULL,
    };
    struct variable environment[CLOCK_VARIABLES + 1];

    if (class_file(file))
        snprintf(classes, sizeof classes, "-XX:SharedArchiveFile=%s", file);
    path_in(settings, server, "zoo.cfg");
    snprintf(path, sizeof path, "%s:/usr/share/java/slf4j-simple.jar",
             archive());
    mkdir(server->daemon.folder, 0700);
    write_settings(server, settings);
    sandbox_path(hosts, NAME);
    clock_environment_of_jvm(environment, &server->daemon.process,
                             server->daemon.slot, hosts);
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

// It listens before it has read its disk. If a connection ends at that moment,
// the thread that serves all of them ends, too, by an exception: there is no
// database yet. Then the server never answers. So nobody connects before it has
// come to rest. One of several has to find the others first.
static bool answers(struct daemon *daemon) {
    struct zookeeperd *server = (struct zookeeperd *)daemon;
    char version[32] = "", path[DAEMON_PATH_SIZE], port[8];
    uint64_t mark;

    if (server->peers) {
        snprintf(port, sizeof port, "%d", ELECTION_PORT);
        path_in(path, server, port);
        return access(path, F_OK) == 0;
    }
    if (!zookeeperd_sleeps(server, &mark))
        return false;
    zoo_version(&daemon->door, version, sizeof version);
    server->own = version[0] ? zoo_open(&daemon->door, false) : NULL;
    snprintf(server->version, sizeof server->version, "zookeeper %s", version);
    return server->own != NULL;
}

static const struct daemon_kind zookeeper_server = {
    .name = NAME,
    .program = program,
    .answers = answers,
    .note_line = note_line,
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

void zookeeperd_launch(struct zookeeperd *server) {
    if (access(archive(), R_OK) < 0)
        fail("there is no %s here: Debian's package libzookeeper-java has one "
             "(make roads), or name yours in ZOOKEEPER_JAR", archive());
    server->rested = false;
    spawn(server);
}

void zookeeperd_await(struct zookeeperd *server) {
    daemon_await(&server->daemon);
}

void zookeeperd_start(struct zookeeperd *server) {
    server->accepted = clock_accepted(server->daemon.slot);
    zookeeperd_launch(server);
    zookeeperd_await(server);
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
    if (server->daemon.process.state != PROCESS_NONE)
        zookeeperd_kill(server);
    door_close(&server->daemon.door);
}

// --- looking at it -----------------------------------------------------------

bool zookeeperd_rested(const struct zookeeperd *server) {
    return server->rested && server->rested_ns == clock_now() &&
           server->rested_connections == server->daemon.door.connections;
}

bool zookeeperd_sleeps(struct zookeeperd *server, uint64_t *mark) {
    struct process *process = &server->daemon.process;

    return tasks_rest(&process->tasks, process->pid, mark);
}

void zookeeperd_note_rest(struct zookeeperd *server) {
    server->rested = true;
    server->rested_ns = clock_now();
    server->rested_connections = server->daemon.door.connections;
}

bool zookeeperd_rests(struct zookeeperd *server) {
    uint64_t mark;

    if (zookeeperd_rested(server))
        return true;
    if (!zookeeperd_sleeps(server, &mark))
        return false;
    zookeeperd_note_rest(server);
    return true;
}

void zookeeperd_come_to_rest(struct zookeeperd *server) {
    struct patience patience = {0};

    server->rested = false;
    while (!zookeeperd_rests(server)) {
        loop_turn(1);
        if (!process_patience(&patience))
            daemon_blame(&server->daemon, "does not come to rest");
    }
}

bool zookeeperd_serves(struct zookeeperd *server) {
    if (server->own && zoo_is_open(server->own))
        return true;
    server->rested = false;
    zoo_close(server->own);
    server->own = zoo_open(&server->daemon.door, server->peers > 0);
    return server->own != NULL;
}

bool zookeeperd_has_met_others(struct zookeeperd *server) {
    struct daemon *daemon = &server->daemon;

    if (server->own)
        daemon->met_others |= clock_accepted(daemon->slot) - server->accepted !=
                              daemon->door.connections;
    return daemon->met_others;
}
