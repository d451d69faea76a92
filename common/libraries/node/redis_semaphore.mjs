#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redis-semaphore 5.8.0, https://github.com/swarthy/redis-semaphore
//
// Its Mutex. It renews the lock by itself after four fifths of
// its time, and isAcquired is false when a renewal has found it lost. "It's safe to
// always call release": a release says nothing. Its key: --at 'mutex:%s'.
//
// With a handler (onLockLost) a lost lock ends no process. A renewal that gets no
// answer is rejected, and the library leaves that to the program.
import { Mutex } from 'redis-semaphore'
import { attempts, guest, ioredis, lease_ms, waits } from './frame.mjs'

const clients = await ioredis()
process.on('unhandledRejection', () => {})

await guest(clients, (key) => {
  const options = { lockTimeout: lease_ms, acquireAttemptsLimit: attempts, onLockLost: () => {} }
  const mutex = new Mutex(clients[0], key, options)
  return {
    enter: () => waits ? mutex.acquire() : mutex.tryAcquire(),
    leave: async () => mutex.isAcquired ? mutex.release() : false,
    held: async () => mutex.isAcquired,
  }
})
