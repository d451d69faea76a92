// What the lock protects, as an outsider sees it: whether it took a write.
#ifndef ENGINES_RESOURCE_H
#define ENGINES_RESOURCE_H

enum write {
    WRITE_NONE,    // it is no write to the resource, or nothing has come of it
    WRITE_TAKEN,   // the resource is written
    WRITE_REFUSED, // the resource said no: its fencing token is too small
};

#endif
