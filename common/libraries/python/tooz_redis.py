#!/usr/bin/python3
"""tooz 3.1.0 on Redis, https://docs.openstack.org/tooz/latest/user/tutorial/lock.html (Debian's
python3-tooz and python3-redis.)

Promises that "only one" member has a lock. Its heart, a thread, renews the locks of a coordinator;
is_still_owner() asks the server. It has whole seconds, and tries an operation that got no answer up
to fifteen times. Its key: --at "b'_tooz'_%s_lock"."""

import logging
import math

from frame import WAITS, guest, loaded
from tooz import ToozError, coordination

coordination.get_coordinator("redis://localhost", b"guest")  # loads a driver, and connects to nothing
LEASE_MS, URL = loaded()
logging.disable(logging.CRITICAL)  # it logs what it also returns
coordinator = coordination.get_coordinator(
    f"{URL.replace('unix://', 'redis://')}?lock_timeout={math.ceil(LEASE_MS / 1000)}", b"guest")
coordinator.start(start_heart=True)


class Lock:
    def __init__(self, key):
        lock = coordinator.get_lock(key)
        self.enter = lambda: lock.acquire(blocking=WAITS)
        self.leave, self.held = lock.release, lock.is_still_owner


guest(Lock, ToozError)
