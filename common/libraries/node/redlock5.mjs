#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redlock 5.0.0-beta.2, https://github.com/mike-marcacci/node-redlock/tree/v5.0.0-beta.2
//
// Promises: "strong guarantees in both single-redis and multi-redis
// environments"; `using` extends the lock by itself, and its signal is aborted
// when that fails. Its key is the lock's name.
import Redlock from 'redlock5'
import { attempts, guest, ioredis, lease_ms, scope } from './frame.mjs'

const clients = await ioredis()
const redlock = new Redlock(clients, {
  retryCount: attempts - 1,
  automaticExtensionThreshold: Math.min(500, lease_ms / 2), // 500 is the default
})

await guest(clients, (key) => scope((work) => redlock.using([key], lease_ms, work)))
