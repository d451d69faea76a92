<?php
// What all guests in this folder share: the client protocol (docs/protocol.md)
// around a published lock library for PHP, unmodified, on phpredis.
//
// A guest gives guest() a function that makes its library's lock for a key: an
// array with enter, leave and held. They do what the library's manual says, and
// return its answer: true, false (busy, or lost), or what it throws.
//
// phpredis connects again by itself, and sends no command twice. Where no answer
// came it throws. Most errors of the server it throws, too, with their own text.
// Some are only noted, and the call returns false: getLastError() has them then.
// (Rejected: a client of our own between library and server. It could not be what
// a library asks for, the class Redis.)

const FROM_SERVER = '/^[A-Z]+ /'; // "READONLY You can't write against …"

function lease_ms(): int
{
    return (int) getenv('LOCK_LEASE_MS');
}

function address(): string
{
    return str_replace('unix://', '', getenv('REDIS_URL'));
}

// An attempt waits, as the library waits by itself (for ../bench).
function waits(): bool
{
    return getenv('LOCK_WAITS') !== false;
}

// What the operation says that threw this. The client's exception lies inside the
// library's. If there is none, the library itself has found that it is too late.
function why(string $word, Throwable $error): string
{
    while ($error->getPrevious() && !$error instanceof RedisException) {
        $error = $error->getPrevious();
    }
    $reason = strtok($error->getMessage(), "\n");
    if (preg_match(FROM_SERVER, $reason)) {
        return "error $reason";
    }
    return $error instanceof RedisException ? "unknown $reason" : ($word === 'enter' ? 'lost' : "error $reason");
}

// After an attempt at which nobody was there phpredis makes no other.
function begin(Redis $redis): void
{
    try {
        $redis->isConnected() || $redis->connect(address());
        $redis->clearLastError();
    } catch (RedisException $error) {
        return; // the next command says it
    }
}

function answer(array $lock, string $word, Redis $redis): string
{
    begin($redis);
    try {
        $ok = $word === 'write' ? $redis->set('resource', 'written') : $lock[$word]();
    } catch (Error $error) {
        throw $error; // the guest's
    } catch (Exception $error) {
        return why($word, $error);
    }
    if ($ok !== false) {
        return 'ok';
    }
    if ($redis->getLastError() !== null) {
        return 'error ' . $redis->getLastError();
    }
    return $word === 'enter' ? 'busy' : 'lost';
}

function guest(callable $redis, callable $make): void
{
    $locks = [];
    foreach (array_filter([getenv('LOCK_KEY'), getenv('LOCK_SECOND_KEY')]) as $key) {
        $locks[$key] = $make($key);
    }
    echo "ready\n";
    while (($line = fgets(STDIN)) !== false) {
        $rest = explode(' ', rtrim($line));
        $word = array_shift($rest);
        $keys = array_values(array_filter($rest, fn ($argument) => $argument[0] !== '@'));
        $lock = $locks[$keys[0] ?? getenv('LOCK_KEY')] ?? null;
        if ($word === 'quit') {
            break;
        }
        if (count($keys) < count($rest)) {
            echo "cannot it has one thread\n";
        } elseif (!$lock || !in_array($word, ['enter', 'leave', 'held', 'write'])) {
            echo 'cannot this guest does not know ' . $line;
        } else {
            echo answer($lock, $word, $redis()) . "\n";
        }
    }
}
