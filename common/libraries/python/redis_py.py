#!/usr/bin/python3
"""redis-py 4.3.4, its Lock, https://redis.readthedocs.io/en/v4.3.4/lock.html (Debian's python3-redis.)

"A shared, distributed lock." It renews nothing by itself (extend() is the program's). owned() asks
the server. Its key is the lock's name."""

import redis
from frame import WAITS, guest, loaded

LEASE_MS, URL = loaded()
server = redis.Redis.from_url(URL)


class Lock:
    def __init__(self, key):
        self.lock = server.lock(key, timeout=LEASE_MS / 1000, blocking=WAITS)
        self.enter, self.held = self.lock.acquire, self.lock.owned

    def leave(self):
        try:
            self.lock.release()
        except redis.exceptions.LockError:  # LockNotOwnedError too
            return False
        return True


guest(Lock)
