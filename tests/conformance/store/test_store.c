// SPDX-License-Identifier: MIT
// What every backend of the store must do. Each test runs on every row of `backends`; a second
// backend is one more row.
#include "conformance/store/store_matrix.h"
#include "conformance/store/store_scenario.h"
#include "ktest.h"

// ---- helpers ---------------------------------------------------------------------------------

static int64_t add_content(ken_store *s, uint32_t size)
{
    int64_t id = 0;
    kt_ok_err(scn_add_content(s, size, &arena, &id, &err), &err);
    kt_true(id > 0);
    return id;
}

static ken_status find_content(ken_store *s, uint32_t size, ken_content_info *out)
{
    ken_content_key key = scn_key(size);
    return ken_store_find_content(s, &key, out, &err);
}

static ken_status put_file(ken_store *s, int64_t id, const char *path, int64_t content)
{
    return ken_store_put_file(
        s, &(ken_file_row){ .id = id, .path = ken_str_c(path), .content = content }, &err);
}

static ken_file_row *load_files(ken_store *s, size_t *n)
{
    ken_file_row *rows;
    kt_ok_err(ken_store_load_files(s, &arena, &rows, n, NULL, &err), &err);
    return rows;
}

static ken_status put_generation(ken_store *s, uint64_t number)
{
    return ken_store_put_generation(s, &(ken_generation){ .number = number }, &err);
}

// ---- a new store -----------------------------------------------------------------------------

