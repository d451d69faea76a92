#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redlock 4.2.0, https://github.com/mike-marcacci/node-redlock/tree/v4.2.0
//
// Promises: "strong guarantees in both single-redis and multi-redis
// environments". It renews nothing by itself. Its key is the lock's name.
// A lock knows its expiration: the time of the request and the lease, less a
// hundredth and 2 ms.
import Redlock from 'redlock4'
import { attempts, guest, ioredis, lease_ms } from './frame.mjs'

const clients = await ioredis()
const redlock = new Redlock(clients, { retryCount: attempts - 1 })

await guest(clients, (key) => {
  let lock
  return {
    enter: async () => { lock = await redlock.lock(key, lease_ms) },
    leave: async () => lock ? lock.unlock() : false,
    held: async () => lock !== undefined && lock.expiration > Date.now(),
  }
})
