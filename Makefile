#   make stage3 && ./scenarios/expired_delete    build one lock and see it lost
#   make                                         build everything
#   make matrix                                  every race against every lock
#   make test                                    assert every cell, both ways
#
# make help lists the rest. What is missing on this machine is installed first.

# A student's own locks are called my_…: they are built one by one, and are in no
# table that does not name them.
MINE   := $(notdir $(wildcard stages/my_*))
# Locks that another server than Redis holds: built where its client library is.
SOURCES := $(wildcard stages/*/lock.c stages/detours/*/lock.c stages/roads/*/lock.c)
name_of = $(notdir $(patsubst %/,%,$(dir $1)))
MARIADB := $(call name_of,$(shell grep -l '^// Engine: mariadb' $(SOURCES)))
ZOOKEEPER := $(call name_of,$(shell grep -l '^// Engine: zookeeper' $(SOURCES)))
ELSEWHERE := $(MARIADB) $(ZOOKEEPER)
ARCHIVE := $(wildcard /usr/share/java/zookeeper.jar)
LOCKS  := $(filter-out $(MINE) $(ELSEWHERE),$(call name_of,$(SOURCES)))
ROADS  := $(if $(shell common/setup.sh has mariadb/mysql.h),$(MARIADB)) \
    $(if $(shell common/setup.sh has zookeeper/zookeeper.h),$(ZOOKEEPER))
LADDER := $(filter stage%,$(LOCKS))
STORIES := $(wildcard scenarios/[0-9]*/*.c scenarios/bugs/*/*.c)
RACES  := $(patsubst %.c,scenarios/%,$(notdir $(STORIES)))
TOOLS  := scenarios/list scenarios/matrix scenarios/replay
LAB    := scenarios/assumptions scenarios/bench scenarios/explore scenarios/play

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
# A newer compiler may warn where today's do not. Such a warning must not stop a
# user's build, so only WERROR=1 makes warnings errors (.ci/run sets it).
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif

CC       ?= cc
CPPFLAGS := -D_GNU_SOURCE -I. -Icommon -Icommon/lock -Icommon/race -MMD -MP
CFLAGS   := -std=c11 -O2 -g $(WARNINGS)
LDLIBS   := -lhiredis -pthread

# make SAN=1 … builds with AddressSanitizer and UBSan, SAN=thread with TSan.
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
SAY    = $(Q)mkdir -p $(@D) && echo '  $@'
LINK   = $(SAY) && $(CC) $(CFLAGS) $(SANITIZE) -o $@

.PHONY: all matrix test soak bench diff docs pictures site mutants guests setup roads clean help $(LOCKS) $(MINE) $(ELSEWHERE)
.PHONY: exercises exercise check solution mine grade
.DELETE_ON_ERROR:
.SECONDARY:

all: $(LOCKS:%=build/clients/%) $(ROADS:%=build/clients/%) $(RACES) $(TOOLS) $(LAB) \
    $(if $(filter road_zookeeper,$(ROADS)),$(ARCHIVE:%=build/zookeeper.jsa))

# --- the architecture: a client is a lock.c, a scenario is a race ------------

.SECONDEXPANSION:
object_of = $(patsubst %.c,build/%.o,$(filter %/$1/lock.c,$(SOURCES)))
build/clients/%: $$(call object_of,$$*) build/liblock.a build/clock.so
	$(LINK) $< build/liblock.a $(LDLIBS)

# The clients of another engine: its connection, and its resource in place of
# the one in Redis.
MARIADB_OBJECTS := $(patsubst %.c,build/%.o,$(wildcard common/lock/mysql*.c))
$(MARIADB:%=build/clients/%): build/clients/%: $$(call object_of,$$*) $(MARIADB_OBJECTS) build/liblock.a build/clock.so
	$(LINK) $< $(MARIADB_OBJECTS) build/liblock.a -lmariadb $(LDLIBS)
ZOOKEEPER_OBJECTS := $(patsubst %.c,build/%.o,$(wildcard common/lock/zookeeper*.c))
$(ZOOKEEPER:%=build/clients/%): build/clients/%: $$(call object_of,$$*) $(ZOOKEEPER_OBJECTS) build/liblock.a build/clock.so build/jvm.so
	$(LINK) $< $(ZOOKEEPER_OBJECTS) build/liblock.a -lzookeeper_mt $(LDLIBS)

# The classes that a ZooKeeper server loads at its start, as Java maps them into
# memory. A run writes their names; a server without this file starts as well.
build/zookeeper.jsa: $(ARCHIVE) | build/clients/road_zookeeper scenarios/two_processes
	$(SAY) && rm -f $@ && \
	JAVA_TOOL_OPTIONS=-XX:DumpLoadedClassList=$(abspath $@).classes \
	    ./scenarios/two_processes --stage road_zookeeper > /dev/null && \
	java -Xshare:dump -XX:+UseG1GC -Xmx96m -XX:SharedClassListFile=$@.classes \
	    -XX:SharedArchiveFile=$@ -cp $<:/usr/share/java/slf4j-simple.jar > $@.log 2>&1 || \
	echo 'Java keeps no classes in $@: ZooKeeper starts more slowly.'

# All races are one program, and so are the tools beside them. What is in
# scenarios/ are links: a program is told by which name it was called.
build/lockstep: $(STORIES:%.c=build/%.o) build/librace.a build/clock.so \
    $(patsubst %.c,build/%.o,$(wildcard common/matrix/*.c) common/programs/lockstep.c common/programs/stories.c \
    $(TOOLS:scenarios/%=common/tools/%.c))
	$(LINK) $(filter %.o,$^) build/librace.a $(LDLIBS) -ljansson

build/lab: build/libsearch.a build/librace.a build/clock.so \
    $(patsubst %.c,build/%.o,$(wildcard common/play/*.c common/bench/*.c) common/programs/lab.c \
    $(LAB:scenarios/%=common/tools/%.c))
	$(LINK) $(filter %.o,$^) build/libsearch.a build/librace.a $(LDLIBS) -ljansson -lncurses

$(RACES) $(TOOLS): build/lockstep
$(LAB): build/lab
$(RACES) $(TOOLS) $(LAB):
	$(Q)ln -sf ../$< $@

# The names of all races, as the program includes them.
build/common/programs/stories.o: build/stories.inc
ifneq ($(STORIES),$(shell cat build/stories 2>/dev/null))
$(shell mkdir -p build && echo '$(STORIES)' > build/stories)
endif
build/stories.inc: build/stories
	$(Q)printf 'STORY(%s)\n' $(RACES:scenarios/%=%) > $@

# --- one lock, by its name or as stageN; it becomes the current one ----------

# The search and the game take as long to build as all else: only plain make
# builds them.
$(LOCKS) $(MINE) $(ELSEWHERE): %: build/clients/% $(RACES) $(TOOLS)
	@echo $@ > build/current
	@echo 'Made $@: ./scenarios/NAME now runs on it. make builds the rest.'

$(foreach lock,$(LADDER),\
    $(eval .PHONY: $(firstword $(subst _, ,$(lock))))\
    $(eval $(firstword $(subst _, ,$(lock))): $(lock)))

# --- what they are made of ---------------------------------------------------

LOCK_OBJECTS := $(patsubst %.c,build/%.o,$(filter-out common/lock/mysql% common/lock/zookeeper%,\
    $(wildcard common/base/*.c common/lock/*.c)))
RACE_ROOMS   := base machine engines engines/redis engines/mariadb engines/zookeeper world catalogue schedule judge report picture race replay
RACE_OBJECTS := $(patsubst %.c,build/%.o,$(filter-out %_preload.c,\
    $(wildcard $(RACE_ROOMS:%=common/%/*.c))))
SEARCH_OBJECTS := $(patsubst %.c,build/%.o,$(wildcard common/search/*.c))

build/liblock.a: $(LOCK_OBJECTS)
build/librace.a: $(RACE_OBJECTS)
build/libsearch.a: $(SEARCH_OBJECTS)
build/%.a:
	$(Q)rm -f $@ && $(AR) rcs $@ $^

build/tests/parse build/tests/patience: %: %.o build/librace.a
	$(LINK) $< build/librace.a $(LDLIBS)

build/tests/library: build/tests/library.o build/stages/stage7_reentrant/lock.o build/liblock.a
	$(LINK) $^ $(LDLIBS)

# Built beside its source, because it finds the repository as a scenario does.
tests/story: build/tests/story.o build/librace.a build/clock.so
	$(LINK) $< build/librace.a $(LDLIBS) -ljansson

# Preloaded into servers too, so never built with a sanitizer.
build/clock.so: $(patsubst %,common/machine/%_preload.c,clock container fork_server)
build/jvm.so: common/machine/jvm_preload.c
build/tests/late.so: tests/late.c
build/clock.so build/jvm.so: common/machine/wall_preload.c $(wildcard common/machine/*_page.h common/machine/*_preload.h)
build/clock.so build/jvm.so build/tests/late.so: build/flags | build/ready
	$(SAY) && $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $(filter %.c,$^)

build/%.o: %.c build/flags | build/ready
	$(SAY) && $(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -c -o $@ $<

# Another compiler or sanitizer: everything is built again.
FLAGS := $(CC) $(CFLAGS) $(SANITIZE)
ifneq ($(FLAGS),$(shell cat build/flags 2>/dev/null))
$(shell mkdir -p build && echo '$(FLAGS)' > build/flags)
endif

# Checks that compiler, libraries and server are installed.
build/ready:
	@mkdir -p build
	common/setup.sh install
	@touch $@

-include $(shell find build -name '*.d' 2>/dev/null)

# --- running -----------------------------------------------------------------

matrix: all
	./scenarios/matrix

# As in .ci/Containerfile.
FOR_TESTS := pytest guests models site formats

test: all build/tests/parse build/tests/patience build/tests/library build/tests/late.so tests/story
	@common/setup.sh install $(FOR_TESTS)
	@python=$$(common/setup.sh python); \
	$$python -c 'import xdist' 2>/dev/null && parallel='-n auto'; \
	set -- $$parallel $(JUNIT:%=--junitxml=%) $(TAP:%=--tap=%) tests; \
	echo $$python -m pytest "$$@"; $$python -m pytest "$$@"

RUNS := 200
soak: all
	./tests/soak $(RUNS)

bench: all
	./scenarios/bench

# A stage against the one before it (N=5), a detour against the stage or the road
# that the first line of its head names (LOCK=detour_get_del); or any lock
# against another, a number or a name: FROM=detour_watchdog_silent.
diff:
	@lock='$(LOCK)'; number='$(N)'; from='$(FROM)'; \
	if test -n "$$lock"; then \
	new=stages/$$lock/lock.c; \
	stage=$$(sed -n '1s/^.*Detour from \(stage \|\)\([a-z0-9_]*\):.*/\2/p' $$new 2>/dev/null); \
	test -f $$new || { echo "there is no lock $$lock: make diff LOCK=detour_get_del"; exit 2; }; \
	test -n "$$stage$$from" || { echo "LOCK=$$lock is no detour: say FROM=, the lock to compare it with"; exit 2; }; \
	else case $$number in [1-9]|[1-9][0-9]) ;; *) \
	echo "make diff N=5 shows the step from stage 4 to stage 5, LOCK=detour_get_del a detour"; \
	exit 2 ;; esac; \
	stage=$$((number - 1)); new=$$(echo stages/stage$${number}_*/lock.c); \
	fi; \
	case $$from in '') case $$stage in road_*) old=stages/$$stage/lock.c ;; \
	*) old=$$(echo stages/stage$${stage}_*/lock.c) ;; esac ;; \
	[0-9]|[0-9][0-9]) old=$$(echo stages/stage$${from}_*/lock.c) ;; \
	*) old=stages/$$from/lock.c ;; esac; \
	test -f "$$new" || { echo "there is no step from stage $$stage to $$number"; exit 2; }; \
	test -f "$$old" || { echo "FROM=$$from is no lock: FROM=5 or FROM=detour_watchdog_silent"; exit 2; }; \
	diff -u --label $$old --label $$new $$old $$new; test $$? -eq 1

# The samples in README and docs, run and written anew.
docs: all
	@common/setup.sh install models
	python3 common/course/atlas.py
	python3 common/course/exercises.py pages
	python3 common/course/samples.py

# The pictures in docs/pictures, drawn anew (docs/pictures.md).
pictures: all
	python3 common/course/pictures.py

# The matrix and its runs for a browser (docs/site.md).
site: all
	@common/setup.sh install site
	@$$(common/setup.sh python markdown) common/site/build_site.py $(ONLY)
	@echo 'Made build/site: open build/site/index.html in a browser.'

# --- the student's half (docs/exercises.md) ----------------------------------

EXERCISES := common/setup.sh install python3 && python3 common/course/exercises.py

exercises:
	@$(EXERCISES) list

exercise:
	@$(EXERCISES) begin '$(EX)' '$(HINT)'

solution:
	@$(EXERCISES) solution '$(EX)'

mine:
	@$(EXERCISES) mine

# A lock that does not pass yet is no error of make's.
check: $(if $(HINT),,$(RACES) scenarios/matrix scenarios/explore scenarios/replay)
	@$(EXERCISES) check '$(EX)' '$(HINT)' $(MAKEOVERRIDES) || test $$? -eq 1

# --- the instructor's half (docs/instructors.md) -----------------------------

# Without bubblewrap there are other limits, and the grader says what is missing.
grade: $(RACES) scenarios/matrix scenarios/explore build/liblock.a
	@common/setup.sh install python3
	@common/setup.sh install bubblewrap 2>/dev/null || true
	@python3 common/course/grade.py $(if $(EX),--exercise '$(EX)') \
	$(if $(ASSIGNMENT),--assignment '$(ASSIGNMENT)') $(if $(FORMAT),--format '$(FORMAT)') \
	$(if $(OUTPUT),--output '$(OUTPUT)') $(if $(FEEDBACK),--feedback '$(FEEDBACK)') $(if $(TIMES),--times) \
	$(if $(SUBMISSIONS),--class '$(SUBMISSIONS)') $(if $(SUBMISSION),'$(SUBMISSION)')

# What catches a lock with one bug (docs/mutants.md).
mutants:
	@python3 common/course/mutants.py --print

# What the guests in tests/guests need (docs/guests.md); those on MariaDB and
# ZooKeeper too, where `make roads` has installed them.
JARS := /usr/share/java

guests:
	@common/setup.sh install guests
	@! PATH=$$PATH:/usr/sbin command -v mariadbd >/dev/null || common/setup.sh install mariadb-guests
	@[ ! -e $(JARS)/zookeeper.jar ] || { common/setup.sh install zookeeper-guests && \
	    $(MAKE) --no-print-directory build/guests/CuratorMutex.class; }

build/guests/%.class: tests/guests/%.java
	javac -Werror -Xlint:all,-path -d $(@D) $< \
	    -cp $(JARS)/curator-recipes.jar:$(JARS)/curator-framework.jar:$(JARS)/curator-client.jar:$(JARS)/zookeeper.jar

# The locks on other servers than Redis, with those servers (docs/mysql.md,
# docs/zookeeper.md).
roads:
	@common/setup.sh install mariadb zookeeper
	@$(MAKE) --no-print-directory
	./scenarios/matrix --roads

setup:
	@common/setup.sh install $(FOR_TESTS)

clean:
	rm -rf build $(RACES) $(TOOLS) $(LAB) tests/story tests/__pycache__ common/course/__pycache__ .pytest_cache

help:
	@echo 'make               build everything'
	@echo 'make stage3        one lock and the races, which run on the lock made last'
	@echo 'make matrix        every race against every lock, as a table'
	@echo 'make test          assert every cell of the table, and much else'
	@echo 'make diff N=5      the step from stage 4 to 5; LOCK=detour_get_del: to a detour;'
	@echo '                   FROM=detour_get_del: from another lock'
	@echo 'make docs          run the samples in README and docs anew; pictures: draw them'
	@echo 'make site          the matrix and its runs as pages for a browser'
	@echo 'make exercises     locks to repair; exercise EX=NAME begins one,'
	@echo '                   check EX=NAME looks at it, solution EX=NAME shows one'
	@echo 'make mine          an empty lock of your own; check: which stage it is by now'
	@echo 'make grade         points for locks of students (docs/instructors.md)'
	@echo 'make mutants       locks with one bug each, and what catches them'
	@echo 'make bench         how fast this is here'
	@echo 'make soak RUNS=200 the same bytes again and again, also under load'
	@echo 'make roads         the table of the roads; installs MariaDB and ZooKeeper'
	@echo 'make guests        install the libraries of the guests (docs/guests.md)'
	@echo 'make setup         install all that is missing, also for tests and guests'
	@echo 'make clean         remove what was built'
	@echo
	@echo 'CC=clang another compiler; SAN=1 ASan and UBSan; SAN=thread TSan; V=1 commands;'
	@echo 'WERROR=1 a warning ends the build; REDIS_SERVER=valkey-server another server'
	@echo './scenarios/list prints the names of all races and locks.'
