#include "ring_buffer.h"

#include <string.h>

void ring_buffer_init(ring_buffer *b)
{
    memset(b, 0, sizeof *b);
}

// Overwrites the oldest event when all slots are taken.
void ring_buffer_push(ring_buffer *b, const scan_event *e)
{
    if (b->head - b->tail == RING_BUFFER_SLOTS) {
        b->tail++;
        b->lost++;
    }
    b->slots[b->head % RING_BUFFER_SLOTS] = *e;
    b->head++;
}

bool ring_buffer_pop(ring_buffer *b, scan_event *out)
{
    if (b->head == b->tail)
        return false;
    *out = b->slots[b->tail % RING_BUFFER_SLOTS];
    b->tail++;
    return true;
}

uint64_t ring_buffer_lost(const ring_buffer *b)
{
    return b->lost;
}
