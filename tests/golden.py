"""Which whole traces are kept, byte for byte. To write them anew after a change that is meant:

    python3 tests/golden.py             those on Redis
    python3 tests/golden.py roads       those on other servers (make roads)
"""

import sys

from lockstep import ELSEWHERE, TESTS, locks, open_races, replay, roads, short

RACES = ["expired_delete", "crash_mid_acquire", "stop_the_world", "nested_call",
         "loser_overwrites_deadline", "lost_grant_answer"]
CELLS = [(race, short(lock)) for race in RACES for lock in locks() if lock.startswith("stage")]
# And each detour and each road in the first race that its head says it loses.
CELLS += [(open_races(lock)[0], lock) for lock in locks()
          if lock.startswith(("detour_", "road_"))]
CELLS += [("watchdog_dies", "stage6")]  # where a request is lost, and not an answer
CELLS += [("thread_hop", "stage7")]  # where a second thread acts
CELLS += [("thundering_herd", "stage8")]  # where five clients stand on steps
CELLS += [("two_silent_masters", "road_redlock")]  # which hang, while the client gives up on them
# And some with their bytes: one message is one line, however long it is.
WIRE = [("lost_grant_answer", "stage2"), ("delayed_delete", "stage5")]

# Each lock on another server in a race that all hold, and in the first that it loses; and these.
ROADS = [(race, lock) for name in ELSEWHERE for lock in roads(name)
         for race in ("two_processes", open_races(lock)[0])]
MORE = """
road_mysql_for_update         connection_dies: the road's own loss that the page speaks of
road_mysql_for_update         nobody_signals: a statement waits in the server until the holder dies,
road_mysql_for_update         patience_ends: until the clock has moved far enough,
road_mysql_for_update         chosen_waiter_dies: until a waiter who was chosen before it dies
road_mysql_row                failover: the row has not reached the replica
road_mysql_row_lease          split_brain: two masters
road_mysql_for_update         failover: a lock that ended with its connection
road_mysql_for_update         refused_attempt: a server that is read-only lets nobody lock rows,
detour_mysql_no_row           refused_release: and undoes what it does not commit
road_zookeeper                patience_ends: a watch, and its message behind which an answer comes
road_zookeeper                chosen_waiter_dies: a dead client in the middle of the queue
road_zookeeper                lost_grant_answer: an answer is lost, and the node found again
road_zookeeper                crash_holding nested_finds_a_stranger: a session ends,
road_zookeeper                restart_empty: and the server with it
road_zookeeper                slow_grant_answer loser_blocks_release: and is late
road_zookeeper                refused_release refused_renewals: nobody may write for a moment
road_zookeeper                server_stall: when it goes on, sessions end before it reads anything
detour_zookeeper_deaf         server_stall: the same
road_mysql_for_update         forced_unlock: what an operator does to each kind of lock,
road_zookeeper                forced_unlock: and how a write with a number,
detour_zookeeper_no_fence     forced_unlock: or without one, is explained
detour_mysql_ignores_timeout  two_losers_see_it_free: a row that was deleted is not purged yet
road_zookeeper                second_answer_lost: a node is left by an attempt without an answer
road_zookeeper                opened_without_a_server: a reason names a port, another in each run
road_zookeeper                failover: three servers, the leader dies, and another is elected
road_zookeeper                split_brain: one without a majority serves nobody
road_zookeeper                refused_last_attempt: who gives up stays in the queue, and releases
road_mysql_for_update         long_wait_for_an_answer: who waits on the server longest
road_zookeeper                leftover_forgotten nested_call_unheard: who asks in vain, and again
"""
ROADS += [(race, line.split()[0]) for line in MORE.splitlines() if line
          for race in line.partition(":")[0].split()[1:]]
ROADS = list(dict.fromkeys(ROADS))
# One of each server.
FIRST = [("two_processes", "road_mysql_row"), ("two_processes", "road_zookeeper")]


def path(race, lock):
    return TESTS / ("golden_roads" if (race, lock) in ROADS else "golden") / f"{race}.{lock}.txt"


def write(cells, *options, end=""):
    for race, lock in cells:
        path(race, lock + end).write_text(replay(race, lock, *options).comparable)


if __name__ == "__main__":
    if sys.argv[1:] == ["roads"]:
        write(ROADS)
    else:
        write(CELLS)
        write(WIRE, "--wire", end=".wire")
