#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// simple-redis-mutex 3.0.0, https://github.com/AmrSaber/simple-redis-mutex
//
// Promises a "distributed mutex lock as described in redis docs". It renews nothing
// by itself, and has no question for a holder, who has to count the "lock timeout".
// Its release says nothing. Its key: --at '@simple-redis-mutex:lock-%s'. (On
// node-redis 5.8.2.)
import { lock, tryLock } from 'simple-redis-mutex'
import { guest, lease_ms, node_redis, waits } from './frame.mjs'

const client = await node_redis('redis')

await guest([client], (key) => {
  let release, end
  return {
    enter: async () => {
      const asked_ms = Date.now()
      const [has_lock, its_release] = waits
        ? [true, await lock(client, key, { timeout: lease_ms })]
        : await tryLock(client, key, { timeout: lease_ms })
      if (has_lock) [release, end] = [its_release, asked_ms + lease_ms]
      return has_lock
    },
    leave: async () => release ? release() : false,
    held: async () => Date.now() < end,
  }
})
