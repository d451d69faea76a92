// What all guests in this folder share: the client protocol (docs/protocol.md)
// around a published lock library for Node.js, unmodified.
//
// A guest gives `guest()` a function that makes its library's lock for a key,
// with three functions: enter, leave and held. They do what the library's manual
// says, and return its answer: true, false (busy, or lost), or what it throws.
//
// Libraries throw one and the same error for "somebody else has it" and "no
// answer came", and some throw none. So the frame looks at the commands
// themselves: the client that a library is given is the real one, and each of
// its answers is noted on its way. From these notes a failed operation gets its
// word. (Rejected: telling errors apart by each library's own texts.)
//
// The options of Node.js in a guest's first line: otherwise a process that has
// been idle for eight seconds sets timers, which look like those of a lock
// (memory-reducer); V8 counts on other threads, and a copy has none
// (single-threaded); and each copy compiles anew what it calls (lazy, opt).
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export let lease_ms, urls

// All modules are loaded, and nothing is connected: copies of this process may
// go on from here. A copy has one thread, so V8 must not count on others.
function loaded() {
  const { LOCK_LOADED } = process.env
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')() // otherwise each copy would do it
  if (LOCK_LOADED && process.execArgv.includes('--single-threaded')) readFileSync(LOCK_LOADED)
  lease_ms = Number(process.env.LOCK_LEASE_MS)
  urls = (process.env.REDIS_URLS ?? process.env.REDIS_URL).split(' ')
}

// Before the n-th attempt to connect again.
const pause_ms = (n) => Math.min(20 * n, 1000)

// An attempt waits, as the library waits by itself, until it gets in; if not, it
// is a single one. (Only ./bench sets it: how a library waits decides no race.)
export const waits = 'LOCK_WAITS' in process.env
export const attempts = waits ? 2 ** 30 : 1

// --- the notes ---------------------------------------------------------------

// What became of this operation's commands, for each client: yes, no, silent or
// error. The first of an attempt asks for the lock. (A cold script is no answer:
// the library sends it again, with its text. PING and SCRIPT ask for no lock.)
let notes = new Map()
let told = () => {}
export let no_grant // a promise: the first command was not answered with yes

function begin() {
  notes = new Map()
  no_grant = new Promise((resolve) => { told = resolve })
}

function note(client, name, error, answer) {
  if (/NOSCRIPT/.test(error?.message)) return
  if (['ping', 'script'].includes(name.toLowerCase()) && !error) return
  const refused = answer === null || answer === 0 || answer === false
  const server = ['ReplyError', 'ErrorReply', 'SimpleError'].includes(error?.constructor.name)
  const what = error ? (server ? 'error' : 'silent') : refused ? 'no' : 'yes'
  if (!notes.has(client)) notes.set(client, [])
  notes.get(client).push(what)
  if (what !== 'yes' && notes.get(client).length === 1) told(false)
}

// The client, with a note of each answer. Clients that know promises answer with
// one, also if there is a callback; the others have a callback at the end.
function noted(client) {
  return new Proxy(client, {
    get(_, name) {
      const method = client[name]
      if (typeof method !== 'function' || typeof name !== 'string') return method
      return (...args) => {
        const callback = args.at(-1)
        if (client.old && typeof callback === 'function')
          args[args.length - 1] = (error, answer) => {
            note(client, name, error, answer)
            callback(error, answer)
          }
        const result = method.apply(client, args)
        if (result instanceof Promise && name !== 'connect')
          result.then((answer) => note(client, name, null, answer), (error) => note(client, name, error))
        return result
      }
    },
  })
}

const unanswered = () => [...notes.values()].flat().includes('silent')

// The word for an operation that failed. With several servers "busy" means that
// those which said no leave no majority.
function why(word, error) {
  const all = [...notes.values()]
  const no = all.filter((answers) => answers[0] === 'no').length
  const flat = all.flat()
  const reason = String(error?.message ?? 'no answer').split('\n')[0]
  const majority = Math.floor(urls.length / 2) + 1
  if (word === 'enter' && no > urls.length - majority) return 'busy'
  if (unanswered() || error?.unknown) return `unknown ${reason}`
  if (flat.includes('error')) return `error ${reason}`
  if (word === 'enter' && flat.length === 0) return `unknown ${reason}` // it asked nobody
  return 'lost' // for enter: granted, and too late
}

