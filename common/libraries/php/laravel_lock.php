#!/usr/bin/env php
<?php
// Laravel's atomic locks, illuminate/cache 8.83.26 on phpredis,
// https://laravel.com/docs/8.x/cache#atomic-locks (Debian's php-illuminate-cache,
// php-illuminate-redis and php-redis.)
//
// Promises "the manipulation of distributed locks without worrying about race
// conditions". It renews nothing by itself, has whole seconds, and no question for a
// holder, who has to count them. Its key is the lock's name, with the application's
// prefix before it; here that is none.
require 'Illuminate/Cache/autoload.php';
require 'Illuminate/Redis/autoload.php';
require __DIR__ . '/frame.php';

$manager = new Illuminate\Redis\RedisManager(null, 'phpredis', ['default' => ['host' => address(), 'port' => 0]]);
$store = new Illuminate\Cache\RedisStore($manager);

guest(fn () => $manager->connection()->client(), function (string $key) use ($store) {
    $seconds = (int) ceil(lease_ms() / 1000);
    $lock = $store->lock($key, $seconds);
    $end = 0;
    return [
        'enter' => function () use ($lock, $seconds, &$end) {
            $asked = microtime(true);
            $got = waits() ? $lock->block($seconds) : $lock->get();
            return $got && ($end = $asked + $seconds);
        },
        'leave' => fn () => $lock->release(),
        'held' => function () use (&$end) { return microtime(true) < $end; },
    ];
});
