// The style sheet. A client has a colour and a pattern, so that the picture can
// be read without colours, too. The page has a background of its own, because
// the place where it is shown may be dark while the reader's system is light.
#include "svg_draw.h"

static const char layout[] =
    ".run{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"
    "'DejaVu Sans Mono',monospace;font-size:11.5px}\n"
    ".run .title,.run .words,.run .note,.run .verdict,.run .done,.run .alarm,"
    ".run .dim,.run .span{font-family:system-ui,-apple-system,'Segoe UI',"
    "Helvetica,Arial,'DejaVu Sans',sans-serif}\n"
    ".run .title{font-size:17px;font-weight:600}\n"
    ".run .words,.run .note,.run .done{font-size:13px}\n"
    ".run .note{font-style:italic}\n"
    ".run .verdict{font-size:14px;font-weight:600}\n"
    ".run .dim{font-size:12px}\n"
    ".run .span{font-size:11px;font-style:italic}\n"
    ".run .alarm{font-size:12.5px;font-weight:700}\n"
    ".run .name{font-size:13px;font-weight:700;text-anchor:middle}\n"
    ".run .end{text-anchor:end}\n"
    ".run .held{font-size:10.5px;text-anchor:middle}\n"
    ".run .means{font-weight:700}\n"
    ".run .halo{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}\n"
    ".run .life{stroke-width:1.5}\n"
    ".run .stopped{stroke-dasharray:2 4}\n"
    ".run .hollow{fill-opacity:0;stroke-width:1.5}\n"
    ".run .lease{fill-opacity:.22;stroke:none}\n"
    ".run .endless{fill-opacity:.12;stroke-width:1;stroke-dasharray:4 3}\n"
    ".run .arrow{fill:none;stroke-width:1.2}\n"
    ".run .answer{stroke-dasharray:5 3}\n"
    ".run .late{stroke-width:1.8}\n"
    ".run .sign{fill:none;stroke-width:2.6}.run .happens{stroke-width:2}\n"
    ".run .sign.halo{stroke-width:6px}\n"
    ".run .axis{fill:none;stroke-width:1}\n"
    ".run .box{fill:none;stroke-width:1.5}\n";

struct colours {
    const char *page, *ink, *dim, *line, *band, *alarm, *good, *unsaid, *on;
    const char *clients[6]; // a to e, and z
};

static const struct colours light = {
    "#ffffff", "#1b1f24", "#57606a", "#8c959f", "#f0f3f6", "#b3152a", "#1a7037",
    "#6639a6", "#ffffff",
    {"#1f5fa8", "#b35900", "#14784f", "#8a3fa0", "#6b5b2a", "#6e7781"},
};

static const struct colours dark = {
    "#0d1117", "#e6edf3", "#9aa4af", "#6e7681", "#1b222c", "#ff7b86", "#56d37a",
    "#c3a1ff", "#0d1117",
    {"#6ca8f0", "#f0a050", "#4cc596", "#cf8ce6", "#cbb26a", "#8b949e"},
};

static void print_colours(FILE *out, const struct colours *colours) {
    fprintf(out, ".run .page{fill:%s}.run .halo{stroke:%s}"
            ".run text{fill:%s}.run .ink{fill:%s}\n", colours->page,
            colours->page, colours->ink, colours->ink);
    fprintf(out, ".run .dim,.run .note,.run .span,.run .held{fill:%s}\n"
            ".run .arrow,.run .tip,.run .happens{stroke:%s}.run .tip-fill{fill:%s}\n",
            colours->dim, colours->ink, colours->ink);
    fprintf(out, ".run .axis,.run .rule{stroke:%s}.run .passing{fill:%s}\n",
            colours->line, colours->band);
    fprintf(out, ".run .alarm{fill:%s}.run .alarm-line{stroke:%s}"
            ".run .broken{stroke:%s}.run .holds{stroke:%s}"
            ".run .unsaid{stroke:%s}\n", colours->alarm, colours->alarm,
            colours->alarm, colours->good, colours->unsaid);
    fprintf(out, ".run .name{fill:%s}.run .mesh{stroke:%s}\n", colours->on,
            colours->page);
    for (int i = 0; i < 6; i++) {
        char letter = "abcdez"[i];
        fprintf(out, ".run .fill-%c{fill:%s}.run .line-%c{stroke:%s}\n", letter,
                colours->clients[i], letter, colours->clients[i]);
    }
}

// B, C, D and E are A's colour with something on it: lines that fall, dots,
// lines across, lines down.
static const char patterns[] =
    "<pattern id=\"pattern-b\" width=\"6\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\"><path class=\"mesh\" "
    "d=\"M-1 5l2 2M-1-1l8 8M5-1l2 2\" stroke-width=\"1.6\"/></pattern>\n"
    "<pattern id=\"pattern-c\" width=\"4\" height=\"5\" "
    "patternUnits=\"userSpaceOnUse\"><path class=\"mesh\" "
    "d=\"M1 2.5h2\" stroke-width=\"2\"/></pattern>\n"
    "<pattern id=\"pattern-d\" width=\"6\" height=\"5\" "
    "patternUnits=\"userSpaceOnUse\"><path class=\"mesh\" d=\"M0 2.5h6\" "
    "stroke-width=\"1.6\"/></pattern>\n"
    "<pattern id=\"pattern-e\" width=\"4\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\"><path class=\"mesh\" d=\"M2 0v6\" "
    "stroke-width=\"1.4\"/></pattern>\n"
    "<pattern id=\"pattern-z\" width=\"6\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\"><path class=\"mesh\" "
    "d=\"M0 0l6 6M6 0l-6 6\" stroke-width=\"1.2\"/></pattern>\n"
    "<pattern id=\"overlap\" width=\"9\" height=\"9\" "
    "patternUnits=\"userSpaceOnUse\"><path class=\"alarm-line\" "
    "d=\"M-2 2l4-4M0 9l9-9M7 11l4-4\" stroke-width=\"1\" "
    "stroke-opacity=\".4\"/></pattern>\n"
    "<marker id=\"tip\" viewBox=\"0 0 10 8\" refX=\"10\" refY=\"4\" "
    "markerWidth=\"10\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
    "orient=\"auto\"><path class=\"tip-fill\" d=\"M0 0l10 4-10 4z\"/></marker>\n"
    "<marker id=\"open-tip\" viewBox=\"0 0 10 8\" refX=\"9.5\" refY=\"4\" "
    "markerWidth=\"10\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
    "orient=\"auto\"><path class=\"tip\" fill=\"none\" stroke-width=\"1.3\" "
    "d=\"M1 .5l8.5 3.5-8.5 3.5\"/></marker>\n";

void svg_print_style(FILE *out) {
    fputs("<style>\n", out);
    fputs(layout, out);
    print_colours(out, &light);
    fputs("@media (prefers-color-scheme:dark){\n", out);
    print_colours(out, &dark);
    fputs("}\n</style>\n<defs>\n", out);
    fputs(patterns, out);
    fputs("</defs>\n", out);
}
