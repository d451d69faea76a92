// A client that comes to no end of what it does. It sends a command again and
// again, its timers ring without a pause, or it computes and never waits.
// world.h reports it as EVENT_ENDLESS. A world of many lives (a search) does
// not count: there a client makes steps as long as somebody chooses them.
#ifndef WORLD_ENDLESS_H
#define WORLD_ENDLESS_H

#include "actor.h"

// Counts a step of this client. A client that asks five masters ten times a
// second takes some hundred. In a story of hours, more than a step a second is
// too much.
void endless_count(struct actor *client, int64_t now_ns);

// The client has sent so many commands before it was ready. Fails a world of
// many lives.
void endless_start(struct actor *client, int commands);

// While the world waits for its clients to come to rest: the first call notes
// the processor time that each has used. Any later one ends the clients that
// have used seconds since then.
void endless_watch(struct actor *clients, int count, bool first);

#endif