STORE_TEST(new_store_is_empty)
{
    uint64_t g = 9, size = 0;
    kt_ok(ken_store_get_generation(s, &g, &err));
    kt_eq_u(g, 0);
    ken_generation row;
    kt_ok(ken_store_load_generation(s, &arena, &row, &err));
    kt_eq_u(row.number, 0);
    kt_eq_text(row.root, "");
    size_t n = 9;
    load_files(s, &n);
    kt_eq_u(n, 0);
    ken_segment_info *segments;
    kt_ok(ken_store_list_segments(s, KEN_SEGMENT_WORDS, &arena, &segments, &n, &err));
    kt_eq_u(n, 0);
    ken_skip_row *skips;
    kt_ok(ken_store_load_skips(s, KEN_SKIP_NONE, 100, &arena, &skips, &n, &err));
    kt_eq_u(n, 0);
    kt_ok(ken_store_get_size(s, &size, &err));
    kt_true(size > 0);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

// ---- transactions ----------------------------------------------------------------------------

STORE_TEST(writes_need_a_write_transaction)
{
    kt_status(put_file(s, 0, "a", 1), KEN_EINVAL);
    kt_ok(ken_store_begin_read(s, &err));
    kt_status(put_file(s, 0, "a", 1), KEN_EINVAL);
    kt_status(ken_store_begin_write(s, &err), KEN_EINVAL);
    kt_status(ken_store_begin_read(s, &err), KEN_EINVAL);
    commit(s);
    kt_status(ken_store_commit(s, &err), KEN_EINVAL);
    ken_store_rollback(s);
    begin(s);
    commit(s);
}

STORE_TEST(rollback_keeps_nothing)
{
    begin(s);
    int64_t first = add_content(s, 1000);
    kt_ok(put_file(s, 0, "a.c", first));
    ken_store_rollback(s);
    size_t n;
    load_files(s, &n);
    kt_eq_u(n, 0);
    ken_content_info info;
    kt_status(find_content(s, 1000, &info), KEN_ENOTFOUND);
}

STORE_TEST(failed_write_spoils_its_transaction)
{
    begin(s);
    int64_t id = add_content(s, 1000);
    kt_ok(put_file(s, 0, "a.c", id));
    kt_status(put_file(s, 0, "a.c", id), KEN_EEXIST);
    kt_status(put_file(s, 0, "b.c", id), KEN_EEXIST); // the first failure again
    kt_status(ken_store_commit(s, &err), KEN_EEXIST);
    size_t n;
    load_files(s, &n);
    kt_eq_u(n, 0);
    begin(s);
    id = add_content(s, 1000);
    kt_ok(put_file(s, 0, "a.c", id));
    commit(s);
    load_files(s, &n);
    kt_eq_u(n, 1);
}

STORE_TEST(reader_sees_one_state)
{
    begin(s);
    kt_ok(put_generation(s, 1));
    commit(s);
    ken_store *other = open_store(true);
    uint64_t g;
    kt_ok(ken_store_begin_read(other, &err));
    kt_ok(ken_store_get_generation(other, &g, &err));
    kt_eq_u(g, 1);
    begin(s);
    kt_ok(put_file(s, 0, "a.c", add_content(s, 1000)));
    kt_ok(put_generation(s, 2));
    commit(s);
    ken_file_row *rows;
    size_t n;
    kt_ok(ken_store_load_files(other, &arena, &rows, &n, NULL, &err));
    kt_eq_u(n, 0);
    kt_ok(ken_store_get_generation(other, &g, &err));
    kt_eq_u(g, 1);
    commit(other);
    kt_ok(ken_store_get_generation(other, &g, &err));
    kt_eq_u(g, 2);
    kt_status(ken_store_begin_write(other, &err), KEN_EPERM);
    ken_store_close(other);
}

STORE_TEST(close_rolls_back)
{
    ken_store *other = open_store(false);
    kt_ok(ken_store_begin_write(other, &err));
    kt_ok(ken_store_put_value(other, KEN_STR("k"), KEN_STR("v"), &err));
    ken_store_close(other);
    ken_str v;
    kt_status(ken_store_load_value(s, KEN_STR("k"), &arena, &v, &err), KEN_ENOTFOUND);
    ken_store_close(NULL);
}

// ---- contents --------------------------------------------------------------------------------

STORE_TEST(content_is_found_by_its_whole_key)
{
    begin(s);
    int64_t id = add_content(s, 4321);
    commit(s);
    ken_content_info info;
    kt_ok(find_content(s, 4321, &info));
    kt_eq_i(info.id, id);
    kt_eq_u(info.n_bytes, 4321);
    kt_eq_u(info.n_lines, 4321 / 30);
    kt_eq_u(info.n_symbols, 4321 % 5);
    kt_eq_u(info.n_chunks, 2);
    kt_eq_u(info.lang, SCN_LANG);
    kt_false(info.is_fallback);
    ken_content_key key = scn_key(4321);
    key.feature++;
    kt_status(ken_store_find_content(s, &key, &info, &err), KEN_ENOTFOUND);
    key = scn_key(4321);
    key.lang++;
    kt_status(ken_store_find_content(s, &key, &info, &err), KEN_ENOTFOUND);
    key = scn_key(4322);
    kt_status(ken_store_find_content(s, &key, &info, &err), KEN_ENOTFOUND);
}

STORE_TEST(facts_come_back)
{
    begin(s);
    int64_t id = add_content(s, 1234);
    commit(s);
    ken_facts f;
    kt_ok_err(ken_store_load_facts(s, id, &arena, &f, &err), &err);
    kt_eq_u(f.n_bytes, 1234);
    kt_eq_u(f.n_symbols, 4);
    kt_eq_text(f.symbols[3].name, "symbol_3_of_1234");
    kt_status(ken_store_load_facts(s, id + 1, &arena, &f, &err), KEN_ENOTFOUND);
    kt_status(ken_store_load_facts(s, -1, &arena, &f, &err), KEN_ENOTFOUND);
}

STORE_TEST(a_content_tells_what_it_was_learnt_from)
{
    begin(s);
    int64_t old = add_content(s, 1234), new = add_content(s, 1234);
    commit(s);
    ken_content_key key = scn_key(1234);
    ken_sha256 sha = { { 0 } };
    kt_ok_err(ken_store_load_sha(s, new, &sha, &err), &err);
    kt_eq_mem(sha.bytes, sizeof sha.bytes, key.sha.bytes, sizeof key.sha.bytes);
    sha = (ken_sha256){ { 0 } };
    kt_ok(ken_store_load_sha(s, old, &sha, &err)); // found by key no more
    kt_eq_mem(sha.bytes, sizeof sha.bytes, key.sha.bytes, sizeof key.sha.bytes);
    kt_status(ken_store_load_sha(s, new + 1, &sha, &err), KEN_ENOTFOUND);
    kt_status(ken_store_load_sha(s, -1, &sha, &err), KEN_ENOTFOUND);
}

// Of many at once, in whatever order, written before or in this transaction.
STORE_TEST(contents_tell_together_what_they_were_learnt_from)
{
    begin(s);
    int64_t a = add_content(s, 1234), b = add_content(s, 4321);
    commit(s);
    begin(s);
    int64_t c = add_content(s, 77);
    const int64_t ids[] = { c, a, c + 1, b, a, -1 };
    const uint64_t bytes[] = { 77, 1234, 0, 4321, 1234, 0 };
    ken_content_mark marks[6];
    kt_ok_err(ken_store_load_marks(s, ids, 6, marks, &err), &err);
    for (size_t i = 0; i < 6; i++) {
        ken_content_key key = scn_key((uint32_t)bytes[i]);
        kt_eq_i(marks[i].info.id, bytes[i] ? ids[i] : 0);
        kt_eq_u(marks[i].info.n_bytes, bytes[i]);
        if (bytes[i])
            kt_eq_mem(marks[i].sha.bytes, sizeof key.sha.bytes, key.sha.bytes,
                      sizeof key.sha.bytes);
    }
    kt_ok_err(ken_store_load_marks(s, ids, 0, marks, &err), &err);
    commit(s);
}

STORE_TEST(damaged_facts_are_told)
{
    ken_content_key key = scn_key(1);
    ken_facts f = { .n_bytes = 1 };
    int64_t id;
    begin(s);
    kt_ok(ken_store_add_content(s, &key, &f, &(ken_packed){ .facts = KEN_STR("rubbish") }, &id,
                                &err));
    commit(s);
    kt_status(ken_store_load_facts(s, id, &arena, &f, &err), KEN_ECORRUPT);
    kt_status(ken_store_verify(s, &err), KEN_ECORRUPT);
    begin(s);
    kt_status(ken_store_add_content(s, &key, &f, &(ken_packed){ .facts = KEN_STR("") }, &id, &err),
              KEN_ELIMIT);
    ken_store_rollback(s);
}

STORE_TEST(refs_come_back)
{
    begin(s);
    int64_t id = add_content(s, 1234), silent = add_content(s, 1000); // has no symbols, so no refs
    commit(s);
    ken_facts f;
    ken_refs r;
    kt_ok_err(ken_store_load_facts(s, id, &arena, &f, &err), &err);
    kt_ok_err(ken_store_load_refs(s, id, &f, &arena, &r, &err), &err);
    kt_eq_u(r.n_refs, 4);
    kt_eq_u(r.n_defs, 4);
    kt_eq_u(r.refs[3].byte, 350);
    kt_eq_text(r.exprs[r.refs[3].expr].name, "symbol_3_of_1234");
    ken_str packed;
    kt_ok_err(ken_store_load_packed_refs(s, id, &arena, &packed, &err), &err);
    kt_true(packed.len > 0);
    const int64_t others[] = { silent, silent + 1, -1 };
    for (int i = 0; i < 3; i++) {
        f = (ken_facts){ 0 };
        kt_ok(ken_store_load_packed_refs(s, others[i], &arena, &packed, &err));
        kt_eq_u(packed.len, 0);
        kt_ok_err(ken_store_load_refs(s, others[i], &f, &arena, &r, &err), &err);
        kt_eq_u(r.n_refs, 0);
        kt_eq_u(r.n_exprs, 1);
    }
    kt_ok_err(ken_store_verify(s, &err), &err);
}

// Facts and references of the content of that size, or nothing where there is no such content.
static void check_loaded(ken_store *s, int64_t id, uint32_t size)
{
    ken_facts f;
    ken_refs r;
    ken_status st = ken_store_load_facts(s, id, &arena, &f, &err);
    kt_eq_i(st, size ? KEN_OK : KEN_ENOTFOUND);
    if (st)
        return;
    const ken_facts want = scn_facts(size, &arena);
    kt_eq_u(f.n_bytes, size);
    kt_eq_u(f.n_symbols, want.n_symbols);
    kt_eq_u(f.n_chunks, want.n_chunks);
    kt_ok_err(ken_store_load_refs(s, id, &f, &arena, &r, &err), &err);
    kt_eq_u(r.n_refs, want.n_symbols ? scn_refs(&want, &arena).n_refs : 0);
    ken_str text;
    kt_status(ken_store_load_text(s, id, &arena, &text, &err), KEN_ENOTFOUND); // these have none
    for (uint32_t i = 0; i < f.n_symbols; i++)
        kt_eq_text(f.symbols[i].name, ken_arena_dup(&arena, want.symbols[i].name).ptr);
}

// A hint changes nothing but when things come: in any order, some twice, some not there, some never asked for,
// with other hints between and none that is kept beyond its transaction.
STORE_TEST(expected_contents_are_what_they_are)
{
    enum {
        N = 100
    };
    int64_t ids[N + 2], few[3];
    begin(s);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = add_content(s, 1000 + i);
    commit(s);
    ids[N] = ids[N - 1] + 1; // is not there
    ids[N + 1] = ids[0];
    kt_ok_err(ken_store_expect_contents(s, ids, N, KEN_EXPECT_REFS, &err),
              &err); // in no transaction
    check_loaded(s, ids[3], 1003);

    kt_ok_err(ken_store_begin_read(s, &err), &err);
    kt_ok_err(ken_store_expect_contents(s, ids, N + 2, KEN_EXPECT_REFS, &err), &err);
    for (uint32_t i = 0; i < N; i++) {
        check_loaded(s, ids[i], 1000 + i);
        for (uint32_t k = 0; k < 3; k++)
            few[k] = ids[(i * 7 + k * 31) % N];
        kt_ok_err(ken_store_expect_contents(s, few, 3, i % 4, &err), &err);
        check_loaded(s, few[2], 1000 + (i * 7 + 62) % N);
        check_loaded(s, few[0], 1000 + i * 7 % N);
    }
    check_loaded(s, ids[N], 0);
    check_loaded(s, ids[N + 1], 1000);
    kt_ok_err(ken_store_expect_contents(s, ids, N, KEN_EXPECT_TEXT, &err), &err);
    for (uint32_t i = N; i-- > 0;) // against the order
        check_loaded(s, ids[i], 1000 + i);
    kt_ok_err(ken_store_expect_contents(s, NULL, 0, KEN_EXPECT_REFS, &err), &err);
    kt_ok_err(ken_store_expect_contents(s, ids, N, KEN_EXPECT_REFS, &err), &err);
    check_loaded(s, ids[5], 1005);
    commit(s);

    begin(s);
    kt_ok_err(ken_store_expect_contents(s, ids, N, KEN_EXPECT_REFS, &err), &err);
    int64_t added = add_content(s, 5000);
    check_loaded(s, added, 5000);
    check_loaded(s, ids[6], 1006);
    kt_ok_err(ken_store_collect_some(s, ids, 10, &err), &err); // no file has them
    check_loaded(s, ids[6], 0);
    commit(s);
    kt_ok_err(ken_store_begin_read(s, &err), &err);
    check_loaded(s, ids[7], 0);
    check_loaded(s, ids[17], 1017);
    commit(s);
}

STORE_TEST(damaged_refs_are_told)
{
    ken_content_key key = scn_key(1);
    ken_facts f = { .n_bytes = 1 };
    ken_buf facts = { 0 };
    ken_facts_pack(&f, &facts);
    ken_packed packed = { .facts = ken_buf_str(&facts), .refs = KEN_STR("rubbish") };
    int64_t id;
    ken_refs r;
    begin(s);
    kt_ok(ken_store_add_content(s, &key, &f, &packed, &id, &err));
    commit(s);
    kt_status(ken_store_load_refs(s, id, &f, &arena, &r, &err), KEN_ECORRUPT);
    kt_has_str(err.msg, "references are damaged");
    kt_status(ken_store_verify(s, &err), KEN_ECORRUPT);
    kt_has_str(err.msg, "refs of content");
    packed.refs.len = KEN_REFS_MAX_BYTES + 1;
    begin(s);
    kt_status(ken_store_add_content(s, &key, &f, &packed, &id, &err), KEN_ELIMIT);
    ken_store_rollback(s);
    ken_buf_release(&facts);
}

STORE_TEST(refs_go_with_their_content)
{
    begin(s);
    int64_t kept = add_content(s, 1004), gone = add_content(s, 1014);
    kt_ok(put_file(s, 0, "a.c", kept));
    commit(s);
    uint64_t n_removed;
    begin(s);
    kt_ok(ken_store_collect(s, &n_removed, &err));
    kt_eq_u(n_removed, 1);
    commit(s);
    ken_str packed;
    kt_ok(ken_store_load_packed_refs(s, kept, &arena, &packed, &err));
    kt_true(packed.len > 0);
    kt_ok(ken_store_load_packed_refs(s, gone, &arena, &packed, &err));
    kt_eq_u(packed.len, 0);
}

STORE_TEST(same_key_again_supersedes)
{
    begin(s);
    int64_t old = add_content(s, 1000);
    kt_ok(put_file(s, 0, "a.c", old));
    kt_ok(put_generation(s, 1));
    commit(s);
    begin(s);
    int64_t new = add_content(s, 1000), newer = add_content(s, 1000);
    commit(s);
    kt_true(new > old &&newer > new);
    ken_content_info info;
    kt_ok(find_content(s, 1000, &info));
    kt_eq_i(info.id, newer);
    ken_facts f;
    kt_ok(ken_store_load_facts(s, old, &arena, &f, &err)); // the file still has it
    uint64_t n_removed;
    begin(s);
    kt_ok(ken_store_collect(s, &n_removed, &err));
    kt_eq_u(n_removed, 2);
    commit(s);
    kt_status(find_content(s, 1000, &info), KEN_ENOTFOUND);
    kt_ok(ken_store_load_facts(s, old, &arena, &f, &err));
}

STORE_TEST(ids_are_never_used_again)
{
    begin(s);
    int64_t content = add_content(s, 1000), segment, again;
    kt_ok(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("x"), 1, &segment, &err));
    commit(s);
    uint64_t n_removed;
    begin(s);
    kt_ok(ken_store_collect(s, &n_removed, &err));
    kt_eq_u(n_removed, 1);
    kt_ok(ken_store_remove_segment(s, segment, &err));
    commit(s);
    begin(s);
    kt_true(add_content(s, 1000) > content);
    kt_ok(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("y"), 1, &again, &err));
    kt_true(again > segment);
    commit(s);
}

