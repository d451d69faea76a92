// A guest: the Mutex of redis-semaphore on ioredis, unmodified, in the client
// protocol. It renews its lock by itself.
//
//     npm install --prefix tests/guests
//     ./scenarios/expired_delete --at 'mutex:%s' \
//         --client 'node tests/guests/redis_semaphore.mjs'
//
// The library puts "mutex:" before every key.
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'

const url = process.env.REDIS_URL.replace('unix://', '')
const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 1 })
redis.on('error', () => {}) // every command says by itself what has become of it
process.on('unhandledRejection', () => {}) // a renewal that fails: the library leaves it to us

function mutex(key) {
  return new Mutex(redis, key, {
    lockTimeout: Number(process.env.LOCK_LEASE_MS),
    acquireAttemptsLimit: 1,
    onLockLost: () => {},
  })
}

const locks = new Map([[process.env.LOCK_KEY, mutex(process.env.LOCK_KEY)]])
if (process.env.LOCK_SECOND_KEY)
  locks.set(process.env.LOCK_SECOND_KEY, mutex(process.env.LOCK_SECOND_KEY))

const commands = {
  enter: async (lock) => ((await lock.tryAcquire()) ? 'ok' : 'busy'),
  leave: async (lock) => {
    const had = lock.isAcquired
    await lock.release()
    return had ? 'ok' : 'lost'
  },
  held: async (lock) => (lock.isAcquired ? 'ok' : 'lost'),
  write: async () => {
    await redis.set('resource', 'written')
    return 'ok'
  },
}

await redis.ping()
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split(' ')
  const key = rest.find((argument) => !argument.startsWith('@')) ?? process.env.LOCK_KEY
  if (word === 'quit') break
  try {
    console.log(rest.some((argument) => argument.startsWith('@'))
      ? 'cannot it has one thread'
      : await commands[word](locks.get(key)))
  } catch (error) {
    const refused = error.name === 'ReplyError'
    console.log(`${refused ? 'error' : 'unknown'} ${error.message}`)
  }
}
process.exit(0)
