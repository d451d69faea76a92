// Lifelines and arrows.
#include "svg_draw.h"

enum { STAY = 10, GAP = 7, STUB = 30 };

// --- lifelines ---------------------------------------------------------------

static void line(const struct svg *svg, int client, const char *class,
                 bool stops, int from, int to) {
    int x = svg_client_x(svg, client);

    if (to <= from || (*class != '\0') != stops)
        return;
    if (stops)
        fprintf(svg->out, "<path class=\"halo\" d=\"M%d %dV%d\"/>\n", x, from,
                to);
    fprintf(svg->out, "<path class=\"life line-%c %s\" d=\"M%d %dV%d\"/>\n",
            svg_letter(svg, client), class, x, from, to);
}

// A lifeline ends with its process. While the process is stopped it is dotted,
// also on the bar of a stay.
static void draw_lifeline(const struct svg *svg, int client, bool stops) {
    const char *class = "";
    int from = svg->top;

    for (size_t i = 0; i < svg->record->entry_count; i++) {
        const struct entry *entry = &svg->record->entries[i];
        bool ends = event_ends_client(entry->kind);
        if (entry->client != client ||
            (entry->kind != EVENT_STOPPED && entry->kind != EVENT_CONTINUED &&
             !ends))
            continue;
        int y = svg_y(svg, i);
        line(svg, client, class, stops, from, y);
        class = entry->kind == EVENT_STOPPED ? "stopped" : "";
        from = ends ? svg->bottom : y;
    }
    line(svg, client, class, stops, from, svg->bottom);
}

static void draw_stay(const struct svg *svg, const struct diagram_stay *stay) {
    int x = svg_client_x(svg, stay->client) - STAY / 2 + (stay->depth - 1) * 5;
    int from = svg_y(svg, stay->from);
    int to = stay->to == NOWHERE ? svg->bottom : svg_y(svg, stay->to);
    char letter = svg_letter(svg, stay->client);

    if (to <= from)
        return;
    if (stay->works)
        svg_bar(svg, stay->client, x, from, STAY, to - from);
    fprintf(svg->out, "<rect class=\"%s fill-%c line-%c\" x=\"%d\" y=\"%d\" "
            "width=\"%d\" height=\"%d\"/>\n", "hollow", letter, letter, x,
            from, STAY, to - from);
}

// A sign on the lifeline for what happens to a process.
static const char *sign_of(enum event_kind kind) {
    switch (kind) {
    case EVENT_KILLED:
    case EVENT_CRASHED:
    case EVENT_QUIT:        return "M-6-6l12 12M6-6l-12 12";
    case EVENT_ENDLESS:     return "M5-4a6 6 0 1 0 1 5M6-8v5h-5";
    case EVENT_STOPPED:     return "M-3-6v12M3-6v12";
    case EVENT_CONTINUED:   return "M-4-6l9 6-9 6z";
    case EVENT_ISOLATED:    return "M-8 4l6-8M2 4l6-8";
    case EVENT_RECONNECTED: return "M-8 0h16";
    case EVENT_WORK_DONE:   return "M-6 0l4 5 8-10";
    case EVENT_HUNG:        return "M-5-5h10l-10 10h10z";
    case EVENT_SKEWED:      return "M0-6v6l4 3M6 0a6 6 0 1 1-12 0a6 6 0 1 1 12 0";
    default:                return NULL;
    }
}

static void draw_sign(const struct svg *svg, size_t i) {
    const struct entry *entry = &svg->record->entries[i];
    const char *sign = sign_of(entry->kind);

    if (!sign || svg->diagram->places[i].hidden)
        return;
    for (int ink = 0; ink < 2; ink++)
        fprintf(svg->out, "<path class=\"sign %s\" "
                "transform=\"translate(%d %d)\" d=\"%s\"/>\n",
                ink ? "happens" : "halo", svg_client_x(svg, entry->client),
                svg_y(svg, i), sign);
}

void svg_draw_clients(const struct svg *svg) {
    for (int i = 0; i < svg->record->client_count; i++)
        draw_lifeline(svg, i, false);
    for (size_t i = 0; i < svg->diagram->stay_count; i++)
        draw_stay(svg, &svg->diagram->stays[i]);
    for (int i = 0; i < svg->record->client_count; i++)
        draw_lifeline(svg, i, true);
    for (size_t i = 0; i < svg->record->entry_count; i++)
        if (svg->record->entries[i].client >= 0)
            draw_sign(svg, i);
}

// --- messages ----------------------------------------------------------------

// Marks the place where the message is lost, or to which it has come.
static void draw_end(const struct svg *svg, const struct diagram_arrow *arrow,
                     int x, int y) {
    if (arrow->arrival == NEVER_ARRIVES)
        fprintf(svg->out, "<path class=\"arrow late\" d=\"M%d %dl8 8m0-8l-8 8\"/>"
                "\n", x - 4, y - 4);
    else if (arrow->arrival == STAYS_UNDER_WAY)
        fprintf(svg->out, "<circle class=\"arrow late page\" cx=\"%d\" cy=\"%d\" "
                "r=\"4\"/>\n", x, y);
}

static void draw_arrow(const struct svg *svg,
                       const struct diagram_arrow *arrow) {
    int client = svg_client_x(svg, arrow->client) - GAP;
    int server = svg_server_x(svg, arrow->server);
    int from_x = arrow->to_client ? server : client;
    int to_x = arrow->to_client ? client : server;
    int from_y = svg_y(svg, arrow->from);
    bool ends = arrow->to != NOWHERE;
    int to_y = ends ? svg_y(svg, arrow->to) : from_y + LINE;
    bool arrives = arrow->arrival == ARRIVES;

    if (arrow->arrival == NEVER_ARRIVES)
        to_x = (from_x + to_x) / 2;
    else if (!arrives)
        to_x = from_x + (arrow->to_client ? STUB : -STUB);
    if (to_y <= from_y)
        to_y = from_y + FALL;
    fprintf(svg->out, "<path class=\"arrow %s%s\" d=\"M%d %dL%d %d\"%s/>\n",
            arrow->to_client ? "answer" : "request", arrow->held ? " late" : "",
            from_x, from_y, to_x, to_y,
            !arrives ? ""
            : arrow->to_client ? " marker-end=\"url(#open-tip)\""
                               : " marker-end=\"url(#tip)\"");
    draw_end(svg, arrow, to_x, to_y);
}

void svg_draw_arrows(const struct svg *svg) {
    for (size_t i = 0; i < svg->diagram->arrow_count; i++)
        if (!svg->diagram->places[svg->diagram->arrows[i].from].hidden)
            draw_arrow(svg, &svg->diagram->arrows[i]);
}
