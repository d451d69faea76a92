#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// @sesamecare-oss/redlock 1.4.0, https://github.com/sesamecare/redlock
//
// "A derivative of node-redlock [5], rewritten in Typescript with ioredis@5", with
// its promises: `using` extends the lock by itself, and its signal is aborted when
// that fails. Its key is the lock's name.
import { Redlock } from '@sesamecare-oss/redlock'
import { attempts, guest, ioredis, lease_ms, scope } from './frame.mjs'

const clients = await ioredis()
const redlock = new Redlock(clients, {
  retryCount: attempts - 1,
  automaticExtensionThreshold: Math.min(500, lease_ms / 2), // 500 is the default
})

await guest(clients, (key) => scope((work) => redlock.using([key], lease_ms, work)))
