"""The locks on other servers than Redis as programs of their own, on an ordinary server, in real
time: no gate, no virtual clock. And what they say where they cannot connect."""

import contextlib
import getpass
import os
import re
import select
import shutil
import socket
import subprocess
import time

import pytest

from lockstep import ROOT, has_engine, run
from plain import LIMIT_S, Client, Server, free_port

DATABASE = os.environ.get("MARIADB_SERVER") or "mariadbd"
needs_mariadb = pytest.mark.skipif(
    not has_engine("mariadb") or not shutil.which("mariadb-install-db"),
    reason="mariadb is not here: make roads")
needs_zookeeper = pytest.mark.skipif(not has_engine("zookeeper"), reason="zookeeper is not here: make roads")

# Done before the server answers anybody: a line for each. One password has all that a URL has.
ACCOUNTS = """CREATE DATABASE test;
CREATE DATABASE `a/b`;
CREATE USER u@'127.0.0.1' IDENTIFIED BY 'simple';
GRANT ALL ON *.* TO u@'127.0.0.1';
CREATE USER 'u@home'@'127.0.0.1' IDENTIFIED BY 'p@s:s/w%rd?';
GRANT ALL ON *.* TO 'u@home'@'127.0.0.1';
"""


class Elsewhere(Server):
    """A server of another kind; it says these words when it is ready."""

    def __init__(self, command, port, words):
        self.port = port
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.wait_for(words)

    def drop_log(self):
        while select.select([self.process.stdout], [], [], 0)[0] and os.read(self.process.stdout.fileno(), 65536):
            pass


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    if not shutil.which("my_print_defaults"):
        pytest.skip("mariadb-install-db lacks my_print_defaults: make guests")
    folder, port, user = tmp_path_factory.mktemp("mariadb"), free_port(), getpass.getuser()
    (folder / "accounts.sql").write_text(ACCOUNTS)
    run("mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", f"--user={user}",
        "--auth-root-authentication-method=normal", "--skip-test-db")
    server = Elsewhere([DATABASE, "--no-defaults", f"--datadir={folder}/data", f"--user={user}",
                        f"--socket={folder}/s", f"--port={port}", "--bind-address=127.0.0.1",
                        f"--init-file={folder}/accounts.sql"], port, "ready for connections")
    yield server
    server.end()


QUESTION_S = 2


def until_it_says(server, word, times, words):
    """Asks a ZooKeeper server with such a word until these words stand in the answer so often. It logs each question:
    who does not read that fills the pipe, and then the server stands still. And a question that comes while it starts
    may never be answered: so each has a limit of its own, and is asked again."""
    end, said = time.monotonic() + LIMIT_S, ""
    while said.count(words) != times:
        assert time.monotonic() < end, f"the server did not say '{words}' within {LIMIT_S} s: {said}"
        server.drop_log()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port), QUESTION_S) as wire:
            wire.sendall(word.encode())
            said = wire.makefile().read()


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("zookeeper"), free_port()
    jar = os.environ.get("ZOOKEEPER_JAR") or "/usr/share/java/zookeeper.jar"
    server = Elsewhere(["java", "-Dzookeeper.4lw.commands.whitelist=srvr,dump", "-cp", f"{jar}:/usr/share/java/slf4j-simple.jar",
                        "org.apache.zookeeper.server.ZooKeeperServerMain", str(port), folder / "data"],
                       port, "binding to port")
    try:
        until_it_says(server, "srvr", 1, "Mode: standalone")
        yield server
    finally:
        server.end()


@pytest.fixture
def client():
    made = []

    def make(lock, **more):
        made.append(Client(lock, "", **more))
        return made[-1]

    yield make
    for each in made:
        each.kill()


def at(port, user="u", password="simple", host="127.0.0.1", name="test"):
    return f"mysql://{user}:{password}@{host}:{port}/{name}"


def taken_in_turns(a, b):
    assert [a.say("enter"), b.say("enter"), a.say("held"), a.say("leave"), b.say("enter"),
            b.say("leave")] == ["ok", "busy", "ok", "ok", "ok", "ok"]
    assert a.quit() == b.quit() == 0


