#!/usr/bin/env php
<?php
// Symfony Lock 5.4.53 with its RedisStore, https://symfony.com/doc/5.x/components/lock.html
// (Debian's php-symfony-lock and php-redis.)
//
// Promises "exclusive access to a shared resource". It renews nothing by itself
// (refresh() is the program's). isAcquired() asks the server. A release says
// nothing, unless the lock is still there. Its key, a sorted set, is the lock's name.
require 'Symfony/Component/Lock/autoload.php';
require __DIR__ . '/frame.php';

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

$redis = new Redis();
$redis->connect(address());
$factory = new LockFactory(new RedisStore($redis));

guest(fn () => $redis, function (string $key) use ($factory) {
    $lock = $factory->createLock($key, lease_ms() / 1000, false);
    return [
        'enter' => fn () => $lock->acquire(waits()),
        'leave' => fn () => $lock->release(),
        'held' => fn () => $lock->isAcquired(),
    ];
});
