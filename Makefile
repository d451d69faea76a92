# make stage3          one lock and the races, which run on the lock made last
# make                 everything
# make matrix          the documented races against the ladder, as a table
# make test            every cell, and the programs' promises; test-all: the rest
# make diff N=5        the step from stage 4 to 5; LOCK=detour_get_del: a detour;
#                      FROM=detour_get_del: from another; HEAD=1: with its story
# make docs            run the samples of the pages anew; pictures: draw them
# make site            the matrix and its runs as pages for a browser
# make exercises       locks to repair; exercise EX=NAME begins one,
#                      check EX=NAME looks at it, solution EX=NAME shows one
# make mine            an empty lock of your own; check: which stage it is by now
# make grade, handout  points for a class; a copy for it (docs/instructors.md)
# make mutants         locks with one bug each, and what catches them
# make bench           how fast this is here
# make soak RUNS=200   the same bytes again and again, also under load
# make roads           the table of the roads; installs MariaDB and ZooKeeper
# make guests, setup   install what guests need (docs/guests.md), or everything
# make libraries       published lock libraries in the races; bench-libraries
# make clean           remove what was built
#
# CC=clang another compiler; SAN=1 ASan, UBSan; SAN=thread TSan; V=1 commands;
# WERROR=1 a warning ends the build; REDIS_SERVER=valkey-server another server
# ./scenarios/list prints the names of all races and locks.

# --- what there is -----------------------------------------------------------

