#include "host_files.h"

#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static char stage[SANDBOX_PATH_SIZE]; // the folder for the host's files
static bool in_user_space; // in a user's namespace

void host_files_begin(bool as_user) {
    in_user_space = as_user;
    sandbox_path(stage, "stage");
    mkdir(stage, 0700);
}

static void path_in_stage(char path[PATH_MAX], const char *part,
                          const char *rest) {
    if (snprintf(path, PATH_MAX, "%s/%s%s", stage, part, rest) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        host_give_up("name a folder");
    }
}

// From Linux 5.12 on; the C library has no name for it before 2.36.
static void make_read_only(const char *path) {
    const struct {
        uint64_t set, cleared, propagation, user_namespace;
    } read_only = {.set = 1}; // MOUNT_ATTR_RDONLY
    enum { SYS_MOUNT_SETATTR = 442, RECURSIVE = 0x8000 };

    syscall(SYS_MOUNT_SETATTR, AT_FDCWD, path, RECURSIVE, &read_only,
            sizeof read_only);
}

// The root of an overlay looks like that of its upper layer.
static void look_like(const char *upper, const char *folder) {
    struct stat status;

    if (stat(folder, &status) < 0)
        return;
    chmod(upper, status.st_mode & 07777);
    if (chown(upper, status.st_uid, status.st_gid) < 0)
        errno = 0; // another user's, whom the namespace does not know
}

static bool put_overlay(const char *folder, const char *to) {
    static int count;
    char upper[PATH_MAX], work[PATH_MAX], options[3 * PATH_MAX + 64];
    char number[16];

    if (folder[strcspn(folder, ":,\\")])
        return false;
    snprintf(number, sizeof number, "/%d", ++count);
    path_in_stage(upper, "upper", number);
    path_in_stage(work, "work", number);
    host_must(mkdir(upper, 0755), "make a folder");
    host_must(mkdir(work, 0755), "make a folder");
    look_like(upper, folder);
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s%s",
             folder, upper, work, in_user_space ? ",userxattr" : "");
    return mount("overlay", to, "overlay", 0, options) == 0;
}

// Is this path the folder, or in it?
static bool is_in(const char *path, const char *folder) {
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 &&
           (path[length] == '/' || !path[length]);
}

// It is put there in another way.
static bool is_apart(const char *path) {
    return is_in(path, "/proc") || is_in(path, "/sys") || is_in(path, "/dev");
}

static bool put_file(const char *file, const char *to) {
    int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0)
        return false;
    close(fd);
    if (mount(file, to, NULL, MS_BIND, NULL) < 0)
        return false;
    make_read_only(to);
    return true;
}

static bool put_link(const char *link, const char *to) {
    char target[PATH_MAX];
    ssize_t length = readlink(link, target, sizeof target - 1);

    if (length < 0)
        return false;
    target[length] = '\0';
    return symlink(target, to) == 0;
}

static bool put(const char *path);

// One by one. In a user's namespace a folder in which something is mounted
// cannot be a layer: what is hidden under the mount would come to light.
static bool put_entries(const char *folder) {
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *entries = opendir(folder);

    while (entries && (entry = readdir(entries))) {
        const char *between = folder[1] ? "/" : "";
        int length = snprintf(path, sizeof path, "%s%s%s", folder, between,
                              entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0 && length < (int)sizeof path &&
            !is_apart(path))
            put(path); // it is left out if this user may not read it
    }
    if (entries)
        closedir(entries);
    return entries != NULL;
}

// Puts a folder or a file of this machine there. A folder is the lower layer of
// an overlay, or it can be read only, if its file system cannot be a layer.
static bool put(const char *path) {
    struct stat status;
    char to[PATH_MAX];

    path_in_stage(to, "root", path);
    if (lstat(path, &status) < 0)
        return false;
    if (S_ISLNK(status.st_mode))
        return put_link(path, to);
    if (!S_ISDIR(status.st_mode))
        return put_file(path, to);
    mkdir(to, 0755);
    if (put_overlay(path, to))
        return true;
    if (mount(path, to, NULL, MS_BIND, NULL) < 0)
        return put_entries(path);
    make_read_only(to);
    return true;
}

static int compare_paths(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

// The places where something is mounted, and that are copied one by one.
static size_t list_places(char **places, size_t most) {
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char *line = NULL, place[PATH_MAX];
    size_t count = 0, size = 0;

    if (!mounts)
        host_give_up("read the list of mounts");
    while (count < most && getline(&line, &size, mounts) > 0)
        if (sscanf(line, "%*s %*s %*s %*s %4095s", place) == 1 && place[1] &&
            !strchr(place, '\\') && !is_apart(place))
            places[count++] = strdup(place);
    fclose(mounts);
    free(line);
    qsort(places, count, sizeof *places, compare_paths);
    return count;
}

// The root, and what is mounted in it.
static void put_root(void) {
    enum { MOST = 256 };
    static char *places[MOST];
    char to[PATH_MAX];

    path_in_stage(to, "root", "");
    if (!put_overlay("/", to)) {
        host_must(mount(to, to, NULL, MS_BIND, NULL), "mount a root");
        if (!put_entries("/"))
            host_give_up("read the root");
        return;
    }
    size_t count = list_places(places, MOST);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(places[i], places[i - 1]) != 0)
            put(places[i]); // may be hidden by another one
}

