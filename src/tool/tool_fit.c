// SPDX-License-Identifier: MIT
#include "base/utf8.h"
#include "tool/tool_priv.h"

enum {
    FIT_NOTE_BYTES = 64,   // for the member names of what is added
    GENERATION_DIGITS = 10 // and that of a generation
};

size_t ken_tool__size(const json_t *result)
{
    json_int_t generation =
        json_integer_value(json_object_get(json_object_get(result, "index"), "generation"));
    size_t n_digits = 0;
    for (json_int_t rest = generation; rest > 0; rest /= 10)
        n_digits++;
    bool is_short = n_digits && n_digits < GENERATION_DIGITS;
    return ken_json_dump_size(result) + (is_short ? GENERATION_DIGITS - n_digits : 0);
}

size_t ken_tool__fit(json_t *result, const char *list, size_t max_bytes, const char *hint)
{
    json_t *items = json_object_get(result, list);
    size_t n = json_array_size(items), total = ken_tool__size(result);
    if (total <= max_bytes)
        return n;
    total += strlen(hint) + FIT_NOTE_BYTES;
    size_t kept = n;
    while (kept > 0 && total > max_bytes) {
        kept--;
        total -= ken_json_dump_size(json_array_get(items, kept)) + 1;
        json_array_remove(items, kept);
    }
    ken_json_set_bool(result, "truncated", true);
    ken_json_set_str(result, "hint", ken_str_c(hint));
    return kept;
}

ken_str ken_tool__clip_lines(ken_str text, size_t max_bytes, bool keeps_end)
{
    if (text.len <= max_bytes)
        return text;
    if (keeps_end) {
        size_t from = text.len - max_bytes;
        while (from < text.len && ((unsigned char)text.ptr[from] & 0xc0) == 0x80)
            from++; // never half a character
        ken_str tail = ken_str_sub(text, from, text.len);
        size_t line = ken_str_find_char(tail, '\n');
        return line == SIZE_MAX ? tail : ken_str_sub(tail, line + 1, tail.len);
    }
    ken_str head = ken_utf8_clip(text, max_bytes);
    size_t line = ken_str_rfind_char(head, '\n');
    return line == SIZE_MAX ? head : ken_str_sub(head, 0, line + 1);
}
