#include "run.h"

#include "interned.h"
#include "varying.h"

#include "report/token_names.h"
#include "schedule/schedule.h"
#include "base/fail.h"
#include "base/list.h"
#include "base/units.h"
#include "machine/clock.h"
#include "world/possible.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static struct run {
    const struct engine_kind *engine;
    struct world *world;
    bool says_what_is_possible;
    struct schedule schedule;
    size_t made;         // of its steps
    struct names *names; // of tokens
    FILE *report;        // NULL: what happens is no part of it
    unsigned looks[MAX_CLIENTS];
    unsigned waits[MAX_CLIENTS]; // how many it had announced
    unsigned listens[MAX_CLIENTS]; // 1 << connection
    char *content; // of the server; NULL: to be asked for
    struct commands {
        char **text;
        size_t count;
    } *trial; // the commands of a trial; NULL: there is none
} run;

// --- what is seen -----------------------------------------------------------

static char letter(int client) {
    return run.schedule.clients[client];
}

static char *named(int client, const char *words) {
    char owner[2] = {client < 0 ? '\0' : letter(client), '\0'};
    return names_apply(run.names, owner, words);
}

static void write_message(char kind, const struct event *event,
                          const struct message *message) {
    char owner[2] = {letter(event->client), '\0'};

    if (kind == 'q')
        varying_name(run.names, owner, message->text);
    char *words = named(event->client, message->text);
    fprintf(run.report, "%c %c %d ", kind, letter(event->client),
            event->connection);
    if (kind == 'q' && world_masters(run.world) > 1)
        fprintf(run.report, "%d> ", event->server + 1);
    fprintf(run.report, "%s\n", words);
    free(words);
}

// Is what it sends a write to the resource, and what has come of it?
static void write_write(const struct event *event) {
    static const struct message yes = {.text = "OK"};
    char kind = write_is_taken(event->write)    ? 't'
                : event->write == WRITE_REFUSED ? 'n' : '\0';

    if (event->kind == EVENT_REQUEST &&
        write_is_taken(run.engine->look_at_write(event->request, &yes)))
        kind = 'v';
    if (kind)
        fprintf(run.report, "%c %c %d\n", kind, letter(event->client),
                event->connection);
}

static void watch(void *argument, const struct event *event) {
    (void)argument;
    if (run.trial && event->kind == EVENT_REQUEST) {
        run.trial->text = list_grow(run.trial->text, run.trial->count,
                                    sizeof *run.trial->text);
        run.trial->text[run.trial->count++] =
            names_apply(run.names, "A", event->request->text);
    }
    if (!run.report)
        return;
    if (event->kind == EVENT_REQUEST)
        write_message('q', event, event->request);
    if (event->kind == EVENT_RAN)
        write_message(event->waited ? 's' : 'a', event, event->answer);
    if (event->kind == EVENT_RAN && event->answer->is_error)
        fprintf(run.report, "e %c %d\n", letter(event->client),
                event->connection);
    if (event->kind == EVENT_REQUEST || event->kind == EVENT_RAN)
        write_write(event);
    if (event->kind == EVENT_PUBLISHED)
        write_message('m', event, event->answer);
    if (event->kind == EVENT_WAITS)
        fprintf(run.report, "k %c %d\n", letter(event->client),
                event->connection);
    if (event->kind == EVENT_RESULT)
        fprintf(run.report, "r %c %s\n", letter(event->client),
                result_word(event->result));
}

// Commands change what a server holds, and time, and what is done to it.
static bool may_change_content(const struct step *step) {
    return step->choice.kind == CHOOSE_FORWARD ||
           step->choice.kind == CHOOSE_REFUSE ||
           step->choice.kind == CHOOSE_ADVANCE ||
           choice_names_server(step->choice.kind);
}