@needs_mariadb
@pytest.mark.parametrize("lock, name", [("road_mysql_row", "test"), ("road_mysql_for_update", "test"),
                                        ("road_mysql_row_lease", "a%2Fb")])
def test_a_lock_in_a_database_is_taken_in_turns(database, client, lock, name):
    url = at(database.port, name=name)
    taken_in_turns(*(client(lock, key="mine", MYSQL_URL=url) for _ in "ab"))


# Somebody's own server, and an empty database in it; there has to be another, whose name has a 2
# behind it.
MYSQL = os.environ.get("LOCKSTEP_MYSQL_URL")


@pytest.mark.skipif(not MYSQL, reason="LOCKSTEP_MYSQL_URL names no MySQL server")
@pytest.mark.parametrize("lock, number", [("road_mysql_row", ""), ("road_mysql_for_update", ""),
                                          ("road_mysql_row_lease", "2")])
def test_a_lock_is_taken_in_turns_on_mysql(client, lock, number):
    """The two kinds of rows are in tables of one name."""
    a, b = (client(lock, key="lockstep", MYSQL_URL=f"{MYSQL}{number}") for _ in "ab")
    first = a.say("enter")
    if first == "ok":
        assert a.say("leave") == "ok"
        return taken_in_turns(a, b)
    # Before 8.0 it knows no such word. Who waits does not need it.
    assert lock == "road_mysql_for_update" and "near 'NOWAIT'" in first
    assert a.say("wait 60000") == "ok"
    b.tell("wait 60000")
    assert [a.say("leave"), b.line(), b.say("leave")] == ["ok", "ok", "ok"]


@needs_mariadb
@pytest.mark.parametrize("user, password", [("u%40home", "p%40s%3As%2Fw%25rd%3F"),
                                            ("u%40home", "p%40s%3as%2fw%25rd%3f"),
                                            ("%75", "%73im%70le"), ("u%40home", "p@s:s%2Fw%25rd%3F")])
def test_any_byte_can_stand_in_an_address(database, client, user, password):
    assert client("road_mysql_row", MYSQL_URL=at(database.port, user, password)).quit() == 0


def refused(lock, **variables):
    """What it says where it cannot even begin: one line, which ends with this."""
    finished = run(ROOT / "build/clients" / lock, env=variables)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err.startswith(f"{lock}: ") and finished.err.count("\n") == 1, finished.err
    return finished.err.removeprefix(f"{lock}: ").removesuffix("\n")


FORM = "MYSQL_URL is not mysql://[user[:password]@]host[:port]/database[?unix_socket=/path]"
ESCAPE = "MYSQL_URL has a % without the two hexadecimal digits of a byte (not 00) behind it: write %25 for a %"


@needs_mariadb
@pytest.mark.parametrize("url, said", [
    *((url, FORM) for url in [
        "m", "mysql:/", "redis://127.0.0.1/test", "mysql://127.0.0.1", "mysql://127.0.0.1/",
        "mysql://127.0.0.1:port/test", "mysql://127.0.0.1:/test", "mysql://127.0.0.1:65536/test",
        "mysql://127.0.0.1/test?charset=utf8", f"mysql://u:{'secret' * 50}@127.0.0.1/test"]),
    *((f"mysql://u:{password}@127.0.0.1/test", ESCAPE) for password in [
        "%", "%4", "secret%", "%zz", "%4z", "secret%00", "%%", "% 40"]),
    ("mysql://127.0.0.1/test%", ESCAPE)])
def test_a_wrong_address_of_a_database_is_said(url, said):
    assert refused("road_mysql_row", MYSQL_URL=url) == said


@needs_mariadb
def test_where_no_database_answers_it_says_where_it_has_looked(tmp_path):
    port, begin = free_port(), "cannot connect to the server: "
    assert [refused("road_mysql_row", MYSQL_URL=url) for url in (
        at(port), at(port, host="no-such-host.invalid"),
        f"mysql://localhost/test?unix_socket={tmp_path}/none")] == [
        f"{begin}nobody answers at 127.0.0.1, port {port}, which MYSQL_URL names",
        f"{begin}there is no host no-such-host.invalid, which MYSQL_URL names",
        f"{begin}No such file or directory (unix_socket in MYSQL_URL)"]