// ---- files -----------------------------------------------------------------------------------

STORE_TEST(files_come_sorted_with_their_contents)
{
    static const char *const paths[] = { "b/x", "a", "b", "a/b", "\xc3\xa9", "Z", "a-b", "b/" };
    begin(s);
    for (uint32_t i = 0; i < 8; i++) {
        const ken_file_row row = {
            .path = ken_str_c(paths[i]),
            .content = add_content(s, 1000 + i),
            .stamp = { 7, -5, -6, UINT64_MAX - i },
            .changed_at_ms = i,
        };
        kt_ok_err(ken_store_put_file(s, &row, &err), &err);
    }
    commit(s);
    ken_file_row *rows;
    ken_content_info *infos;
    size_t n;
    kt_ok(ken_store_load_files(s, &arena, &rows, &n, &infos, &err));
    kt_eq_u(n, 8);
    for (size_t i = 0; i < n; i++) {
        if (i)
            kt_true(ken_str_cmp(rows[i - 1].path, rows[i].path) < 0);
        kt_eq_i(infos[i].id, rows[i].content);
        kt_eq_u(infos[i].n_bytes, 1000 + (uint64_t)rows[i].changed_at_ms);
        kt_eq_text(rows[i].path, paths[rows[i].changed_at_ms]);
        kt_eq_u(rows[i].stamp.inode, UINT64_MAX - (uint64_t)rows[i].changed_at_ms);
        kt_eq_i(rows[i].stamp.mtime_ns, -5);
        kt_eq_i(rows[i].stamp.ctime_ns, -6);
    }
}

