// ring_buffer.h -- scanner events on their way to the server.
//
// One writer, one reader, no locks. When the reader is too slow the oldest events are lost, and
// ring_buffer_lost() says how many.
#ifndef RING_BUFFER_H
#define RING_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define RING_BUFFER_SLOTS 1024

typedef struct scan_event {
    uint64_t time_ms;
    char parcel[24];
    uint8_t station;
} scan_event;

typedef struct ring_buffer {
    scan_event slots[RING_BUFFER_SLOTS];
    uint64_t head, tail, lost;
} ring_buffer;

void ring_buffer_init(ring_buffer *b);
void ring_buffer_push(ring_buffer *b, const scan_event *e);
bool ring_buffer_pop(ring_buffer *b, scan_event *out);
uint64_t ring_buffer_lost(const ring_buffer *b);

#endif
