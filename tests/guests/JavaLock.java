// A guest in plain Java: a lock like stage 6, with a watchdog from Java's own library. It needs no
// other one. In the world's time (docs/ci.md):
//
//     javac -d build/guests tests/guests/JavaLock.java
//     ./scenarios/work_outlives_lease --virtual --client 'java -Xint -XX:+UseSerialGC -XX:-UsePerfData
//         -XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0 -XX:AsyncDeflationInterval=0
//         -cp build/guests JavaLock'
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Scanner;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

public class JavaLock {
    private static final Map<String, String> GIVEN = System.getenv();
    private static final String KEY = GIVEN.get("LOCK_KEY"), LEASE_MS = GIVEN.get("LOCK_LEASE_MS");
    private static final String TOKEN = UUID.randomUUID().toString();
    private static final String OWN = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end ";
    private static SocketChannel server;

    // A connection that the server has closed in the meantime is no reason for "unknown".
    private static boolean isOpen() {
        try {
            server.configureBlocking(false);
            boolean open = server.read(ByteBuffer.allocate(1)) == 0;
            server.configureBlocking(true);
            return open;
        } catch (IOException broken) {
            return false;
        }
    }

    private static synchronized String call(String... words) throws IOException {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words)
            request.append("$" + word.length() + "\r\n" + word + "\r\n");
        ByteBuffer answer = ByteBuffer.allocate(4096);
        try {
            if (server == null || !isOpen())
                server = SocketChannel.open(UnixDomainSocketAddress.of(GIVEN.get("REDIS_URL").substring("unix://".length())));
            server.write(ByteBuffer.wrap(request.toString().getBytes(StandardCharsets.UTF_8)));
            if (server.read(answer) < 0)
                throw new EOFException("the server has closed the connection");
        } catch (IOException broken) {
            if (server != null)
                server.close();
            server = null;
            throw broken;
        }
        String said = new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        if (said.startsWith("-"))
            throw new IllegalStateException(said.substring(1).trim());
        return said;
    }

    private static void renew() {
        try {
            call("EVAL", OWN + "return redis.call('PEXPIRE', KEYS[1], ARGV[2])", "1", KEY, TOKEN, LEASE_MS);
        } catch (IOException | IllegalStateException failed) {
            // the next one tries again
        }
    }

    public static void main(String[] arguments) throws IOException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        Future<?> watchdog = null;
        long third = Long.parseLong(LEASE_MS) / 3;
        call("PING");
        System.out.println("ready");
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String word = lines.nextLine(), said = "cannot";
            try {
                if (word.equals("enter"))
                    said = call("SET", KEY, TOKEN, "NX", "PX", LEASE_MS).startsWith("+OK") ? "ok" : "busy";
                if (word.equals("leave"))
                    said = call("EVAL", OWN + "return redis.call('DEL', KEYS[1])", "1", KEY, TOKEN).startsWith(":1") ? "ok" : "lost";
                if (word.equals("held"))
                    said = call("GET", KEY).contains(TOKEN) ? "ok" : "lost";
                if (word.equals("write"))
                    said = call("SET", "resource", "written").startsWith("+OK") ? "ok" : "unknown";
            } catch (IOException broken) {
                said = "unknown " + broken.getMessage();
            } catch (IllegalStateException refused) {
                said = "error " + refused.getMessage();
            }
            boolean ends = word.equals("leave") || (word.equals("enter") && said.equals("ok"));
            if (ends && watchdog != null) // also that of an earlier hold
                watchdog.cancel(false);
            if (word.equals("enter") && said.equals("ok"))
                watchdog = timer.scheduleAtFixedRate(JavaLock::renew, third, third, TimeUnit.MILLISECONDS);
            System.out.println(said);
        }
        System.exit(0);
    }
}
