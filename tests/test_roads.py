"""The locks on other servers than Redis, where these are not here; and what does not go with them.
(tests/all/test_other_servers.py has the rest.)"""

import shutil

import pytest

from lockstep import ELSEWHERE, EXPLORE, MATRIX, expected, lock_source, lock_sources, races, refused, replay, roads, run
from world import needs_mariadb, needs_zookeeper, where_it_is

def test_the_table_is_complete():
    assert set(expected("roads.txt")) == {(race, lock) for race in races() for name in ELSEWHERE for lock in roads(name)}


@needs_mariadb
def test_without_the_server_it_says_which_package_has_one():
    finished = replay("two_processes", "road_mysql_row", env={"MARIADB_SERVER": "no-such-server"})
    assert finished.code == 2 and finished.out == ""
    assert "there is no no-such-server here" in finished.err
    assert "mariadb-server-core" in finished.err and "make roads" in finished.err
    table = run(MATRIX, "--engine", "mariadb", "--format", "tsv", "two_processes",
                env={"MARIADB_SERVER": "no-such-server"})
    assert table.code == 2 and "not-run" in table.out and "mariadb-server-core" in table.err


ROADS = [lock for lock in lock_sources() if lock.startswith("road_")]


@needs_mariadb
def test_all_roads_are_one_table():
    """A road whose server is not there is not run, and the others are."""
    table = run(MATRIX, "--roads", "--format", "tsv", "crash_holding",
                env={"MARIADB_SERVER": "no-such-server", "ZOOKEEPER_JAR": "/no/such.jar"})
    head, row = (line.split("\t") for line in table.out.splitlines())
    assert head == ["race", *ROADS]
    assert row == ["crash_holding", *("holds" if road == "road_redlock" else "not-run" for road in ROADS)]
    assert table.code == 2 and "mariadb-server-core" in table.err and "libzookeeper-java" in table.err


def test_a_road_that_is_not_built_is_not_run_and_the_others_are(scratch):
    scratch.lock("road_redlock")
    for road in ROADS:
        shutil.copytree(lock_source(road).parent, lock_source(road, scratch.top).parent, dirs_exist_ok=True)
    table = run(scratch.take("matrix"), "--roads", "--format", "json", "two_processes")
    assert table.document["two_processes"] == {road: "holds" if road == "road_redlock" else "not-run"
                                                     for road in ROADS}
    assert table.code == 2
    for road, engine in (("road_mysql_row", "mariadb"), ("road_zookeeper", "zookeeper")):
        assert f" was not run: {road} is not built: make roads installs {engine}, and builds it\n" in table.err


@needs_zookeeper
def test_without_java_or_the_archive_it_says_which_package_has_it(tmp_path):
    finished = replay("two_processes", "road_zookeeper", env={"ZOOKEEPER_JAR": "/no/such.jar"})
    assert finished.code == 2 and finished.out == ""
    assert "there is no /no/such.jar here" in finished.err
    assert "libzookeeper-java" in finished.err and "make roads" in finished.err
    finished = replay("two_processes", "road_zookeeper", env={"PATH": str(tmp_path)})
    assert finished.code == 2 and "default-jre-headless" in finished.err


@pytest.mark.parametrize("lock", where_it_is([["road_mysql_row"], ["road_zookeeper"]]))
def test_a_search_refuses_them(lock):
    assert "a search cannot follow" in refused(EXPLORE, "--stage", lock)