STORE_TEST(file_is_changed_renamed_removed)
{
    begin(s);
    int64_t one = add_content(s, 1), two = add_content(s, 2);
    kt_ok(put_file(s, 0, "a", one));
    kt_ok(put_file(s, 0, "b", one));
    commit(s);
    size_t n;
    ken_file_row *rows = load_files(s, &n);
    begin(s);
    kt_ok(ken_store_remove_file(s, rows[1].id, &err));
    kt_ok(put_file(s, rows[0].id, "b", two)); // the name is free now
    kt_ok(put_file(s, 0, "a", two));
    commit(s);
    int64_t id = rows[0].id;
    rows = load_files(s, &n);
    kt_eq_u(n, 2);
    kt_eq_i(rows[1].id, id);
    kt_eq_text(rows[1].path, "b");
    kt_eq_i(rows[0].content, two);
}

enum {
    MANY = 700
};

// Changes of many files are sent together; each does what it would do alone.
STORE_TEST(many_files_are_changed_in_their_order)
{
    char name[32];
    size_t n = 0;
    begin(s);
    int64_t one = add_content(s, 1), two = add_content(s, 2);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "f%04d", i);
        kt_ok_err(put_file(s, 0, name, one), &err);
    }
    commit(s);
    ken_file_row *rows = load_files(s, &n);
    kt_eq_u(n, MANY);
    int64_t first_id = rows[0].id, last_id = rows[MANY - 1].id;
    begin(s);
    for (int i = 1; i < MANY - 1; i++) {
        ken_file_row row = rows[i];
        row.content = two;
        row.stamp.size = (uint64_t)i;
        row.stamp.inode = UINT64_MAX - (uint64_t)i;
        row.stamp.mtime_ns = -i;
        kt_ok_err(ken_store_put_file(s, &row, &err), &err);
    }
    kt_ok_err(put_file(s, rows[600].id, "g0600", two), &err);            // again, and renamed
    kt_ok_err(put_file(s, rows[601].id, rows[600].path.ptr, two), &err); // to where that was
    kt_ok_err(put_file(s, 0, "f0601", one), &err);                       // and a new one there
    kt_ok_err(ken_store_remove_file(s, rows[602].id, &err), &err);       // that was changed before
    commit(s);
    ken_file_row *after = load_files(s, &n);
    kt_eq_u(n, MANY);
    kt_eq_i(after[0].id, first_id);
    kt_eq_i(after[0].content, one);
    kt_eq_i(after[599].id, rows[599].id);
    kt_eq_i(after[599].content, two);
    kt_eq_u(after[599].stamp.size, 599);
    kt_eq_u(after[599].stamp.inode, UINT64_MAX - 599);
    kt_eq_i(after[599].stamp.mtime_ns, -599);
    kt_eq_text(after[600].path, "f0600");
    kt_eq_i(after[600].id, rows[601].id);
    kt_eq_text(after[601].path, "f0601");
    kt_eq_i(after[601].content, one);
    kt_eq_text(after[602].path, "f0603");
    kt_eq_i(after[MANY - 2].id, last_id);
    kt_eq_text(after[MANY - 1].path, "g0600");
    kt_eq_i(after[MANY - 1].id, rows[600].id);
    // One that is not there is told, at the commit at the latest, and nothing is kept.
    begin(s);
    ken_status st = KEN_OK;
    for (int i = 1; i < 20 && !st; i++)
        st = put_file(s, rows[i].id, rows[i].path.ptr, one);
    if (!st)
        st = put_file(s, 123456, "nowhere", one);
    if (!st)
        st = ken_store_commit(s, &err);
    kt_status(st, KEN_ENOTFOUND);
    ken_store_rollback(s);
    kt_eq_i(load_files(s, &n)[1].content, two);
    begin(s);
    for (int i = 1; i < 20; i++)
        st = put_file(s, rows[i].id, rows[i].path.ptr, i < 19 ? one : 987654);
    if (!st)
        st = ken_store_commit(s, &err);
    kt_status(st, KEN_EINVAL);
    ken_store_rollback(s);
    kt_eq_i(load_files(s, &n)[1].content, two);
}

