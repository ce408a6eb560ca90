// SPDX-License-Identifier: MIT
// Values in PostgreSQL's binary form, and many rows of them by COPY.
#include <string.h>

#include "base/utf8.h"
#include "store/postgres/postgres_priv.h"

enum {
    HEADER_BYTES = 19, // signature, flags, length of the extension
    PIECE = 1 << 16,
};

static void put16(ken_buf *out, uint16_t v)
{
    const uint8_t b[] = { (uint8_t)(v >> 8), (uint8_t)v };
    ken_buf_put(out, b, sizeof b);
}

static void put32(ken_buf *out, uint32_t v)
{
    const uint8_t b[] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };
    ken_buf_put(out, b, sizeof b);
}

static void put64(ken_buf *out, uint64_t v)
{
    uint8_t b[8];
    for (int i = 0; i < 8; i++)
        b[i] = (uint8_t)(v >> (56 - 8 * i));
    ken_buf_put(out, b, sizeof b);
}

// The head of an array of one dimension, from 1.
static void put_array(ken_buf *out, ken_pg_type of, size_t n)
{
    put32(out, n != 0);
    put32(out, 0); // no NULL in it
    put32(out, ken_store__pg_oid(of));
    if (!n)
        return;
    put32(out, (uint32_t)n);
    put32(out, 1);
}

static void put_ints(ken_buf *out, const int64_t *list, size_t n)
{
    put_array(out, KEN_PG_V_INT, n);
    for (size_t i = 0; i < n; i++) {
        put32(out, sizeof *list);
        put64(out, (uint64_t)list[i]);
    }
}

static void put_texts(ken_buf *out, ken_pg_type of, const ken_str *list, size_t n)
{
    put_array(out, of, n);
    for (size_t i = 0; i < n; i++) {
        size_t at = out->len;
        put32(out, 0);
        if (of == KEN_PG_V_TEXT)
            ken_utf8_put_plain(out, list[i]);
        else
            ken_buf_put_str(out, list[i]);
        uint32_t len = (uint32_t)(out->len - at - 4);
        for (int b = 0; b < 4; b++)
            out->ptr[at + (size_t)b] = (char)(len >> (24 - 8 * b));
    }
}

void ken_store__pg_put(ken_buf *out, const ken_pg_value *v)
{
    uint64_t bits = 0;
    switch (v->type) {
    case KEN_PG_V_INT:
        put64(out, (uint64_t)v->number);
        break;
    case KEN_PG_V_INT4:
        put32(out, (uint32_t)v->number);
        break;
    case KEN_PG_V_TIME:
        put64(out, (uint64_t)(v->number - KEN_PG_EPOCH_MS) * 1000);
        break;
    case KEN_PG_V_BOOL:
        ken_buf_putc(out, v->number != 0);
        break;
    case KEN_PG_V_REAL:
        memcpy(&bits, &v->real, sizeof bits);
        put64(out, bits);
        break;
    case KEN_PG_V_TEXT:
        ken_utf8_put_plain(out, v->bytes);
        break;
    case KEN_PG_V_BYTES:
    case KEN_PG_V_UUID:
        ken_buf_put_str(out, v->bytes);
        break;
    case KEN_PG_V_INTS:
        put_ints(out, v->ints.list, v->ints.n);
        break;
    case KEN_PG_V_TEXTS:
        put_texts(out, KEN_PG_V_TEXT, v->texts.list, v->texts.n);
        break;
    case KEN_PG_V_BLOBS:
        put_texts(out, KEN_PG_V_BYTES, v->texts.list, v->texts.n);
        break;
    }
}

uint32_t ken_store__pg_oid(ken_pg_type type)
{
    static const uint32_t oids[] = {
        [KEN_PG_V_INT] = 20,    [KEN_PG_V_INT4] = 23,    [KEN_PG_V_REAL] = 701,
        [KEN_PG_V_TEXT] = 25,   [KEN_PG_V_BYTES] = 17,   [KEN_PG_V_UUID] = 2950,
        [KEN_PG_V_TIME] = 1184, [KEN_PG_V_BOOL] = 16,    [KEN_PG_V_TEXTS] = 1009,
        [KEN_PG_V_INTS] = 1016, [KEN_PG_V_BLOBS] = 1001,
    };
    return oids[type];
}