STAGES  := $(wildcard stages/*/lock.c stages/detours/*/lock.c stages/roads/*/lock.c)
name_of  = $(notdir $(patsubst %/,%,$(dir $1)))
# A student's own locks are called my_…: they are built one by one, and are in no
# table that does not name them.
MINE    := $(filter my_%,$(call name_of,$(STAGES)))
# Locks on another server than Redis: built where its client library is.
MARIADB := $(call name_of,$(shell grep -l '^// Engine: mariadb' $(STAGES)))
ZOOKEEPER := $(call name_of,$(shell grep -l '^// Engine: zookeeper' $(STAGES)))
ELSEWHERE := $(MARIADB) $(ZOOKEEPER)
LOCKS   := $(filter-out $(MINE) $(ELSEWHERE),$(call name_of,$(STAGES)))
HERE    := $(LOCKS) $(if $(shell common/setup.sh has mariadb/mysql.h),$(MARIADB)) \
    $(if $(shell common/setup.sh has zookeeper/zookeeper.h),$(ZOOKEEPER))

STORIES := $(wildcard scenarios/[0-9]*/*.c scenarios/bugs/*/*.c)
RACES   := $(patsubst %.c,scenarios/%,$(notdir $(STORIES)))
SHELVES := $(sort $(patsubst %/,%,$(dir $(STORIES))))
TOOLS   := scenarios/guest-check scenarios/list scenarios/matrix scenarios/replay
LAB     := scenarios/assumptions scenarios/bench scenarios/explore scenarios/play

objects  = $(patsubst %.c,build/%.o,$(wildcard $1))
lock_object = $(patsubst %.c,build/%.o,$(filter %/$1/lock.c,$(STAGES)))
ROOMS   := base machine engines engines/redis engines/mariadb engines/zookeeper \
    world catalogue schedule judge report picture race replay
OF_MARIADB := $(call objects,common/lock/mysql*.c)
OF_ZOOKEEPER := $(call objects,common/lock/zookeeper*.c)
OF_LOCKS := $(filter-out $(OF_MARIADB) $(OF_ZOOKEEPER),$(call objects,common/base/*.c common/lock/*.c))
OF_RACES := $(filter-out %_preload.o,$(call objects,$(ROOMS:%=common/%/*.c)))

# --- how it is built ---------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
# A newer compiler may warn where today's do not. Such a warning must not stop a
# user's build, so only WERROR=1 makes warnings errors (.ci/run sets it).
WARNINGS += $(if $(filter 1,$(WERROR)),-Werror)

CC       ?= cc
CPPFLAGS := -D_GNU_SOURCE -I. -Icommon -Icommon/lock -Icommon/race -MMD -MP
CFLAGS   := -std=c11 -O2 -g $(WARNINGS)
LDLIBS   := -lhiredis -pthread

ifeq ($(SAN),1)
# ASan must be loaded before our preloaded library: so gcc links it statically.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
    $(if $(findstring clang,$(shell $(CC) --version)),,-static-libasan)
else ifeq ($(SAN),thread)
SANITIZE := -fsanitize=thread
else ifneq ($(SAN),)
$(error SAN=$(SAN) is not known: SAN=1 is ASan and UBSan, SAN=thread is TSan)
endif

# As many jobs as there are cores; -j with a number says otherwise. Several
# goals (make clean all) are made one after the other.
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# One short line for each file; V=1 shows the commands.
Q     := $(if $(V),,@)
SAY    = $(Q)echo '  $@'
LINK   = $(SAY) && $(CC) $(CFLAGS) $(SANITIZE) -o $@

.PHONY: all matrix test test-all soak bench diff docs pictures site mutants guests libraries bench-libraries setup roads clean help
.PHONY: exercises exercise check solution mine grade handout $(LOCKS) $(MINE) $(ELSEWHERE)
.DELETE_ON_ERROR:
.SECONDARY:
.SECONDEXPANSION:

all: $(HERE:%=build/clients/%) $(RACES) $(TOOLS) $(LAB) \
    $(if $(filter road_zookeeper,$(HERE)),$(patsubst %,build/zookeeper.jsa,$(wildcard /usr/share/java/zookeeper.jar)))

# One lock, by its name or as stageN; it becomes the current one. (The search and
# the game take as long to build as all else: only plain make builds them.)
$(LOCKS) $(MINE) $(ELSEWHERE): %: build/clients/% $(RACES) $(TOOLS)
	@echo $@ > build/current
	@echo 'Made $@: ./scenarios/NAME now runs on it. make builds the rest.'

$(foreach lock,$(filter stage%,$(LOCKS)),\
    $(eval .PHONY: $(firstword $(subst _, ,$(lock))))\
    $(eval $(firstword $(subst _, ,$(lock))): $(lock)))

# A client is a lock.c; on another engine with its connection, and with its
# resource in place of the one in Redis.
build/clients/%: $$(call lock_object,$$*) build/liblock.a build/clock.so
	$(LINK) $(filter %.o,$^) build/liblock.a $(LDLIBS)
$(MARIADB:%=build/clients/%): $(OF_MARIADB)
$(MARIADB:%=build/clients/%): LDLIBS += -lmariadb
$(ZOOKEEPER:%=build/clients/%): $(OF_ZOOKEEPER) build/jvm.so
$(ZOOKEEPER:%=build/clients/%): LDLIBS += -lzookeeper_mt

# All races are one program, and so are the tools beside them. scenarios/ has
# links to it: a program sees by which name it was called.
build/lockstep: $(SHELVES:%=build/%.o) $(call objects,common/runner/*.c)
build/lab: $(call objects,common/lab/*.c common/lab/play/*.c common/lab/bench/*.c) build/libsearch.a
build/lockstep build/lab: build/librace.a build/clock.so
	$(LINK) $(filter %.o,$^) $(filter %/libsearch.a,$^) build/librace.a $(LDLIBS) -ljansson

$(RACES) $(TOOLS): build/lockstep
$(LAB): build/lab
$(RACES) $(TOOLS) $(LAB):
	$(Q)ln -sf ../$< $@

build/liblock.a: $(OF_LOCKS)
build/librace.a: $(OF_RACES)
build/libsearch.a: $(call objects,common/lab/search/*.c)
build/%.a:
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Preloaded into servers too, so never built with a sanitizer.
build/clock.so: $(patsubst %,common/machine/%_preload.c,clock conditions container copied files fork_server random timers waits) \
    $(wildcard common/engines/*/threads_preload.c)
