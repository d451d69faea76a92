#include "stories.h"

#include <stddef.h>
#include <string.h>

#define STORY(name) void name(struct race *race);
#include "build/stories.inc"
#undef STORY

#define STORY(name) {#name, name},
static const struct {
    const char *name;
    story *story;
} stories[] = {
#include "build/stories.inc"
};

story *stories_find(const char *name) {
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        if (strcmp(stories[i].name, name) == 0)
            return stories[i].story;
    return NULL;
}
