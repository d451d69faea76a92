// The races that the program consists of. The Makefile writes their names, from
// the files in scenarios/, into build/stories.inc: STORY(expired_delete), …
#ifndef STORIES_H
#define STORIES_H

struct race;

typedef void story(struct race *race);

// The function of this name; NULL: there is none.
story *stories_find(const char *name);

#endif
