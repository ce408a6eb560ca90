// SPDX-License-Identifier: MIT
// What may stand in a task. Every refusal names the field, the rule and the value.
#include "base/clock.h"
#include "base/utf8.h"
#include "task/task_priv.h"

enum {
    SHOWN_CHARS = 60,
    SHOWN_BYTES = SHOWN_CHARS * 4 + 4
};

// The beginning of a value as a message may show it.
typedef struct shown {
    char text[SHOWN_BYTES];
} shown;

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static shown show(ken_str value)
{
    shown s = { { 0 } };
    size_t n = 0, at = 0;
    for (size_t i = 0; i < SHOWN_CHARS && at < value.len; i++) {
        uint32_t code = 0;
        size_t step = ken_utf8_next(ken_str_sub(value, at, value.len), &code);
        if (!step || is_control(code)) {
            s.text[n++] = '?';
            step = step ? step : 1;
        } else {
            memcpy(s.text + n, value.ptr + at, step);
            n += step;
        }
        at += step;
    }
    if (at < value.len)
        memcpy(s.text + n, "\xe2\x80\xa6", 3); // an ellipsis; the NUL is there already
    return s;
}

// Every character must be allowed, whether there are too many of them or not.
static ken_status check_chars(const char *field, ken_str text, bool has_lines, size_t *out_n,
                              ken_err *err)
{
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        uint32_t code = 0;
        size_t step = ken_utf8_next(ken_str_sub(text, at, text.len), &code);
        if (!step)
            return KEN_FAIL(err, KEN_EINVAL, "%s: is not valid UTF-8 at byte %zu: '%s'", field, at,
                            show(text).text);
        bool is_layout = code == '\t' || code == '\n' || code == '\r';
        if (is_control(code) && !(has_lines && is_layout))
            return KEN_FAIL(
                err, KEN_EINVAL, "%s: has the control character U+%04X at character %zu%s: '%s'",
                field, (unsigned)code, n + 1,
                has_lines ? "; only tabs and line ends may be there" : "", show(text).text);
        at += step;
    }
    *out_n = n;
    return KEN_OK;
}

static ken_status check_length(const char *field, ken_str text, size_t n, size_t min, size_t max,
                               ken_err *err)
{
    if (n >= min && n <= max)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL, "%s: must have %zu to %zu characters, not %zu: '%s'", field,
                    min, max, n, show(text).text);
}

ken_status ken_task__check_line(const char *field, ken_str text, size_t min, size_t max,
                                ken_err *err)
{
    size_t n = 0;
    ken_status st = check_chars(field, text, false, &n, err);
    return st ? st : check_length(field, text, n, min, max, err);
}

ken_status ken_task__check_text(const char *field, ken_str text, size_t min, size_t max,
                                ken_err *err)
{
    size_t n = 0;
    ken_status st = check_chars(field, text, true, &n, err);
    return st ? st : check_length(field, text, n, min, max, err);
}

ken_status ken_task__check_status(const ken_tasks *t, ken_str status, ken_err *err)
{
    for (size_t i = 0; i < t->n_statuses; i++)
        if (ken_str_eq(t->statuses[i], status))
            return KEN_OK;
    ken_buf known = KEN_BUF_INIT(0);
    for (size_t i = 0; i < t->n_statuses; i++)
        ken_buf_printf(&known, "%s'" KEN_STR_FMT "'", i ? ", " : "", KEN_STR_ARG(t->statuses[i]));
    ken_status st = KEN_FAIL(err, KEN_EINVAL, "status: must be one of %.250s, not '%s'",
                             known.ptr ? known.ptr : "", show(status).text);
    ken_buf_release(&known);
    return st;
}

// ---- branches: what `git check-ref-format --branch` takes -------------------------------------

static const char *fault_of_part(ken_str part)
{
    if (!part.len)
        return "must not begin or end with '/', nor have two of them in a row";
    if (part.ptr[0] == '.')
        return "must not have a part that begins with '.'";
    if (ken_str_ends(part, KEN_STR(".lock")))
        return "must not have a part that ends in '.lock'";
    return NULL;
}

static const char *fault_of_branch(ken_str name)
{
    static const char refused[] = " ~^:?*[\\";
    ken_str rest = name, part;
    for (size_t i = 0; i < name.len; i++)
        if (memchr(refused, name.ptr[i], sizeof refused - 1))
            return "must not have a space or one of ~ ^ : ? * [ \\";
    if (name.ptr[0] == '-')
        return "must not begin with '-'";
    if (name.ptr[name.len - 1] == '.')
        return "must not end with '.'";
    if (ken_str_find(name, KEN_STR("..")) != SIZE_MAX ||
        ken_str_find(name, KEN_STR("@{")) != SIZE_MAX)
        return "must not have '..' or '@{'";
    if (ken_str_eq_c(name, "@") || ken_str_eq_c(name, "HEAD"))
        return "must be a branch";
    while (ken_str_split_next(&rest, '/', &part))
        if (fault_of_part(part))
            return fault_of_part(part);
    return NULL;
}