// Likewise those that go.
STORE_TEST(many_files_are_removed)
{
    char name[32];
    size_t n = 0;
    begin(s);
    int64_t one = add_content(s, 1), two = add_content(s, 2);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "f%04d", i);
        kt_ok_err(put_file(s, 0, name, one), &err);
    }
    commit(s);
    ken_file_row *rows = load_files(s, &n);
    begin(s);
    for (int i = 1; i < MANY - 1; i++)
        kt_ok_err(ken_store_remove_file(s, rows[i].id, &err), &err);
    kt_ok_err(put_file(s, rows[0].id, "f0001", two), &err); // names that are free now
    for (int i = 2; i < 40; i++)
        kt_ok_err(put_file(s, 0, rows[i].path.ptr, two), &err);
    kt_ok_err(ken_store_remove_file(s, rows[0].id, &err), &err); // that was written before
    commit(s);
    ken_file_row *after = load_files(s, &n);
    kt_eq_u(n, 39);
    kt_eq_text(after[0].path, "f0002");
    kt_eq_i(after[0].content, two);
    kt_eq_i(after[38].id, rows[MANY - 1].id);
    // One that is not there is told, at the commit at the latest, and nothing is removed.
    begin(s);
    ken_status st = KEN_OK;
    for (int i = 0; i < 20 && !st; i++)
        st = ken_store_remove_file(s, after[i].id, &err);
    if (!st)
        st = ken_store_remove_file(s, 123456, &err);
    if (!st)
        st = ken_store_commit(s, &err);
    kt_status(st, KEN_ENOTFOUND);
    ken_store_rollback(s);
    load_files(s, &n);
    kt_eq_u(n, 39);
}

