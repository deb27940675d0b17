/* A simulator as many were written: its state is global, so a process has one of it.
   The second half is how it should be: a handle for each instance. */

#include <stdlib.h>

static int in_use;
static double place;

/* 0 when it opened, -1 when somebody has it open. */
int simulator_open(void) {
    if (in_use) return -1;
    in_use = 1;
    place = 0.0;
    return 0;
}

void simulator_move(int direction) { place += direction ? 0.1 : -0.1; }

void simulator_close(void) { in_use = 0; }

struct simulator { double place; };

struct simulator *simulator_create(void) { return calloc(1, sizeof(struct simulator)); }

void simulator_move_one(struct simulator *one, int direction) { one->place += direction ? 0.1 : -0.1; }

void simulator_destroy(struct simulator *one) { free(one); }