@needs_mariadb
def test_what_a_database_refuses_is_said_and_no_password_shown(database):
    begin, end = "cannot connect to the server: ", " (MYSQL_URL names user, password and database)"
    wrong = refused("road_mysql_row", MYSQL_URL=at(database.port, password="my%40secret"))
    assert wrong.startswith(f"{begin}Access denied for user 'u'@") and wrong.endswith(end)
    assert "secret" not in wrong
    assert refused("road_mysql_row", MYSQL_URL=at(database.port, name="nothing")) == (
        f"{begin}Unknown database 'nothing'{end}")


@needs_zookeeper
def test_a_lock_in_zookeeper_is_taken_in_turns(tree, client):
    taken_in_turns(*(client("road_zookeeper", key="mine", ZOOKEEPER_HOSTS=f"127.0.0.1:{tree.port}")
                     for _ in "ab"))


@needs_zookeeper
@pytest.mark.parametrize("hosts", ["127.0.0.1", "127.0.0.1:port", ",", "no-such-host.invalid:2181"])
def test_wrong_hosts_are_said(hosts):
    assert refused("road_zookeeper", ZOOKEEPER_HOSTS=hosts) == (
        f"cannot connect to ZooKeeper: ZOOKEEPER_HOSTS is not host:port,host:port… with hosts that there are: '{hosts}'")


@needs_zookeeper
def test_where_no_zookeeper_answers_it_says_where_it_has_looked():
    hosts = f"127.0.0.1:{free_port()}"
    assert refused("road_zookeeper", ZOOKEEPER_HOSTS=hosts) == (
        f"cannot connect to ZooKeeper: no server answers at {hosts} (ZOOKEEPER_HOSTS)")


@needs_zookeeper
def test_who_waits_hears_that_its_node_was_removed(tree, client):
    """With the program that the page names."""
    hosts = f"127.0.0.1:{tree.port}"
    a, b = (client("road_zookeeper", key="removed", ZOOKEEPER_HOSTS=hosts) for _ in "ab")
    assert a.say("enter") == "ok"
    b.tell("wait 86400000")
    until_it_says(tree, "dump", 2, "/removed/")
    run("java", "-cp", "/usr/share/java/*", "org.apache.zookeeper.ZooKeeperMain", "-server", hosts,
        "deleteall", "/removed")
    assert b.line() == "lost"
    assert b.say("leave") == a.say("leave") == "lost"
    assert b.say("enter") == "ok"


@needs_zookeeper
def test_a_queue_may_be_long(tree, client):
    """An attempt behind a hundred nodes of others is busy, and leaves nothing there."""
    hosts = f"127.0.0.1:{tree.port}"
    a = client("road_zookeeper", key="long", ZOOKEEPER_HOSTS=hosts)

    def type_in(text):
        return subprocess.run(["java", "-cp", "/usr/share/java/*", "org.apache.zookeeper.ZooKeeperMain", "-server", hosts],
                              input=text, capture_output=True, text=True, timeout=300).stdout

    type_in("create -s /long/x-\n" * 100 + "quit\n")
    assert a.say("enter") == "busy"
    assert len(re.findall(r"x-\d{10}", type_in("ls /long\nquit\n"))) == 100
    type_in("deleteall /long\nquit\n")
    assert a.say("enter") == "ok"


@needs_zookeeper
def test_a_missing_node_is_said(tree, client):
    """The node in which the lock's would be; what a lock protects; and that a name is too long."""
    hosts = f"127.0.0.1:{tree.port}"
    a = client("road_zookeeper", ZOOKEEPER_HOSTS=hosts)
    assert a.say("enter") == "ok"
    assert a.say("write") == "error there is no node /resource (create /resource)"
    for key, said in [("no/lock", "the node that is to hold /no/lock is not there"),
                      ("k" * 190, "a lock's name has at most 189 bytes in ZooKeeper")]:
        finished = run(ROOT / "build/clients/road_zookeeper", "--key", key, env={"ZOOKEEPER_HOSTS": hosts})
        assert (finished.code, finished.out, finished.err) == (2, "", f"road_zookeeper: {said}\n")
    assert client("road_zookeeper", key="k" * 189, ZOOKEEPER_HOSTS=hosts).say("enter") == "ok"
