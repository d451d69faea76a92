#!/usr/bin/env php
<?php
// Laravel's concurrency limiter for one, illuminate/redis 8.83.26 on phpredis,
// https://laravel.com/docs/8.x/queues#job-middleware: Redis::funnel(…)->limit(1).
// (Debian's php-illuminate-redis and php-redis.)
//
// A lock around a function. It renews nothing by itself, has whole seconds, and no
// question for a holder, who has to count them. Its release says nothing. Its key is
// the name with the number of the place, with --at '%s1'. Here a fiber is what the
// function waits in.
require 'Illuminate/Redis/autoload.php';
require __DIR__ . '/frame.php';

use Illuminate\Contracts\Redis\LimiterTimeoutException;

$manager = new Illuminate\Redis\RedisManager(null, 'phpredis', ['default' => ['host' => address(), 'port' => 0]]);
$redis = $manager->connection();

guest(fn () => $redis->client(), function (string $key) use ($redis) {
    $seconds = (int) ceil(lease_ms() / 1000);
    $inside = null;
    $end = 0;
    return [
        'enter' => function () use ($redis, $key, $seconds, &$inside, &$end) {
            $asked = microtime(true);
            $limiter = $redis->funnel($key)->limit(1)->releaseAfter($seconds)->block(waits() ? $seconds : 0);
            $next = new Fiber(fn () => $limiter->then(fn () => Fiber::suspend()));
            try {
                $next->start();
            } catch (LimiterTimeoutException $busy) {
                return false;
            }
            [$inside, $end] = [$next, $asked + $seconds];
        },
        'leave' => function () use (&$inside) {
            if ($inside?->isTerminated()) {
                throw new RedisException('its function has ended');
            }
            $inside?->resume();
            [$was, $inside] = [$inside, null];
            return $was !== null;
        },
        'held' => function () use (&$end) { return microtime(true) < $end; },
    ];
});