// --- ways in which libraries lend a lock -------------------------------------

// Held while a function runs, which is told by a signal if the lock is lost. The
// function of such a guest ends when it leaves. `run` calls the library with it.
export function scope(run) {
  let signal, finish, over
  return {
    enter: () => new Promise((inside, failed) => {
      const running = run((its_signal) => {
        ;[signal, over] = [its_signal, running]
        inside()
        return new Promise((done) => { finish = done })
      })
      running.catch(failed)
    }),
    leave: async () => {
      if (!signal) return false
      if (!finish) throw Object.assign(new Error('its function has ended'), { unknown: true })
      finish()
      finish = undefined
      await over.finally(() => { if (!unanswered()) signal = undefined })
    },
    held: async () => signal !== undefined && !signal.aborted,
  }
}

// --- connections -------------------------------------------------------------

const path = (url) => url.replace('unix://', '')
const clients = []

// `failed` ends when an attempt to connect has failed.
async function opened(client, usable, failed, open = () => {}) {
  client.on('error', () => {}) // every command says by itself what became of it
  client.reachable = async () => {
    if (!usable()) await Promise.race([once(client, 'ready'), failed()]).catch(() => {})
  }
  clients.push(client)
  open()
  await once(client, 'ready')
  return noted(client)
}

// ioredis keeps commands while it connects, until an attempt fails, and repeats none.
export async function ioredis() {
  const { Redis } = await import('ioredis')
  loaded()
  return Promise.all(urls.map((url) => {
    const client = new Redis(path(url), {
      retryStrategy: pause_ms, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false,
      enableReadyCheck: false, disableClientInfo: true, connectTimeout: 0, // these crowd a trace
    })
    return opened(client, () => true)
  }))
}

// node-redis, versions 4 and later. Its queue would wait for ever: it is off.
export async function node_redis(version) {
  const { createClient } = await import(version)
  loaded()
  const client = createClient({
    disableOfflineQueue: true, disableClientInfo: true,
    socket: { path: path(urls[0]), reconnectStrategy: pause_ms, connectTimeout: 0 },
  })
  return opened(client, () => client.isReady, () => once(client, 'error'), () => client.connect())
}

// Its version 3, which knows no promises.
export async function node_redis_3() {
  const { createClient } = (await import('redis3')).default
  loaded()
  const client = createClient(path(urls[0]), {
    enable_offline_queue: false, no_ready_check: true, retry_strategy: ({ attempt }) => pause_ms(attempt),
  })
  client.old = true
  return opened(client, () => client.ready, async () => { // it says that an attempt begins
    await once(client, 'reconnecting')
    await once(client, 'reconnecting')
  })
}

const write = (client) => new Promise((resolve, reject) => {
  if (client.old) return client.set('resource', 'written', (error) => (error ? reject(error) : resolve()))
  client.set('resource', 'written').then(resolve, reject)
})

// --- the protocol ------------------------------------------------------------

async function answer(lock, word, write_to) {
  await new Promise(setImmediate) // a connection's end that lies there is seen first
  await Promise.all(clients.map((client) => client.reachable()))
  begin()
  try {
    if (word === 'write') return (await write(write_to), 'ok')
    const ok = await lock[word]()
    if (ok !== false) return 'ok'
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error // the guest's
    return why(word, error)
  }
  return word === 'held' ? 'lost' : why(word)
}

export async function guest([client], make) {
  const { LOCK_KEY, LOCK_SECOND_KEY } = process.env
  const locks = new Map([LOCK_KEY, LOCK_SECOND_KEY].filter(Boolean).map((key) => [key, make(key)]))
  console.log('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    const [word, ...rest] = line.split(' ')
    if (word === 'quit') break
    const lock = locks.get(rest.find((argument) => !argument.startsWith('@')) ?? LOCK_KEY)
    const known = ['enter', 'leave', 'held', 'write'].includes(word)
    if (rest.some((argument) => argument.startsWith('@'))) console.log('cannot it has one thread')
    else if (!known || !lock) console.log(`cannot this guest does not know ${line}`)
    else console.log(await answer(lock, word, client))
  }
  process.exit(0)
}