STORE_TEST(bad_files_are_refused)
{
    static const ken_str bad[] = { { "", 0 }, { "/etc/passwd", 11 }, { "a\0b", 3 } };
    for (size_t i = 0; i < 3; i++) {
        begin(s);
        const ken_file_row row = { .path = bad[i], .content = add_content(s, 1) };
        kt_status(ken_store_put_file(s, &row, &err), KEN_EINVAL);
        ken_store_rollback(s);
    }
    begin(s);
    kt_status(put_file(s, 0, "a", 12345), KEN_EINVAL); // no such content
    ken_store_rollback(s);
    begin(s);
    kt_status(put_file(s, 77, "a", add_content(s, 1)), KEN_ENOTFOUND);
    ken_store_rollback(s);
    begin(s);
    kt_status(ken_store_remove_file(s, 77, &err), KEN_ENOTFOUND);
    ken_store_rollback(s);
}

STORE_TEST(skips_are_replaced)
{
    const ken_skip_row first[] = { { KEN_STR("b"), KEN_SKIP_BINARY },
                                   { KEN_STR("a"), KEN_SKIP_BINARY },
                                   { KEN_STR("a"), KEN_SKIP_BINARY },
                                   { KEN_STR("k.pem"), KEN_SKIP_SECRET } };
    ken_skip_row *rows;
    size_t n;
    for (int pass = 0; pass < 2; pass++) { // the same list again changes nothing
        begin(s);
        kt_ok_err(ken_store_replace_skips(s, first, 4, &err), &err);
        commit(s);
        kt_ok(ken_store_load_skips(s, KEN_SKIP_NONE, 100, &arena, &rows, &n, &err));
        kt_eq_u(n, 3);
        kt_eq_text(rows[0].path, "a");
        kt_eq_u(rows[0].reason, KEN_SKIP_BINARY);
        kt_eq_u(rows[2].reason, KEN_SKIP_SECRET);
    }
    kt_ok(ken_store_load_skips(s, KEN_SKIP_BINARY, 1, &arena, &rows, &n, &err));
    kt_eq_u(n, 1);
    kt_ok(ken_store_load_skips(s, KEN_SKIP_SUBMODULE, 9, &arena, &rows, &n, &err));
    kt_eq_u(n, 0);
    begin(s);
    kt_ok(ken_store_replace_skips(s, NULL, 0, &err));
    commit(s);
    kt_ok(ken_store_load_skips(s, KEN_SKIP_NONE, 100, &arena, &rows, &n, &err));
    kt_eq_u(n, 0);
    begin(s);
    kt_status(ken_store_replace_skips(s, &(ken_skip_row){ KEN_STR("x"), KEN_SKIP_NONE }, 1, &err),
              KEN_EINVAL);
    ken_store_rollback(s);
}

// ---- segments --------------------------------------------------------------------------------

static char zero(size_t at)
{
    (void)at;
    return 0;
}

// Bytes that no backend can make smaller, such that one can, and such that are next to nothing.
static char (*const fillers[])(size_t at) = { scn_filler, scn_sparse, zero };

