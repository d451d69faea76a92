#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redis-lock 1.0.0, https://github.com/errorception/redis-lock
//
// Promises "only one function at a time for the same lock", "except if the timeout
// is breached". It renews nothing by itself, and has no question for a holder, who
// has to count the timeout. Its release says nothing. It knows no single attempt: it
// tries again after retryDelay, for ever. Here that is 24 days, and no answer or a
// no ends the attempt. Its key: --at 'lock.%s'. (On node-redis 4.7.1.)
import redis_lock from 'redis-lock'
import { guest, lease_ms, no_grant, node_redis, waits } from './frame.mjs'

const client = await node_redis('redis4')
const lock = waits ? redis_lock(client) : redis_lock(client, 2 ** 31 - 1)

await guest([client], (key) => {
  let done, end
  return {
    enter: async () => {
      const asked_ms = Date.now()
      const mine = lock(key, lease_ms)
      const got = await Promise.race(waits ? [mine] : [mine, no_grant])
      if (got) [done, end] = [got, asked_ms + lease_ms]
      return Boolean(got)
    },
    leave: async () => done ? done().then(() => {}) : false,
    held: async () => Date.now() < end,
  }
})
