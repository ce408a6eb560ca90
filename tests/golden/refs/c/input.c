#include <stdio.h>
#include "server.h"

#define LIMIT 10
#define TWICE(x) ((x) + (x))

typedef struct client client;
typedef int (*handler)(client *c, int flags);

struct client {
    struct client *next;
    char *name, *peer[2];
    handler on_close;
};

extern int verbose;
static struct client *clients;
int open_client(const char *name, int flags);
void log_line(const char *fmt, ...);
void noop(void);

static int count(void)
{
    int n = 0;
    for (struct client *c = clients; c; c = c->next)
        n++;
    return n;
}

static int run(client *c, handler h, ...)
{
    if (!c || c->name == NULL)
        return -1;
    switch (count()) {
    case LIMIT:
        verbose = TWICE(1);
        break;
    default:
        break;
    }
    int (*fallback)(client *, int) = h;
    client *first = (client *)c->next->next, other = { .name = "x" };
    first->peer[0] = server.names[1].text;
    fallback(first, 1);
    c->on_close(&other, sizeof(struct client));
    server.list->free(c);
    while (verbose && c)
        (*c).name++;
    return h(c, LIMIT) ? count() : open_client(c->name, 0);
}

int main(int argc, char **argv)
{
    client *c = clients ? clients : create(argv[0]);
    c->on_close = run;
    route(c, "/status", run);
    return run(c, close_it);
}
