// A guest on ZooKeeper: the InterProcessMutex of Apache Curator, unmodified, in the client protocol.
//
//     ./scenarios/crash_holding --engine zookeeper --lease 4 --client tests/guests/curator_mutex

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;

public class CuratorMutex {
    private static final Map<String, String> environment = System.getenv();
    private static final Map<String, InterProcessMutex> locks = new HashMap<>();
    private static final Map<String, ExecutorService> threads = new HashMap<>();
    private static final CuratorFramework zookeeper = connect();
    private static CuratorFramework resource; // as if it were on another server

    // How often the connection was lost. A hold from before the last time is in doubt.
    private static volatile int losses;
    private static final Map<InterProcessMutex, Integer> lossesBefore = new ConcurrentHashMap<>();

    private static CuratorFramework connect() {
        int session = Integer.parseInt(environment.get("LOCK_LEASE_MS"));
        CuratorFramework client = CuratorFrameworkFactory.builder()
            .connectString(environment.get("ZOOKEEPER_HOSTS"))
            .sessionTimeoutMs(session)
            .connectionTimeoutMs(session)
            .retryPolicy(new RetryOneTime(10))
            .ensembleTracker(false) // there is one server
            .build();
        client.start();
        return client;
    }

    private static String enter(InterProcessMutex lock, long patienceMs) throws Exception {
        int before = losses;
        boolean nested = lock.isOwnedByCurrentThread(); // a nested call asks no server
        if (!lock.acquire(patienceMs, TimeUnit.MILLISECONDS))
            return before == losses ? "busy" : "unknown its node may still be in the queue";
        if (!nested)
            lossesBefore.put(lock, before);
        return "ok";
    }

    private static String leave(InterProcessMutex lock) throws Exception {
        try {
            lock.release();
        } catch (IllegalMonitorStateException notOurs) {
            return "lost";
        }
        return "ok";
    }

    private static String held(InterProcessMutex lock) {
        return lock.isOwnedByCurrentThread() && lossesBefore.get(lock) == losses ? "ok" : "lost";
    }

    private static String write() throws Exception {
        if (resource == null)
            resource = connect();
        resource.setData().forPath("/resource", "written".getBytes());
        return "ok";
    }

    private static String perform(String word, String patienceMs, InterProcessMutex lock) throws Exception {
        switch (word) {
        case "enter": return enter(lock, 0);
        case "wait":  return enter(lock, Long.parseLong(patienceMs));
        case "leave": return leave(lock);
        case "held":  return held(lock);
        case "write": return write();
        default:      throw new IllegalArgumentException(word + " is not in the protocol");
        }
    }

    private static String answer(String word, Callable<String> operation, ExecutorService thread)
            throws Exception {
        try {
            return thread.submit(operation).get();
        } catch (ExecutionException failed) {
            Throwable why = failed.getCause();
            boolean expired = why instanceof KeeperException.SessionExpiredException;
            if (expired && !word.equals("write"))
                return "lost";
            boolean unheard = expired || why instanceof KeeperException.ConnectionLossException
                || why instanceof KeeperException.OperationTimeoutException;
            return (unheard ? "unknown " : "error ") + why.getClass().getSimpleName();
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));

        zookeeper.getConnectionStateListenable().addListener((client, state) -> {
            if (!state.isConnected())
                losses++;
        });
        for (String name : new String[] {"LOCK_KEY", "LOCK_SECOND_KEY"})
            if (environment.containsKey(name))
                locks.put(environment.get(name),
                          new InterProcessMutex(zookeeper, "/" + environment.get(name)));
        zookeeper.blockUntilConnected();
        System.out.println("ready wait");
        for (String line; (line = input.readLine()) != null && !line.equals("quit");) {
            String key = environment.get("LOCK_KEY"), thread = "@1", number = "0";
            String[] words = line.split(" ");
            for (int i = 1; i < words.length; i++)
                if (words[i].startsWith("@"))
                    thread = words[i];
                else if (words[i].matches("\\d+"))
                    number = words[i];
                else
                    key = words[i];
            String patience = number;
            InterProcessMutex lock = locks.get(key);
            System.out.println(answer(words[0], () -> perform(words[0], patience, lock),
                                      threads.computeIfAbsent(thread, name -> Executors.newSingleThreadExecutor())));
        }
        System.exit(0);
    }
}
