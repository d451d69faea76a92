// Is a client at rest? docs/world.md, "Quiescence".
#include "actor.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/patience.h"
#include "base/units.h"
#include "machine/family.h"

// True if there was nothing left to read from any client.
static bool drained(void) {
    return !loop_turn(0);
}

// A client with one thread can only be at rest in one of three cases. It has
// answered, or its request is on the way, or it has announced a wait. With
// several threads or processes one may also wait for another, so nothing is
// excluded here. Only if this is true the kernel is asked whether all sleep.
static bool is_where_expected(struct actor *client, uint64_t family) {
    struct process *process = &client->process;

    return family != 0 || tasks_count(&process->tasks, process->pid) > 1 ||
           (client->ready && !client->asked) || gate_blocks(&client->gate) ||
           waits_by_itself(&client->waits);
}

// In real time a guest's own processes may go on by themselves. Our clients
// start none.
static bool counts_family(const struct actor *client) {
    return client->process.leads && !client->real_time;
}

// A client that was sent something on a Unix socket is woken before write()
// returns, if it waits there. A thread that sleeps and has not been switched
// away since was not woken. It waits for something else: on stage 8, say, a
// client is sent a message while it waits for an answer. (On another core a
// thread can look asleep for an instant, on its way out of the wait. So we look
// for longer than that.) The loopback makes no such promise.
static int deaf_after_ms(const struct actor *client) {
    enum { BY_SOCKET_MS = 5, ELSE_MS = 500 };
    bool by_socket = client->gate.way_count > 0 &&
                     client->gate.ways[0].port == 0;

    return by_socket && client->process.tasks.turns == client->turns
               ? BY_SOCKET_MS : ELSE_MS;
}

// If the client was sent something: has it gone to sleep again since? (It may
// never read what it is sent. So after a while we stop asking. In real time we
// do not ask again: a helper process that renews often would otherwise send its
// next command before the while is over, every time.) One look can meet the
// instant in which a thread is about to wait, and looks asleep; two do not.
static bool has_moved(struct actor *client, uint64_t mark) {
    if (!client->woken || mark != client->mark || client->deaf)
        return true;
    bool over =
        real_ns() - client->woken_ns > deaf_after_ms(client) * MILLISECOND;
    bool again = client->seems_deaf;
    client->seems_deaf = over;
    client->deaf = over && again && client->real_time;
    return over && again;
}

void actor_woken(struct actor *client) {
    client->seems_deaf = false;
    client->woken = true;
    client->woken_ns = real_ns();
}

// Do all threads sleep, after everything they said was read? And the processes
// that a guest has started, before and after that? The server may have closed a
// connection after its last answer. The client's end of it is closed here,
// while the client sleeps, so that it cannot send something at the same moment.
static bool sleeps(struct actor *client) {
    struct process *process = &client->process;
    uint64_t mark, family = 0, family_after = 0;

    if (counts_family(client) && !family_sleeps(process->pid, &family))
        return false;
    bool expected = is_where_expected(client, family);
    if (!expected && !gate_has_ended(&client->gate))
        return false;
    if (!tasks_sleep(&process->tasks, process->pid, drained, &mark))
        return false;
    if (counts_family(client) &&
        (!family_sleeps(process->pid, &family_after) || family != family_after))
        return false;
    mark = hash_with(mark, family);
    if (!has_moved(client, mark))
        return false;
    client->mark = mark;
    client->turns = process->tasks.turns;
    client->woken = false;
    return !gate_drop_ended(&client->gate) && expected;
}

// A guest may wait in a way that the world does not see. Such a wait would go
// on in real time, and the run would mean nothing.
static void refuse_unseen_wait(struct actor *client) {
    const char *call = client->process.leads && !client->real_time
                           ? tasks_limited_wait(&client->process.tasks) : NULL;

    if (call)
        fail("client %s waits with a time limit in %s(), of which the world "
             "knows nothing: run it in real time, without --virtual",
             client->name, call);
}

void actor_stir(struct actor *client) {
    client->rests = false;
}

bool actor_rests(struct actor *client) {
    if (client->process.state != PROCESS_RUNS)
        return true;
    if (client->real_time && !client->ready) // what it waits for comes
        return gate_pending(&client->gate, 0) != NULL;
    if (client->real_time && client->asked)
        return gate_blocks(&client->gate); // every other wait ends by itself
    if (client->gate.hung_up) { // it has to notice that before it rests
        client->gate.hung_up = client->rests = false;
        actor_woken(client);
    }
    if (!client->rests && sleeps(client)) {
        client->rests = true;
        refuse_unseen_wait(client);
    }
    return client->rests;
}