build/jvm.so: common/engines/zookeeper/jvm_preload.c
build/tests/late.so: tests/late.c
build/clock.so build/jvm.so: common/machine/wall_preload.c $(wildcard common/machine/*_page.h common/machine/*_preload.h)
build/clock.so build/jvm.so build/tests/late.so: build/flags | build/ready
	$(SAY) && $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $(filter %.c,$^)

# The races of a folder are compiled together: one alone takes a third of the time
# of all. (race.h comes first: -MP has no rule for the first file, and a race may
# go.)
$(SHELVES:%=build/%.o): build/%.o: $$(wildcard %/*.c) build/flags build/stories | build/ready
	$(SAY) && printf '#include "%s"\n' race.h $(wildcard $*/*.c) | \
	    $(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -x c -c -MF $(@:.o=.d) -MT $@ -o $@ -

build/%.o: %.c build/flags | build/ready
	$(SAY) && $(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -c -o $@ $<

# The classes that a ZooKeeper server loads at its start, as Java maps them into
# memory. A run writes their names; a server without this file starts as well.
build/zookeeper.jsa: /usr/share/java/zookeeper.jar | build/clients/road_zookeeper scenarios/two_processes
	$(SAY) && rm -f $@ && \
	JAVA_TOOL_OPTIONS=-XX:DumpLoadedClassList=$(abspath $@).classes \
	    ./scenarios/two_processes --stage road_zookeeper > /dev/null && \
	java -Xshare:dump -XX:+UseG1GC -Xmx96m -XX:SharedClassListFile=$@.classes \
	    -XX:SharedArchiveFile=$@ -cp $<:/usr/share/java/slf4j-simple.jar > $@.log 2>&1 || \
	echo 'Java keeps no classes in $@: ZooKeeper starts more slowly.'

# The names of all races, as the program includes them, and the flags of the
# compiler. If one of them has changed since last time, its objects are old, and
# so are the links of races.
build/common/runner/stories.o: build/stories.inc
build/stories.inc: build/stories
	$(Q)printf 'STORY(%s)\n' $(RACES:scenarios/%=%) > $@
FLAGS := $(CC) $(CFLAGS) $(SANITIZE)
FOLDERS := clients $(sort $(dir $(STORIES) $(STAGES) $(wildcard common/*/*.c common/*/*/*.c tests/*.c)))
$(shell mkdir -p $(FOLDERS:%=build/%))
$(shell [ '$(STORIES)' = "$$(cat build/stories 2>&1)" ] || { \
    find scenarios -maxdepth 1 -lname '*/lockstep' -delete; echo '$(STORIES)' > build/stories; })
$(shell [ '$(FLAGS)' = "$$(cat build/flags 2>&1)" ] || echo '$(FLAGS)' > build/flags)

# Checks that compiler, libraries and server are installed.
build/ready:
	common/setup.sh install
	@touch $@

-include $(shell find build -name '*.d')

# --- running -----------------------------------------------------------------

matrix: all
	./scenarios/matrix

# The packages for tests.
FOR_TESTS := pytest guests models site formats
PYTEST = python=$$(common/setup.sh python); \
	$$python -c 'import xdist' 2>/dev/null && parallel='-n auto'; \
	set -- $$parallel $(JUNIT:%=--junitxml=%) $(TAP:%=--tap=%)

build/tests/parse build/tests/patience: %: %.o build/librace.a
	$(LINK) $< build/librace.a $(LDLIBS)
build/tests/library: build/tests/library.o build/stages/stage7_reentrant/lock.o build/liblock.a
	$(LINK) $^ $(LDLIBS)

test: all build/tests/parse build/tests/patience build/tests/library
	@common/setup.sh install pytest
	@$(PYTEST) tests --ignore tests/all; echo $$python -m pytest "$$@"; $$python -m pytest "$$@"

test-all: all build/tests/late.so
	@common/setup.sh install $(FOR_TESTS)
	@$(PYTEST) tests/all; echo $$python -m pytest "$$@"; $$python -m pytest "$$@"

RUNS := 200
soak: all
	./tests/soak $(RUNS)

bench: all
	./scenarios/bench

diff:
	@common/diff.sh $(LOCK:%=LOCK=%) $(N:%=N=%) $(FROM:%=FROM=%) $(HEAD:%=HEAD=%)

docs: all
	@common/setup.sh install models
	python3 common/course/atlas.py
	python3 common/course/exercises.py pages
	python3 common/course/samples.py

pictures: all
	python3 common/course/pictures.py

site: all
	@common/setup.sh install site
	@$$(common/setup.sh python markdown,pygments) common/site/build_site.py $(ONLY)
	@echo 'Made build/site: open build/site/index.html in a browser.'

# The student's half (docs/exercises.md). A lock that does not pass yet is no
# error of make's.
EXERCISES := common/setup.sh install python3 && python3 common/course/exercises.py
exercises:
	@$(EXERCISES) list
exercise:
	@$(EXERCISES) begin '$(EX)' '$(HINT)'
solution:
	@$(EXERCISES) solution '$(EX)'
mine:
	@$(EXERCISES) mine
check: $(if $(HINT),,$(RACES) scenarios/matrix scenarios/explore scenarios/replay)
	@$(EXERCISES) check '$(EX)' '$(HINT)' $(MAKEOVERRIDES) || test $$? -eq 1

# The instructor's half (docs/instructors.md). Without bubblewrap there are other
# limits, and the grader says what is missing.
grade: $(RACES) scenarios/matrix scenarios/explore build/liblock.a
	@common/setup.sh install python3
	@common/setup.sh install bubblewrap 2>/dev/null || true
	@python3 common/course/grade.py $(if $(EX),--exercise '$(EX)') \
	$(if $(ASSIGNMENT),--assignment '$(ASSIGNMENT)') $(if $(FROM),--from '$(FROM)') $(if $(FORMAT),--format '$(FORMAT)') \
	$(if $(OUTPUT),--output '$(OUTPUT)') $(if $(FEEDBACK),--feedback '$(FEEDBACK)') $(if $(TIMES),--times) \
	$(if $(SUBMISSIONS),--class '$(SUBMISSIONS)') $(if $(SUBMISSION),'$(SUBMISSION)')
handout:
	@common/setup.sh install python3
	@python3 common/course/handout.py '$(DIR)' $(ASSIGNMENT)
mutants:
	@python3 common/course/mutants.py --print

# Guests on MariaDB and ZooKeeper, too, where `make roads` has installed them.
JARS := /usr/share/java
guests:
	@common/setup.sh install guests
	@! PATH=$$PATH:/usr/sbin command -v mariadbd >/dev/null || common/setup.sh install mariadb-guests
	@[ ! -e $(JARS)/zookeeper.jar ] || { common/setup.sh install zookeeper-guests && \
	    $(MAKE) --no-print-directory build/guests/CuratorMutex.class; }
build/guests/%.class: tests/guests/%.java
	javac -Werror -Xlint:all,-path -d $(@D) $< \
	    -cp $(JARS)/curator-recipes.jar:$(JARS)/curator-framework.jar:$(JARS)/curator-client.jar:$(JARS)/zookeeper.jar

# Published lock libraries, each pinned to a version, and the table of them. What
# cannot be installed here is not run.
libraries: all
	@common/setup.sh install node libraries || true
	@! command -v npm >/dev/null || npm ci --prefix common/libraries/node --silent --no-audit --no-fund
	common/libraries/run $(ONLY)

# The cost of a hold: stages 5 to 9 beside the published libraries.
bench-libraries: all
	common/libraries/bench $(ONLY)

# The locks on other servers than Redis, with those servers.
roads:
	@common/setup.sh install mariadb zookeeper
	@$(MAKE) --no-print-directory
	./scenarios/matrix --roads

setup:
	@common/setup.sh install $(FOR_TESTS)

clean:
	rm -rf build $(RACES) $(TOOLS) $(LAB) tests/__pycache__ tests/all/__pycache__ common/course/__pycache__ .pytest_cache

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
