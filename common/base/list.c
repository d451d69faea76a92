#include "list.h"

#include "fail.h"

#include <stdint.h>
#include <stdlib.h>

void *list_grow(void *items, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) // full only at 0, 1, 2, 4, 8 …
        return items;
    size_t room = count ? 2 * count : 1;
    if (room > SIZE_MAX / size)
        must_have(NULL);
    return must_have(realloc(items, room * size));
}
