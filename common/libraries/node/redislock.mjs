#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redislock 1.3.0, https://github.com/danielstjules/redislock
//
// Promises: "atomic acquire and release operations, avoiding race conditions among
// clients". It renews nothing by itself. A holder can ask for the list of "currently
// active/acquired locks". Its key is the lock's name. (On node-redis 3.1.2.)
import redislock from 'redislock'
import { attempts, guest, lease_ms, node_redis_3 } from './frame.mjs'

const client = await node_redis_3()

await guest([client], (key) => {
  const lock = redislock.createLock(client, { timeout: lease_ms, retries: attempts - 1 })
  return {
    enter: () => lock.acquire(key),
    leave: () => lock.release(),
    held: async () => redislock.getAcquiredLocks().includes(lock),
  }
})