void ken_store__pg_copy_row(ken_pg_copy *c, const ken_pg_value *values, size_t n)
{
    put16(&c->rows, (uint16_t)n);
    for (size_t i = 0; i < n; i++) {
        size_t at = c->rows.len;
        put32(&c->rows, UINT32_MAX); // NULL
        if (values[i].is_null)
            continue;
        ken_store__pg_put(&c->rows, &values[i]);
        uint32_t len = (uint32_t)(c->rows.len - at - 4);
        for (int b = 0; b < 4; b++)
            c->rows.ptr[at + (size_t)b] = (char)(len >> (24 - 8 * b));
    }
    c->n++;
}

void ken_store__pg_copy_drop(ken_pg_copy *c)
{
    ken_buf_release(&c->rows);
    *c = (ken_pg_copy){ 0 };
}

static bool send_rows(const ken_pg *p, PGconn *pg, const ken_buf *rows)
{
    static const char header[HEADER_BYTES] = "PGCOPY\n\377\r\n";
    static const char end[2] = { '\377', '\377' };
    bool is_sent = p->lib->PQputCopyData(pg, header, HEADER_BYTES) == 1;
    for (size_t at = 0; is_sent && at < rows->len; at += PIECE) {
        size_t n = rows->len - at < PIECE ? rows->len - at : PIECE;
        is_sent = p->lib->PQputCopyData(pg, rows->ptr + at, (int)n) == 1;
    }
    return is_sent && p->lib->PQputCopyData(pg, end, sizeof end) == 1;
}

// The answers until the connection has no more to say; the first failure counts.
ken_status ken_store__pg_copy_settle(ken_pg *p, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!p->is_copying)
        return KEN_OK;
    p->is_copying = false;
    PGconn *pg = p->conn->pg;
    for (PGresult *r; (r = p->lib->PQgetResult(pg)) != NULL; p->lib->PQclear(r))
        if (!st && p->lib->PQresultStatus(r) != PGRES_COMMAND_OK)
            st = PG_FAIL(p, p->conn, r, err);
    p->lib->PQenterPipelineMode(pg);
    return st;
}

size_t ken_store__pg_copy_length(ken_str rows)
{
    size_t at = 2;
    for (uint64_t n = ken_pg_number_at(rows.ptr, 2); n; n--) {
        uint64_t len = ken_pg_number_at(rows.ptr + at, 4);
        at += 4 + (len == UINT32_MAX ? 0 : len);
    }
    return at;
}

// Sends the rows and does not wait for what the server says to them.
static ken_status start(ken_pg *p, ken_pg_stmt which, const ken_pg_copy *c, ken_err *err)
{
    if (!c->n)
        return KEN_OK;
    if (c->rows.is_over)
        return KEN_FAIL(err, KEN_ELIMIT, "too many bytes for one COPY into %s '%s'", p->what,
                        p->name);
    ken_status st = ken_store__pg_check_conn(p, err);
    if (!st)
        st = ken_store__pg_copy_settle(p, err);
    if (st)
        return st;
    ken_buf sql = { 0 };
    ken_store__pg_text(which, &sql);
    PGconn *pg = p->conn->pg; // a write transaction has begun
    p->lib->PQexitPipelineMode(pg);
    ken_buf_putc(&sql, '\0');
    PGresult *r = p->lib->PQexec(pg, sql.ptr);
    ken_buf_release(&sql);
    p->is_copying = true;
    if (p->lib->PQresultStatus(r) != PGRES_COPY_IN)
        st = PG_FAIL(p, p->conn, r, err);
    p->lib->PQclear(r);
    if (st) {
        ken_status same = ken_store__pg_copy_settle(p, NULL);
        (void)same;
        return st;
    }
    bool is_sent = send_rows(p, pg, &c->rows);
    if (p->lib->PQputCopyEnd(pg, is_sent ? NULL : "not all rows could be sent") == 1 && is_sent)
        return KEN_OK;
    st = ken_store__pg_copy_settle(p, err);
    return st ? st : PG_FAIL(p, p->conn, NULL, err);
}

ken_status ken_store__pg_copy_send(ken_pg *p, ken_pg_stmt which, ken_pg_copy *c, ken_err *err)
{
    ken_status st = start(p, which, c, err);
    ken_buf_clear(&c->rows);
    c->n = 0;
    return st;
}