// The content of all masters that run, with their numbers if there are several.
static char *look_at_content(void) {
    int masters = world_masters(run.world);
    char *content = NULL;
    size_t size = 0;
    FILE *out = must_have(open_memstream(&content, &size));

    for (int i = 0; i < masters; i++) {
        char *held = world_server_runs(run.world, i)
                         ? world_content(run.world, i) : strdup("");
        for (char *line = strtok(held, "\n"); line; line = strtok(NULL, "\n"))
            if (masters > 1)
                fprintf(out, "%d/%s\n", i + 1, line);
            else
                fprintf(out, "%s\n", line);
        free(held);
    }
    fclose(out);
    return content;
}

static void write_content(void) {
    if (!run.content)
        run.content = look_at_content();
    char *words = named(-1, run.content);

    text_sort_lines(words); // by the names: a key may have a token in it
    for (char *line = strtok(words, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(run.report, "h %s\n", line);
    free(words);
}

static void forget_content(void) {
    free(run.content);
    run.content = NULL;
}

// Where it has stopped listening, if the step was not that its connection there
// was broken.
static void write_closed(int client, const struct choice *choice) {
    unsigned before = run.listens[client];

    if ((choice->kind == CHOOSE_CUT || choice->kind == CHOOSE_GIVE_UP) &&
        choice->client == client)
        before &= ~(1u << choice->connection);
    run.listens[client] = 0;
    for (int c = 1; c < 10; c++)
        if (world_has_subscribed(run.world, client, c))
            run.listens[client] |= 1u << c;
        else if (before & 1u << c)
            fprintf(run.report, "c %c %d\n", letter(client), c);
}

static void write_client(int client) {
    unsigned looks = world_clock_reads(run.world, client);
    unsigned announced = world_waits_announced(run.world, client);

    fprintf(run.report, "w %c %lld%s%s\n", letter(client),
            (long long)world_next_wait(run.world, client),
            world_waits_since(run.world, client, run.waits[client])
                ? " anew" : "",
            announced != run.waits[client] && world_waits(run.world, client) > 1
                ? " beside" : "");
    run.waits[client] = announced;
    if (looks != run.looks[client])
        fprintf(run.report, "l %c\n", letter(client));
    run.looks[client] = looks;
    for (int c = 1; c < 10; c++) {
        enum stage stage = world_stage(run.world, client, c);
        if (stage != STAGE_QUIET)
            fprintf(run.report, "p %c %d %c\n", letter(client), c,
                    stage == STAGE_HELD ? 'h' :
                    stage == STAGE_BLOCKED ? 'k' : 'a');
    }
}

static void write_offer(void *argument, const struct choice *choice) {
    bool of_client = choice_names_client(choice->kind);

    (void)argument;
    fprintf(run.report, "o %c %d %d %d %d %d %d\n",
            of_client ? letter(choice->client) : '-', (int)choice->kind,
            choice->connection, choice->server, (int)choice->operation,
            choice->lock, choice->thread);
}

// --- running ----------------------------------------------------------------

static void open_client(int client, enum opened opened) {
    char name[2] = {letter(client), '\0'};

    int number = world_add_client(run.world, name, opened);
    if (!world_is_ready(run.world, number))
        fail("client %s does not get ready: the server keeps what it has sent",
             name);
    forget_content();
    run.looks[client] = world_clock_reads(run.world, client);
    run.waits[client] = world_waits_announced(run.world, client);
    run.listens[client] = 0;
}

// One operation from beginning to end, with all its commands.
static void try_operation(enum operation operation) {
    enum { MOST_COMMANDS = 1000 };
    struct choice choice = {.kind = CHOOSE_ASK, .operation = operation};

    world_do(run.world, choice);
    for (int i = 0;
         (choice.connection = world_pending(run.world, 0, 0)) != 0; i++) {
        if (i == MOST_COMMANDS)
            return; // it comes to no end, and the search says so (position.c)
        choice.kind = CHOOSE_FORWARD;
        world_do(run.world, choice);
        choice.kind = CHOOSE_DELIVER;
        if (world_stage(run.world, 0, choice.connection) == STAGE_ANSWERED)
            world_do(run.world, choice);
    }
}

// A client alone enters and leaves, with random numbers of this seed. Returns
// its commands.
static struct commands try_once(uint64_t seed) {
    struct commands commands = {0};

    run.schedule.clients[0] = 'A';
    run.names = names_open();
    world_rewind(run.world);
    clock_seed(seed);
    open_client(0, OPENED_ONE);
    run.trial = &commands;
    try_operation(OPERATION_ENTER);
    if (!world_busy(run.world, 0) && world_depth(run.world, 0) > 0)
        try_operation(OPERATION_LEAVE);
    run.trial = NULL;
    names_close(run.names);
    run.names = NULL;
    return commands;
}

static void free_commands(struct commands *commands) {
    for (size_t i = 0; i < commands->count; i++)
        free(commands->text[i]);
    free(commands->text);
}

static void find_what_varies(void) {
    struct commands first = try_once(1), second = try_once(0);

    for (size_t i = 0; i < first.count && i < second.count; i++)
        varying_compare(first.text[i], second.text[i]);
    free_commands(&first);
    free_commands(&second);
}

void run_open(const struct run_setup *setup) {
    run.engine = setup->engine;
    run.says_what_is_possible = setup->says_what_is_possible;
    run.engine->number_scripts_by_text();
    run.world = world_open(&(struct world_setup){
        .engine = setup->engine,
        .program = setup->program,
        .guest = setup->guest,
        .many_lives = !setup->loads_anew,
        .looks_ahead = true,
        .key = USUAL_KEY,
        .masters = setup->masters,
        .lease_ms = LEASE_S * 1000,
        .watcher = watch,
    });
    find_what_varies();
}

// A choice that was possible in one run is possible in every run. If it is not,
// a client or the server differs from before, and the memo is wrong.
static void do_choice(const struct choice *choice) {
    const char *objection = world_objection(run.world, choice);

    if (objection)
        fail("after %zu steps of '%s' a step is not possible that was possible "
             "in an earlier run: %s", run.made, schedule_text(&run.schedule), objection);
    world_do(run.world, *choice);
}

static void do_step(const struct step *step) {
    if (step->kind == STEP_CHOICE)
        do_choice(&step->choice);
    else if (step->kind == STEP_HANGS)
        world_add_event(run.world, EVENT_HUNG, step->choice.client, NULL);
}

static void make_step(const struct step *step, FILE *report) {
    if (schedule_opens(step)) {
        open_client(step->choice.client, schedule_opened(step));
        return;
    }
    run.engine->learn_scripts(false);
    run.report = report;
    fputs("step\n", report);
    do_step(step);
    if (may_change_content(step))
        forget_content();
    for (int c = 0; c < MAX_CLIENTS && letter(c); c++)
        if (world_lives(run.world, c)) {
            write_closed(c, &step->choice);
            write_client(c);
        }
    write_content();
    if (run.says_what_is_possible)
        world_each_possible(run.world, write_offer, NULL);
}

static void make_steps(FILE *report) {
    fputc('\n', report);
    for (; run.made < run.schedule.count; run.made++)
        make_step(&run.schedule.steps[run.made], report);
    if (world_has_met_others(run.world))
        fail("a client has spoken to the server past its gate");
    fputs("end\n", report);
}

void run_schedule(const char *schedule, FILE *report) {
    schedule_clear(&run.schedule);
    schedule_parse(&run.schedule, schedule);
    if (run.names)
        names_close(run.names);
    run.names = names_open();
    run.report = NULL;
    run.made = 0;
    // The name of a script must not depend on earlier jobs: only those that are
    // loaded at the beginning have names.
    engine_forget_scripts(run.engine);
    run.engine->learn_scripts(true);
    world_rewind(run.world);
    forget_content();
    make_steps(report);
}

void run_further(const char *schedule, FILE *report) {
    schedule_clear(&run.schedule);
    schedule_parse(&run.schedule, schedule);
    make_steps(report);
}
