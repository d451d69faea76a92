#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// @verrou/core 0.5.2, https://github.com/Julien-R44/verrou (the lock of AdonisJS)
//
// Promises "thread-safe operations across multiple processes". It renews nothing by
// itself. isExpired() counts the lifetime on the client's clock. Its key is the
// lock's name. (On ioredis 5.8.2.)
import { Verrou } from '@verrou/core'
import { redisStore } from '@verrou/core/drivers/redis'
import { guest, ioredis, lease_ms, waits } from './frame.mjs'

const [connection] = await ioredis()
const verrou = new Verrou({ default: 'redis', stores: { redis: { driver: redisStore({ connection }) } } })

await guest([connection], (key) => {
  let lock
  return {
    enter: async () => {
      const next = verrou.createLock(key, lease_ms)
      let busy = false
      try {
        busy = !(await (waits ? next.acquire() : next.acquireImmediately()))
        return !busy
      } finally {
        if (!busy) lock = next // it can be released, also if no answer came
      }
    },
    leave: async () => lock ? lock.release() : false,
    held: async () => lock !== undefined && !lock.isExpired(),
  }
})
