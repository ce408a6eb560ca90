// SPDX-License-Identifier: MIT
// From what a caller sent to what a tool reads: nulls dropped, strings trimmed, other names resolved, a
// single value made a list where a list is wanted, then the check against the schema; and from there
// into the tool's struct, with the defaults of the specification.
#include "base/path.h"
#include "base/utf8.h"
#include "tool/tool_priv.h"

static json_t *trimmed(const json_t *v)
{
    if (json_is_string(v))
        return ken_json_str(ken_str_trim(ken_json_text(v)));
    if (!json_is_array(v))
        return json_incref((json_t *)(uintptr_t)v);
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(v); i++)
        ken_json_append(list, trimmed(json_array_get(v, i)));
    return list;
}

static bool has_type(const json_t *schema, const char *name, const char *word)
{
    const json_t *props = json_object_get(schema, "properties");
    const json_t *type = json_object_get(json_object_get(props, name), "type");
    return json_is_string(type) && !strcmp(json_string_value(type), word);
}

// Some clients send 5.0 for 5.
static json_t *whole_number(json_t *v)
{
    double d = json_real_value(v);
    if (!json_is_real(v) || d < -9e15 || d > 9e15 || d > (double)(json_int_t)d ||
        d < (double)(json_int_t)d)
        return v;
    json_decref(v);
    return json_integer((json_int_t)d);
}

static const char *own_name(const ken_tool_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->n_aliases; i++)
        if (!strcmp(spec->aliases[i].name, key))
            return spec->aliases[i].leads_to;
    return key;
}

ken_str ken_tool_named_project(const ken_tool_spec *spec, const json_t *args)
{
    const char *name;
    json_t *value;
    ken_str project = { spec->is_of_project ? "" : NULL, 0 };
    if (!spec->project_arg)
        return project;
    json_object_foreach((json_t *)(uintptr_t)args, name, value)
    {
        if (json_is_string(value) && !strcmp(own_name(spec, name), spec->project_arg))
            project = ken_str_trim(ken_json_text(value));
    }
    bool is_several = ken_str_eq_c(project, "*") ||
                      (spec->takes_several && ken_str_find_char(project, ',') != SIZE_MAX);
    return is_several ? (ken_str){ NULL, 0 } : project;
}

// Puts one argument under its own name; two names of one argument must agree.
static ken_status put_arg(const ken_tool_spec *spec, const json_t *schema, const char *key,
                          const json_t *value, json_t *ready, ken_err *err)
{
    const char *name = own_name(spec, key);
    json_t *v = trimmed(value);
    if (has_type(schema, name, "integer"))
        v = whole_number(v);
    if (has_type(schema, name, "array") && !json_is_array(v)) {
        json_t *list = json_array();
        ken_json_append(list, v);
        v = list;
    }
    const json_t *there = json_object_get(ready, name);
    if (there && !json_equal(there, v)) {
        json_decref(v);
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.%s and another name for it hold different values; "
                        "give one of them",
                        name);
    }
    ken_json_set(ready, name, v);
    return KEN_OK;
}

// A folder of the project, without "..": one that leads out is refused by name, not taken for an empty folder.
static ken_status clean_directory(json_t *args, ken_err *err)
{
    ken_arena arena;
    ken_str text = ken_json_text(json_object_get(args, "directory"));
    ken_status st = KEN_OK;
    if (!text.len)
        return KEN_OK;
    ken_arena_init(&arena, 4096);
    ken_str clean = ken_path_normalise(&arena, text);
    if (clean.ptr)
        ken_json_set_str(args, "directory", clean);
    else
        st = KEN_FAIL(err, KEN_EINVAL,
                      "args.directory: '" KEN_STR_FMT "' leads out of the project; name a folder "
                      "below its root",
                      KEN_STR_ARG(ken_utf8_clip(text, 100)));
    ken_arena_release(&arena);
    return st;
}

ken_status ken_tool__prepare_args(const ken_tool_spec *spec, const json_t *schema,
                                  const json_t *args, json_t **out, ken_err *err)
{
    if (args && !json_is_object(args))
        return KEN_FAIL(err, KEN_EINVAL, "arguments must be an object");
    ken_status st = KEN_OK;
    json_t *ready = json_object();
    json_t *in = (json_t *)(uintptr_t)args; // iterating does not change it
    for (void *it = json_object_iter(in); it && !st; it = json_object_iter_next(in, it)) {
        const json_t *v = json_object_iter_value(it);
        if (!json_is_null(v))
            st = put_arg(spec, schema, json_object_iter_key(it), v, ready, err);
    }
    if (!st)
        st = ken_json_check(schema, ready, "args", err);
    if (!st)
        st = clean_directory(ready, err);
    if (st) {
        json_decref(ready);
        return st;
    }
    *out = ready;
    return KEN_OK;
}

// ---- into the struct ---------------------------------------------------------------------------

static void put_member(const ken_tool_arg *a, const json_t *v, char *at)
{
    switch (a->type) {
    case KEN_ARG_STR:
        *(ken_str *)(void *)at = v                  ? ken_json_text(v)
                                 : a->fallback.text ? ken_str_c(a->fallback.text)
                                                    : (ken_str){ NULL, 0 };
        break;
    case KEN_ARG_U64:
        *(uint64_t *)(void *)at =
            v ? (uint64_t)json_integer_value(v) : (uint64_t)a->fallback.number;
        break;
    case KEN_ARG_REAL:
        *(double *)(void *)at = v ? json_number_value(v) : a->fallback.number;
        break;
    case KEN_ARG_BOOL:
        *(bool *)(void *)at = v ? json_is_true(v) : a->fallback.number != 0;
        break;
    case KEN_ARG_JSON:
    default:
        *(const json_t **)(void *)at = v;
        break;
    }
}

void ken_tool__read_args(const ken_tool_spec *spec, const json_t *given, void *out)
{
    memset(out, 0, spec->args_size);
    for (size_t i = 0; i < spec->n_args; i++) {
        const ken_tool_arg *a = &spec->args[i];
        const json_t *v = json_object_get(given, a->name);
        put_member(a, v, (char *)out + a->offset);
        if (a->given_offset != SIZE_MAX)
            *(bool *)(void *)((char *)out + a->given_offset) = v != NULL;
    }
}