// A folder with the machine's own files: no host writes there.
static void put_machine(const char *folder) {
    char to[PATH_MAX];

    if (access(folder, F_OK) < 0)
        return;
    path_in_stage(to, "root", folder);
    mkdir(to, 0755);
    host_must(mount(folder, to, NULL, MS_BIND | MS_REC, NULL),
              "mount its devices");
    make_read_only(to);
}

static void put_all(void) {
    char queues[PATH_MAX];

    put_root();
    put_machine("/sys");
    put_machine("/dev");
    if (access("/dev/shm", F_OK) == 0 && !put("/dev/shm"))
        host_give_up("mount /dev/shm");
    path_in_stage(queues, "root", "/dev/mqueue");
    if (access(queues, F_OK) == 0) // they belong to the IPC namespace
        host_must(mount("mqueue", queues, "mqueue", 0, NULL),
                  "mount /dev/mqueue");
}

static int queues = -1; // the folder of this host's named queues; -1: none

// A named queue needs no folder to be found. So there is one that nobody sees.
static void open_queues(void) {
    char path[PATH_MAX];

    path_in_stage(path, "queues", "");
    if (mkdir(path, 0700) == 0 && mount("mqueue", path, "mqueue", 0, NULL) == 0)
        queues = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Of the run's folder: this client's part and the library.
static void put_sandbox(const char *folder) {
    char whole[PATH_MAX], part[PATH_MAX], library[SANDBOX_PATH_SIZE];
    char link[PATH_MAX];

    path_in_stage(whole, "root", sandbox_folder());
    path_in_stage(part, "root", folder);
    host_must(mount("tmpfs", whole, "tmpfs", 0, "mode=0700,size=64k"),
              "mount its folder");
    host_must(mkdir(part, 0700), "make its folder");
    host_must(mount(folder, part, NULL, MS_BIND, NULL), "mount its sockets");
    sandbox_path(library, "clock.so");
    path_in_stage(link, "root", library);
    put_link(library, link); // there is none in real time
}

// A host's name leads to an address of its own. (The file of this machine stays
// what it is: another one lies over it.)
static void add_name(const char *name) {
    static const char place[] = "/etc/hosts";
    char path[PATH_MAX], to[PATH_MAX];
    int byte;

    path_in_stage(path, "hosts", "");
    path_in_stage(to, "root", place);
    FILE *old = fopen(place, "re"), *new = fopen(path, "we");
    while (old && new && (byte = getc(old)) != EOF)
        putc(byte, new);
    if (old)
        fclose(old);
    if (!new)
        return;
    fprintf(new, "\n127.0.0.1 localhost\n127.0.1.1 %s\n", name);
    fclose(new);
    mount(path, to, NULL, MS_BIND, NULL); // there may be no such file
}

void host_files_make(const char *folder, const char *name) {
    static const char *const parts[] = {"root", "upper", "work"};
    char path[PATH_MAX];

    host_must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL),
              "part the mounts");
    host_must(mount("tmpfs", stage, "tmpfs", 0, "mode=0755,size=64m"),
              "mount a folder");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        path_in_stage(path, parts[i], "");
        host_must(mkdir(path, 0755), "make a folder");
    }
    put_all();
    open_queues();
    put_sandbox(folder);
    add_name(name);
}

// A host writes to two file systems, whatever folder a file seems to be in:
// that of all overlays, and that of the run's folder.
enum { WRITABLE = 2 };
static struct statfs first_room[WRITABLE]; // when the host was new

static void note_room(struct statfs room[WRITABLE]) {
    memset(room, 0, WRITABLE * sizeof *room);
    statfs("/", &room[0]);
    statfs(sandbox_folder(), &room[1]);
}

static bool has_same_room(void) {
    struct statfs room[WRITABLE];

    note_room(room);
    for (int i = 0; i < WRITABLE; i++)
        if (room[i].f_ffree == 0 ||
            room[i].f_ffree != first_room[i].f_ffree ||
            room[i].f_bfree != first_room[i].f_bfree)
            return false;
    return true;
}

// A list of /proc/sysvipc has a heading. Where there is none, there is no such
// thing.
static bool is_list_empty(const char *path) {
    FILE *list = fopen(path, "re");
    char line[512];
    int lines = 0;

    while (list && fgets(line, sizeof line, list))
        lines++;
    if (list)
        fclose(list);
    return lines <= 1;
}

static bool has_no_queue(void) {
    DIR *entries = queues < 0 ? NULL : fdopendir(openat(queues, ".", O_RDONLY | O_CLOEXEC));
    struct dirent *entry;
    int count = 0;

    while (entries && (entry = readdir(entries)))
        count += strcmp(entry->d_name, ".") != 0 &&
                 strcmp(entry->d_name, "..") != 0;
    if (entries)
        closedir(entries);
    return count == 0;
}

bool host_files_are_untouched(void) {
    return has_same_room() && is_list_empty("/proc/sysvipc/shm") &&
           is_list_empty("/proc/sysvipc/sem") &&
           is_list_empty("/proc/sysvipc/msg") && has_no_queue();
}

void host_files_enter(void) {
    char root[PATH_MAX];

    path_in_stage(root, "root", "");
    host_must(chdir(root), "go there");
    mkdir("proc", 0755);
    host_must(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                    NULL), "mount /proc");
    host_must(syscall(SYS_pivot_root, ".", "."), "change the root");
    host_must(umount2(".", MNT_DETACH), "leave the old root");
    host_must(chdir("/"), "go there");
    note_room(first_room);
}