ken_status ken_task__check_branch(ken_str name, ken_err *err)
{
    ken_status st = ken_task__check_line("branch", name, 1, KEN_TASK_BRANCH_MAX, err);
    if (st)
        return st;
    if (name.len > KEN_TASK_BRANCH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "branch: must have at most %d bytes, not %zu: '%s'",
                        KEN_TASK_BRANCH_MAX, name.len, show(name).text);
    const char *fault = fault_of_branch(name);
    return fault ? KEN_FAIL(err, KEN_EINVAL, "branch: %s: '%s'", fault, show(name).text) : KEN_OK;
}

// ---- references ------------------------------------------------------------------------------

static bool is_reference_type(ken_str type)
{
    ken_str rest = KEN_STR(KEN_TASK_REFERENCE_TYPES), word;
    while (ken_str_split_next(&rest, ',', &word))
        if (ken_str_eq(ken_str_trim(word), type))
            return true;
    return false;
}

static bool leads_up(ken_str path)
{
    ken_str part;
    while (ken_str_split_next(&path, '/', &part))
        if (ken_str_eq_c(part, ".."))
            return true;
    return false;
}

static ken_status check_reference(const ken_task_reference *r, ken_err *err)
{
    ken_status st = ken_task__check_line("planning_references", r->path, 1, KEN_TASK_PATH_MAX, err);
    if (st)
        return st;
    if (r->path.len > KEN_TASK_PATH_MAX)
        return KEN_FAIL(err, KEN_EINVAL,
                        "planning_references: a path has at most %d bytes, not %zu: '%s'",
                        KEN_TASK_PATH_MAX, r->path.len, show(r->path).text);
    if (leads_up(r->path))
        return KEN_FAIL(err, KEN_EINVAL, "planning_references: a path must not have '..': '%s'",
                        show(r->path).text);
    if (r->type.ptr && !is_reference_type(r->type))
        return KEN_FAIL(err, KEN_EINVAL,
                        "planning_references: reference_type must be one of %s, not '%s'",
                        KEN_TASK_REFERENCE_TYPES, show(r->type).text);
    return KEN_OK;
}

ken_status ken_task__check_references(const ken_task_reference *refs, size_t n, ken_err *err)
{
    if (n > KEN_TASK_REFERENCES_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "planning_references: at most %d, not %zu",
                        KEN_TASK_REFERENCES_MAX, n);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < n; i++)
        st = check_reference(&refs[i], err);
    return st;
}

// ---- what is read ----------------------------------------------------------------------------

ken_status ken_task__parse_id(ken_str text, ken_uuid *out, ken_err *err)
{
    if (ken_uuid_parse(text, out))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "task_id: must be a UUID, like 3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b, not '%s'",
                    show(text).text);
}

static int digit_of(char c)
{
    c = ken_lower(c);
    return ken_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

ken_status ken_task__parse_prefix(ken_str text, ken_uuid *out_first, ken_uuid *out_last,
                                  ken_err *err)
{
    enum {
        DIGITS = 2 * sizeof out_first->bytes
    };
    ken_uuid first = { { 0 } }, last;
    size_t n = 0;
    bool is_prefix = true;
    memset(last.bytes, 0xff, sizeof last.bytes);
    for (size_t i = 0; i < text.len && is_prefix; i++) {
        int digit = digit_of(text.ptr[i]);
        if (text.ptr[i] == '-')
            continue;
        is_prefix = digit >= 0 && n < DIGITS;
        if (!is_prefix)
            break;
        unsigned shift = n % 2 ? 0 : 4;
        first.bytes[n / 2] = (uint8_t)(first.bytes[n / 2] | (unsigned)digit << shift);
        last.bytes[n / 2] = (uint8_t)(last.bytes[n / 2] & ~((15u - (unsigned)digit) << shift));
        n++;
    }
    if (!is_prefix || n < KEN_TASK_PREFIX_MIN)
        return KEN_FAIL(err, KEN_EINVAL,
                        "task_id: must be a UUID or at least its first %d digits, not '%s'",
                        KEN_TASK_PREFIX_MIN, show(text).text);
    *out_first = first;
    *out_last = last;
    return KEN_OK;
}

ken_status ken_task__parse_commit(ken_str text, ken_arena *arena, ken_str *out, ken_err *err)
{
    bool is_hash = text.len >= KEN_TASK_COMMIT_MIN && text.len <= KEN_TASK_COMMIT_DIGITS;
    for (size_t i = 0; is_hash && i < text.len; i++)
        is_hash = ken_hex_digit(text.ptr[i]) >= 0;
    if (!is_hash)
        return KEN_FAIL(err, KEN_EINVAL,
                        "commit: must be %d hexadecimal digits, or at least the first %d, not '%s'",
                        KEN_TASK_COMMIT_DIGITS, KEN_TASK_COMMIT_MIN, show(text).text);
    char *hash = ken_arena_alloc(arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        hash[i] = ken_lower(text.ptr[i]);
    hash[text.len] = '\0';
    *out = ken_str_n(hash, text.len);
    return KEN_OK;
}

ken_status ken_task__parse_time(ken_str text, int64_t *out_ms, ken_err *err)
{
    if (ken_clock_parse_ms(text, out_ms) && *out_ms > 0)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "if_updated_at: must be the updated_at of an answer, like "
                    "2026-11-21T20:15:00.250Z, not '%s'",
                    show(text).text);
}
