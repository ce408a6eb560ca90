// SPDX-License-Identifier: MIT
#include "base/vec.h"
#include "history_lab.h"

static ken_status unpack(ken_str bytes)
{
    ken_history *h = NULL;
    ken_status st = ken_history_unpack(bytes, &h, &err);
    ken_history_free(h);
    return st;
}

KEN_TEST(bytes_that_are_none_are_refused)
{
    err = (ken_err){ 0 };
    kt_status(unpack(KEN_STR("")), KEN_ECORRUPT);
    kt_has_str(err.msg, "history");
    kt_status(unpack(KEN_STR("\x03")), KEN_ECORRUPT);
    // version, flags, no head, no reason, no authors, no files, no commits
    kt_ok(unpack(KEN_STR("\x02\0\0\0\0\0\0")));
    kt_status(unpack(KEN_STR("\x02\0\0\0\0\0\0\0")), KEN_ECORRUPT); // something behind it
    kt_status(unpack(KEN_STR("\x02\0\x02xy\0\0\0\0")), KEN_ECORRUPT);
    kt_status(unpack(KEN_STR("\x02\0\0\0\0\x02\0\x01g\0\x01g\0")), KEN_ECORRUPT); // twice
    kt_status(unpack(KEN_STR("\x02\0\0\0\0\x01\0\x03../\0")), KEN_ECORRUPT);
    kt_status(unpack(KEN_STR("\x02\0\0\0\0\xff\xff\xff\x7f")), KEN_ECORRUPT);
    kt_status(unpack(KEN_STR("\x02\0\0\0\0\0\x01\0\0\0")), KEN_ECORRUPT); // a commit by nobody
}

KEN_TEST(every_damage_is_refused_or_harmless)
{
    lab_start("tree");
    for (int i = 0; i < 4; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d\n", i);
        put("src/a.c", text);
        put("src/b.c", text);
        commit(i, i % 2 ? "ann" : "bob", "change both");
    }
    ken_history *h = read_all();
    ken_buf b = { 0 };
    ken_history_pack(h, &b);
    ken_history_free(h);
    for (size_t n = 0; n < b.len; n++)
        kt_status(unpack(ken_str_n(b.ptr, n)), KEN_ECORRUPT); // cut short
    for (size_t i = 0; i < b.len; i++) {
        char was = b.ptr[i];
        for (int bit = 0; bit < 8; bit++) {
            b.ptr[i] = (char)(was ^ 1 << bit);
            if (!ken_history_unpack(ken_buf_str(&b), &h, NULL)) {
                kt_not_null(dump(h));
                ken_history_free(h);
            }
        }
        b.ptr[i] = was;
    }
    ken_buf_release(&b);
    lab_end();
}