static void check_segment(ken_store *s, ken_segment_kind kind, char (*filler)(size_t at),
                          size_t n_bytes)
{
    char *bytes = ken_alloc(n_bytes), *block = ken_alloc(KEN_SEGMENT_BLOCK);
    for (size_t i = 0; i < n_bytes; i++)
        bytes[i] = filler(i);
    int64_t id;
    begin(s);
    kt_ok_err(ken_store_add_segment(s, kind, ken_str_n(bytes, n_bytes), 5, &id, &err), &err);
    commit(s);
    size_t at = 0, n = 0;
    uint32_t b = 0;
    for (; at < n_bytes; b++, at += n) {
        kt_ok_err(ken_store_read_block(s, id, b, block, &n, &err), &err);
        kt_eq_mem(block, n, bytes + at, n);
        kt_true(n == KEN_SEGMENT_BLOCK || at + n == n_bytes);
    }
    kt_status(ken_store_read_block(s, id, b, block, &n, &err), KEN_ENOTFOUND);
    kt_status(ken_store_read_block(s, id, UINT32_MAX, block, &n, &err), KEN_ENOTFOUND);
    ken_free(bytes);
    ken_free(block);
}

STORE_TEST(segments_come_back_in_blocks)
{
    static const size_t sizes[] = { 1,
                                    100,
                                    KEN_SEGMENT_BLOCK - 1,
                                    KEN_SEGMENT_BLOCK,
                                    KEN_SEGMENT_BLOCK + 1,
                                    3 * KEN_SEGMENT_BLOCK + 7 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_segment(s, KEN_SEGMENT_MENTIONS, fillers[i % 3], sizes[i]);
        check_segment(s, KEN_SEGMENT_VECTORS, fillers[(i + 1) % 3], sizes[i]);
        check_segment(s, KEN_SEGMENT_WORDS, fillers[(i + 2) % 3], sizes[i]);
    }
    ken_segment_info *list;
    size_t n;
    kt_ok(ken_store_list_segments(s, KEN_SEGMENT_WORDS, &arena, &list, &n, &err));
    kt_eq_u(n, 6);
    kt_eq_u(list[5].n_bytes, sizes[5]);
    kt_eq_u(list[5].n_contents, 5);
    int64_t id;
    begin(s);
    kt_status(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR(""), 0, &id, &err), KEN_EINVAL);
    ken_store_rollback(s);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

// Only a database looks through many indexes; elsewhere nothing is to be told.
STORE_TEST(words_of_a_segment_are_told_once)
{
    const int64_t words[] = { INT32_MIN, -1, 0, 7, INT32_MAX };
    ken_segment_info *list;
    size_t n, n_first;
    int64_t id, other;
    begin(s);
    kt_ok_err(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("words"), 3, &id, &err), &err);
    kt_ok_err(ken_store_add_segment(s, KEN_SEGMENT_VECTORS, KEN_STR("rows"), 3, &other, &err),
              &err);
    commit(s);
    kt_ok_err(ken_store_list_untold(s, &arena, &list, &n_first, &err), &err);
    kt_true(n_first <= 1);
    kt_true(!n_first || (list[0].id == id && list[0].n_bytes == 5 && list[0].n_contents == 3));
    begin(s);
    kt_ok_err(ken_store_put_words(s, id, words, 5, &err), &err);
    kt_ok_err(ken_store_put_words(s, id, words, 5, &err), &err);
    kt_ok_err(ken_store_put_words(s, 1000000, words, 5, &err), &err); // it is gone
    commit(s);
    kt_ok_err(ken_store_list_untold(s, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 0);
    begin(s);
    kt_ok_err(ken_store_remove_segment(s, id, &err), &err);
    kt_ok_err(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("w"), 1, &id, &err), &err);
    kt_ok_err(ken_store_put_words(s, id, NULL, 0, &err), &err); // one without any
    commit(s);
    kt_ok_err(ken_store_list_untold(s, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 0);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

STORE_TEST(removed_segment_is_gone)
{
    char block[KEN_SEGMENT_BLOCK];
    size_t n;
    int64_t a, b;
    begin(s);
    kt_ok(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("first"), 1, &a, &err));
    kt_ok(ken_store_add_segment(s, KEN_SEGMENT_WORDS, KEN_STR("second"), 1, &b, &err));
    commit(s);
    begin(s);
    kt_ok(ken_store_remove_segment(s, a, &err));
    commit(s);
    kt_status(ken_store_read_block(s, a, 0, block, &n, &err), KEN_ENOTFOUND);
    kt_ok(ken_store_read_block(s, b, 0, block, &n, &err));
    kt_eq_mem(block, n, "second", 6);
    begin(s);
    kt_status(ken_store_remove_segment(s, a, &err), KEN_ENOTFOUND);
    ken_store_rollback(s);
}

// ---- generations and values --------------------------------------------------------------------

