// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "blocks/sections_priv.h"

void ken_sections_writer_init(ken_sections_writer *w, const ken_block_sink *sink,
                              uint32_t n_sections)
{
    *w = (ken_sections_writer){ .n_sections = n_sections, .map = KEN_BUF_INIT(SECTIONS_MAX_UNITS) };
    ken_block_cutter_init(&w->out, sink);
}

// Until the end only whole units are written, so each is a block of the sink.
static void put_unit(ken_sections_writer *w, uint32_t section, const void *bytes)
{
    ken_block_cutter_put(&w->out, bytes, w->out.sink.block_bytes);
    ken_buf_putc(&w->map, (char)section);
    if (w->map.is_over && !w->out.st)
        w->out.st = KEN_FAIL(&w->out.err, KEN_ELIMIT, "a segment of %llu bytes is too large",
                             (unsigned long long)w->out.n_bytes);
}

static void put_long(ken_sections_writer *w, uint32_t section, const uint8_t *from, size_t n)
{
    const size_t unit = w->out.sink.block_bytes;
    if (!w->rest[section])
        w->rest[section] = ken_alloc(unit);
    while (n && !w->out.st) {
        size_t room = unit - w->n_rest[section], part = n < room ? n : room;
        if (part == unit) { // not copied
            put_unit(w, section, from);
        } else {
            memcpy(w->rest[section] + w->n_rest[section], from, part);
            w->n_rest[section] += part;
        }
        if (!w->out.st && w->n_rest[section] == unit) {
            put_unit(w, section, w->rest[section]);
            w->n_rest[section] = 0;
        }
        from += part;
        n -= part;
    }
}

void ken_sections_put(ken_sections_writer *w, uint32_t section, const void *bytes, size_t n)
{
    w->len[section] += n;
    if (!w->rest[section] || n >= w->out.sink.block_bytes - w->n_rest[section]) {
        put_long(w, section, bytes, n);
    } else {
        memcpy(w->rest[section] + w->n_rest[section], bytes, n);
        w->n_rest[section] += n;
    }
}

bool ken_sections_has_failed(const ken_sections_writer *w)
{
    return w->out.st != KEN_OK;
}

ken_status ken_sections_writer_end(ken_sections_writer *w, const void *head, size_t n_head,
                                   ken_err *err)
{
    uint8_t number[8];
    for (uint32_t i = 0; i < w->n_sections; i++)
        ken_block_cutter_put(&w->out, w->rest[i], w->n_rest[i]);
    ken_block_cutter_put(&w->out, w->map.ptr, w->map.len);
    ken_block_cutter_put(&w->out, head, n_head);
    for (uint32_t i = 0; i < w->n_sections; i++) {
        ken_put64(number, w->len[i]);
        ken_block_cutter_put(&w->out, number, 8);
    }
    const uint32_t last[SECTIONS_END_NUMBERS] = { w->out.sink.block_bytes, (uint32_t)w->map.len,
                                                  (uint32_t)n_head, w->n_sections, SECTIONS_MAGIC };
    for (int i = 0; i < SECTIONS_END_NUMBERS; i++) {
        ken_put32(number, last[i]);
        ken_block_cutter_put(&w->out, number, 4);
    }
    for (uint32_t i = 0; i < w->n_sections; i++)
        ken_free(w->rest[i]);
    ken_buf_release(&w->map);
    return ken_block_cutter_end(&w->out, err);
}
