#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// @microfleet/ioredis-lock 6.0.1, https://github.com/microfleet/ioredis-lock
//
// Promises: "atomic acquire and release operations, avoiding race conditions among
// clients". It renews nothing by itself. A holder can ask for the list of "currently
// active/acquired locks". Its key is the lock's name.
import { createLock, getAcquiredLocks } from '@microfleet/ioredis-lock'
import { attempts, guest, ioredis, lease_ms } from './frame.mjs'

const clients = await ioredis()

await guest(clients, (key) => {
  const lock = createLock(clients[0], { timeout: lease_ms, retries: attempts - 1 })
  return {
    enter: () => lock.acquire(key),
    leave: () => lock.release(),
    held: async () => getAcquiredLocks().includes(lock),
  }
})