STORE_TEST(generation_comes_back)
{
    const ken_generation g = {
        .number = 3,
        .at_ms = 17,
        .git_head = KEN_STR("0123"),
        .git_branch = KEN_STR("feature/x"),
        .root = KEN_STR("/home/u/project"),
        .n_files = 1,
        .n_chunks = 2,
        .n_symbols = 3,
        .n_bytes = 4,
        .n_lines = 5,
        .skips = { [KEN_SKIP_IGNORED] = 6, [KEN_SKIP_SUBMODULE] = 7 },
    };
    begin(s);
    kt_ok_err(ken_store_put_generation(s, &g, &err), &err);
    commit(s);
    ken_generation r;
    kt_ok(ken_store_load_generation(s, &arena, &r, &err));
    kt_eq_u(r.number, 3);
    kt_eq_i(r.at_ms, 17);
    kt_eq_text(r.git_head, "0123");
    kt_eq_text(r.git_branch, "feature/x");
    kt_eq_text(r.root, "/home/u/project");
    kt_eq_u(r.n_files + r.n_chunks * 10 + r.n_symbols * 100, 321);
    kt_eq_u(r.n_bytes * 10 + r.n_lines, 45);
    for (int i = 0; i < KEN_SKIP_COUNT; i++)
        kt_eq_u(r.skips[i], g.skips[i]);
    begin(s);
    kt_status(put_generation(s, 3), KEN_EINVAL);
    ken_store_rollback(s);
    begin(s);
    kt_status(put_generation(s, 2), KEN_EINVAL);
    ken_store_rollback(s);
    begin(s);
    kt_ok(put_generation(s, 4));
    commit(s);
}

STORE_TEST(values_are_kept_by_name)
{
    ken_str v;
    kt_status(ken_store_load_value(s, KEN_STR("settings"), &arena, &v, &err), KEN_ENOTFOUND);
    begin(s);
    kt_ok(ken_store_put_value(s, KEN_STR("settings"), KEN_STR("{\"a\":\0 1}"), &err));
    kt_ok(ken_store_put_value(s, KEN_STR("empty"), KEN_STR(""), &err));
    commit(s);
    kt_ok(ken_store_load_value(s, KEN_STR("settings"), &arena, &v, &err));
    kt_eq_mem(v.ptr, v.len, "{\"a\":\0 1}", 9);
    kt_ok(ken_store_load_value(s, KEN_STR("empty"), &arena, &v, &err));
    kt_eq_u(v.len, 0);
    ken_value_info *names = NULL;
    size_t n = 0;
    kt_ok(ken_store_list_values(s, &arena, &names, &n, &err));
    kt_eq_u(n, 2);
    kt_true(ken_str_eq_c(names[0].key, "empty") && names[0].n_bytes == 0);
    kt_true(ken_str_eq_c(names[1].key, "settings") && names[1].n_bytes == 9);
    begin(s);
    kt_ok(ken_store_put_value(s, KEN_STR("settings"), (ken_str){ NULL, 0 }, &err));
    commit(s);
    kt_status(ken_store_load_value(s, KEN_STR("settings"), &arena, &v, &err), KEN_ENOTFOUND);
    begin(s);
    kt_status(ken_store_put_value(s, KEN_STR(""), KEN_STR("x"), &err), KEN_EINVAL);
    ken_store_rollback(s);
}

// ---- the whole -------------------------------------------------------------------------------

STORE_TEST(generations_follow_each_other)
{
    for (uint64_t g = 1; g <= 20; g++) {
        kt_ok_err(scn_write(s, g, &err), &err);
        uint64_t found = 0;
        const char *wrong = NULL;
        kt_ok_err(scn_check(s, &found, &wrong, &err), &err);
        kt_eq_str(wrong, NULL);
        kt_eq_u(found, g);
    }
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store *other = open_store(true);
    uint64_t found = 0;
    const char *wrong = NULL;
    kt_ok_err(scn_check(other, &found, &wrong, &err), &err);
    kt_eq_str(wrong, NULL);
    kt_eq_u(found, 20);
    ken_store_close(other);
}

STORE_TEST(space_of_removed_segments_comes_back)
{
    for (uint64_t g = 1; g <= 4; g++)
        kt_ok_err(scn_write(s, g, &err), &err);
    uint64_t early = 0, late = 0;
    kt_ok(ken_store_get_size(s, &early, &err));
    for (uint64_t g = 5; g <= 40; g++)
        kt_ok_err(scn_write(s, g, &err), &err);
    kt_ok(ken_store_get_size(s, &late, &err));
    kt_true(late < early * 2);
}

KEN_TEST(traces_were_written)
{
    n_traced = 0;
    now = &backends[1];
    ken_store *s = open_store(false);
    kt_ok(ken_store_begin_read(s, &err));
    kt_ok(ken_store_commit(s, &err));
    kt_eq_u(n_traced, 2);
    ken_store_close(s);
}

KEN_TEST(a_url_is_no_path)
{
    ken_store *s = NULL;
    const ken_store_opts opts = { .path = "postgres://u:secret@host/db" };
    kt_status(ken_store_open(&opts, &s, &err), KEN_EUNSUPPORTED);
    kt_null(strstr(err.msg, "secret"));
    kt_has_str(err.msg, "DATABASE_URL");
    kt_null(s);
    kt_status(ken_store_open(&(ken_store_opts){ .path = "" }, &s, &err), KEN_EINVAL);
}
