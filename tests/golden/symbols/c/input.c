/* Licence. */

#include <stdio.h>
#include "cart.h"

#define MAX_ITEMS 100
#define MIN(a, b) \
    ((a) < (b) ? (a) : (b))

struct item;

/* A line of a cart. */
typedef struct item {
    int n;            /* how many */
    const char *name;
    void (*free_fn)(void *);
} item_t;

enum color {
    RED,
    GREEN = 2,
};

typedef unsigned int (*hash_fn)(const char *);

union bits {
    int i;
    float f;
};

static int count = 0;
extern const char *const names[];
int prototype(int a);

/* The sum
 * of all. */
static inline double
total(const item_t *items, size_t n)
{
    // inside
    static int local;
    struct { int x; } anonymous;
    return 0;
}

char **split(const char *text)
{
    return NULL;
}

#ifdef _WIN32
int only_windows(void) { return 1; }
#endif
