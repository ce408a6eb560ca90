// SPDX-License-Identifier: MIT
#include "blocks/blocks.h"

static ken_status write_to_buf(void *ctx, const void *bytes, size_t n, ken_err *err)
{
    ken_buf *b = ctx;
    ken_buf_put(b, bytes, n);
    return b->is_over ? KEN_FAIL(err, KEN_ELIMIT, "more than %zu bytes", b->max) : KEN_OK;
}

ken_block_sink ken_block_sink_of(ken_buf *b, uint32_t block_bytes)
{
    return (ken_block_sink){ write_to_buf, b, block_bytes };
}

void ken_block_cutter_init(ken_block_cutter *c, const ken_block_sink *sink)
{
    *c = (ken_block_cutter){ .sink = *sink, .rest = KEN_BUF_INIT(sink->block_bytes) };
}

void ken_block_cutter_put(ken_block_cutter *c, const void *bytes, size_t n)
{
    const char *from = bytes;
    c->n_bytes += n;
    while (n && !c->st) {
        size_t room = c->sink.block_bytes - c->rest.len, part = n < room ? n : room;
        if (part == c->sink.block_bytes) { // a whole block: not copied
            c->st = c->sink.write(c->sink.ctx, from, part, &c->err);
        } else {
            ken_buf_put(&c->rest, from, part);
            if (c->rest.is_over)
                c->st = KEN_FAIL(&c->err, KEN_ENOMEM, "a block of %u bytes", c->sink.block_bytes);
        }
        if (!c->st && c->rest.len == c->sink.block_bytes) {
            c->st = c->sink.write(c->sink.ctx, c->rest.ptr, c->rest.len, &c->err);
            ken_buf_clear(&c->rest);
        }
        from += part;
        n -= part;
    }
}

ken_status ken_block_cutter_end(ken_block_cutter *c, ken_err *err)
{
    if (!c->st && c->rest.len)
        c->st = c->sink.write(c->sink.ctx, c->rest.ptr, c->rest.len, &c->err);
    ken_buf_release(&c->rest);
    if (c->st && err)
        *err = c->err;
    return c->st;
}
