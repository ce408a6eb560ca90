// SPDX-License-Identifier: MIT
// SARIF 2.1.0 (OASIS), as code scanning services read it: relative paths, fingerprints that outlive
// a moved line.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "json/json.h"
#include "tool/tool_check_priv.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static json_t *text_json(ken_str text)
{
    json_t *o = json_object();
    ken_json_set_str(o, "text", text);
    return o;
}

// A path as a relative URI.
static ken_str uri_of(ken_arena *arena, ken_str path)
{
    static const char hex[] = "0123456789ABCDEF";
    char *out = ken_arena_alloc(arena, 3 * path.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        bool is_plain = c < 0x80 && (ken_is_word((char)c) || memchr("/.-~", c, 4));
        if (is_plain) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '%';
        out[n++] = hex[c >> 4];
        out[n++] = hex[c & 15];
    }
    return ken_str_n(out, n);
}

static json_t *location_json(ken_arena *arena, ken_str path, uint32_t first_line,
                             uint32_t last_line)
{
    json_t *artifact = json_object(), *region = json_object(), *physical = json_object(),
           *o = json_object();
    ken_json_set_str(artifact, "uri", uri_of(arena, path));
    ken_json_set_str(artifact, "uriBaseId", KEN_STR("%SRCROOT%"));
    ken_json_set_u64(region, "startLine", first_line + 1u);
    ken_json_set_u64(region, "endLine", last_line + 1u);
    ken_json_set(physical, "artifactLocation", artifact);
    ken_json_set(physical, "region", region);
    ken_json_set(o, "physicalLocation", physical);
    return o;
}

static json_t *rule_json(ken_arena *arena, const ken_rule *rule)
{
    json_t *o = json_object(), *config = json_object();
    ken_str where =
        ken_arena_printf(arena, KEN_STR_FMT "\n\nFrom " KEN_STR_FMT ":%" PRIu32 ".",
                         KEN_STR_ARG(rule->text), KEN_STR_ARG(rule->path), rule->first_line + 1);
    ken_json_set_str(o, "id", ken_rule_label(rule, arena));
    ken_json_set_str(o, "name", ken_str_c(ken_rule_check_word(rule->check.kind)));
    ken_json_set(o, "shortDescription", text_json(rule->text));
    ken_json_set(o, "help", text_json(where));
    ken_json_set_str(config, "level", ken_str_c(ken_rule_severity_word(rule->severity)));
    ken_json_set(o, "defaultConfiguration", config);
    return o;
}

// What makes a violation the same one after lines have moved: its rule, file and symbol; without a
// symbol what is said, unless that is a number of lines. Equal ones are counted.
static ken_str fingerprint_of(const ken_tool__check *r, ken_arena *arena, const ken_violation *v,
                              ken_map *seen)
{
    const ken_rule *rule = &r->rules[v->rule];
    ken_str said = v->symbol.len || rule->check.kind == KEN_CHECK_MAX ? v->symbol : v->message;
    ken_str key = ken_arena_printf(arena, KEN_STR_FMT "\n" KEN_STR_FMT "\n" KEN_STR_FMT,
                                   KEN_STR_ARG(ken_rule_label(rule, arena)), KEN_STR_ARG(v->path),
                                   KEN_STR_ARG(said));
    uint64_t *n = ken_map_put(seen, key, 0, NULL);
    return ken_arena_printf(arena, "%016" PRIx64 ":%" PRIu64, ken_hash64(key.ptr, key.len), ++*n);
}

static json_t *result_json(const ken_tool__check *r, ken_arena *arena, const ken_violation *v,
                           ken_map *seen)
{
    const ken_rule *rule = &r->rules[v->rule];
    json_t *o = json_object(), *places = json_array(), *prints = json_object();
    ken_json_set_str(o, "ruleId", ken_rule_label(rule, arena));
    ken_json_set_u64(o, "ruleIndex", v->rule);
    ken_json_set_str(o, "level", ken_str_c(ken_rule_severity_word(rule->severity)));
    ken_str text = ken_arena_printf(arena, KEN_STR_FMT ". Rule: " KEN_STR_FMT,
                                    KEN_STR_ARG(v->message), KEN_STR_ARG(rule->text));
    ken_json_set(o, "message", text_json(text));
    ken_json_append(places, location_json(arena, v->path, v->first_line, v->last_line));
    ken_json_set(o, "locations", places);
    ken_json_set_str(prints, "kenRule/v1", fingerprint_of(r, arena, v, seen));
    ken_json_set(o, "partialFingerprints", prints);
    if (v->example.path.len) {
        json_t *related = json_array(),
               *example = location_json(arena, v->example.path, v->example.line, v->example.line);
        ken_json_set_u64(example, "id", 1);
        ken_json_set(example, "message", text_json(KEN_STR("obeys the rule")));
        ken_json_append(related, example);
        ken_json_set(o, "relatedLocations", related);
    }
    return o;
}

static void add_notification(json_t *notes, ken_str text)
{
    json_t *note = json_object();
    ken_json_set_str(note, "level", KEN_STR("error"));
    ken_json_set(note, "message", text_json(text));
    ken_json_append(notes, note);
}

static json_t *invocation_json(const ken_tool__check *r, ken_arena *arena)
{
    json_t *o = json_object(), *notes = json_array();
    for (size_t i = 0; i < r->n_issues; i++)
        add_notification(notes, r->issues[i]);
    for (size_t i = 0; i < r->n; i++)
        if (!r->found.outcomes[i].is_checked)
            add_notification(notes,
                             ken_arena_printf(arena, KEN_STR_FMT ": " KEN_STR_FMT,
                                              KEN_STR_ARG(ken_rule_label(&r->rules[i], arena)),
                                              KEN_STR_ARG(r->found.outcomes[i].note)));
    ken_json_set_bool(o, "executionSuccessful", !json_array_size(notes));
    ken_json_set(o, "toolConfigurationNotifications", notes);
    return o;
}

static json_t *tool_json(const ken_tool__check *r, ken_arena *arena)
{
    json_t *o = json_object(), *driver = json_object(), *rules = json_array();
    for (size_t i = 0; i < r->n; i++)
        ken_json_append(rules, rule_json(arena, &r->rules[i]));
    ken_json_set_str(driver, "name", KEN_STR("ken"));
    ken_json_set_str(driver, "version", ken_str_c(KEN_VERSION));
    ken_json_set(driver, "rules", rules);
    ken_json_set(o, "driver", driver);
    return o;
}

json_t *ken_tool__sarif_json(const ken_tool__check *r, ken_arena *arena)
{
    json_t *top = json_object(), *runs = json_array(), *run = json_object(),
           *results = json_array(), *invocations = json_array();
    ken_map seen;
    ken_map_init(&seen);
    for (size_t i = 0; i < r->found.n; i++)
        ken_json_append(results, result_json(r, arena, &r->found.violations[i], &seen));
    ken_map_release(&seen);
    ken_json_append(invocations, invocation_json(r, arena));
    ken_json_set(run, "tool", tool_json(r, arena));
    ken_json_set(run, "invocations", invocations);
    ken_json_set(run, "results", results);
    ken_json_append(runs, run);
    ken_json_set_str(top, "$schema", KEN_STR(SCHEMA));
    ken_json_set_str(top, "version", KEN_STR("2.1.0"));
    ken_json_set(top, "runs", runs);
    return top;
}
