#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// node-redis-warlock 1.0.2, https://github.com/TheDeveloper/warlock
//
// Promises: "battle-hardened distributed locking". It renews nothing by itself, and
// has no question for a holder, who has to count the "lifetime of the lock". Its
// key: --at '%s:lock'. (On node-redis 3.1.2.)
import Warlock from 'node-redis-warlock'
import { promisify } from 'node:util'
import { guest, lease_ms, node_redis_3 } from './frame.mjs'

const client = await node_redis_3()
const warlock = Warlock(client)

await guest([client], (key) => {
  let id, end
  return {
    enter: () => new Promise((resolve, reject) => {
      const asked_ms = Date.now()
      warlock.lock(key, lease_ms, (error, unlock, its_id) => {
        if (error) return reject(error)
        if (unlock) [id, end] = [its_id, asked_ms + lease_ms]
        resolve(Boolean(unlock))
      })
    }),
    leave: async () => id !== undefined && (await promisify(warlock.unlock)(key, id)) === 1,
    held: async () => Date.now() < end,
  }
})
