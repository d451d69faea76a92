#!/usr/bin/env -S node --no-memory-reducer --single-threaded --no-opt --no-lazy
// redis-mutex 2.0.1, https://github.com/fghibellini/redis-mutex
//
// Promises a mutex with "redis' set nx/xx/px commands". It renews the lock a twentieth
// of its lease before the end. Where it cannot, it ends the process, and so after
// maxTime (the numbers have the proportions of its manual). Its key is the
// lock's name. (On node-redis 3.1.2.)
import { runWithMutex } from 'redis-mutex'
import { guest, lease_ms, node_redis_3, scope } from './frame.mjs'

const redisClient = await node_redis_3()

await guest([redisClient], (key) => scope((work) => runWithMutex({
  redisClient, key, attempts: 1, attemptInterval: 1,
  intervalTime: lease_ms, renewTime: lease_ms / 20, maxTime: 5 * lease_ms,
}, () => work({ aborted: false }))))
