#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redlock-universal 0.8.5, https://github.com/alexpota/redlock-universal
//
// Promises "production-ready distributed locks"; `using` "auto-extends lock and
// guarantees cleanup", and its signal is aborted when the lock is lost. On several
// servers it is its createRedlock, on one its createLock. Its key is the lock's
// name. It asks for Node.js 22, and runs on 20.
import { createLock, createRedlock, IoredisAdapter } from 'redlock-universal'
import { attempts, guest, ioredis, lease_ms, scope } from './frame.mjs'

const clients = await ioredis()
const adapters = clients.map((client) => new IoredisAdapter(client))
const options = { ttl: lease_ms, retryAttempts: attempts - 1 }

await guest(clients, (key) => {
  const lock = adapters.length > 1
    ? createRedlock({ adapters, key, ...options })
    : createLock({ adapter: adapters[0], key, ...options })
  return scope((work) => lock.using(work))
})
