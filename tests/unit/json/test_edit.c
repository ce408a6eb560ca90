// SPDX-License-Identifier: MIT
#include "json/json.h"
#include "json/json_edit.h"
#include "ktest.h"

static const char *const path[] = { "mcpServers", "ken" };

static json_t *entry(void)
{
    json_t *o = json_object(), *args = json_array();
    ken_json_append(args, ken_json_str(KEN_STR("mcp")));
    ken_json_set_str(o, "command", KEN_STR("ken"));
    ken_json_set(o, "args", args);
    return o;
}

static void set_gives(const char *before, const char *after)
{
    ken_buf out = KEN_BUF_INIT(0);
    ken_err err = { 0 };
    json_t *value = entry();
    kt_ok_err(ken_json_edit_set(ken_str_c(before), path, 2, value, &out, &err), &err);
    kt_eq_text(ken_buf_str(&out), after);
    json_decref(value);
    ken_buf_release(&out);
}

static void remove_gives(const char *before, const char *after)
{
    ken_buf out = KEN_BUF_INIT(0);
    ken_err err = { 0 };
    bool was_there = false;
    kt_ok_err(ken_json_edit_remove(ken_str_c(before), path, 2, &out, &was_there, &err), &err);
    kt_eq_text(ken_buf_str(&out), after);
    kt_eq_u(was_there, strcmp(before, after) != 0);
    ken_buf_release(&out);
}

static void refuses(const char *text, const char *part)
{
    ken_buf out = KEN_BUF_INIT(0);
    ken_err err = { 0 };
    json_t *value = entry();
    kt_status(ken_json_edit_set(ken_str_c(text), path, 2, value, &out, &err), KEN_EINVAL);
    kt_has_str(err.msg, part);
    kt_eq_u(out.len, 0);
    json_decref(value);
    ken_buf_release(&out);
}

#define OURS                        \
    "\"ken\": {\n"                  \
    "      \"command\": \"ken\",\n" \
    "      \"args\": [\n"           \
    "        \"mcp\"\n"             \
    "      ]\n"                     \
    "    }"

KEN_TEST(missing_objects_are_made)
{
    const char *whole = "{\n  \"mcpServers\": {\n    " OURS "\n  }\n}\n";
    set_gives("", whole);
    set_gives("{}\n", whole);
    set_gives("{\n}\n", whole);
    set_gives("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"mcpServers\": {\n    " OURS "\n  }\n}\n");
}

KEN_TEST(neighbours_and_comments_stay)
{
    set_gives("// mine\n{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"x\"} // ours\n  },\n"
              "  /* end */ \"b\": [1, 2,],\n}\n",
              "// mine\n{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"x\"}, // ours\n    " OURS
              "\n  },\n  /* end */ \"b\": [1, 2,],\n}\n");
    set_gives("{\n  \"mcpServers\": {\n    \"x\": 1, // ours\n  },\n}\n",
              "{\n  \"mcpServers\": {\n    \"x\": 1, // ours\n    " OURS ",\n  },\n}\n");
}

KEN_TEST(indentation_is_that_of_the_file)
{
    set_gives("{\n\t\"mcpServers\": {\n\t\t\"x\": 1\n\t}\n}",
              "{\n\t\"mcpServers\": {\n\t\t\"x\": 1,\n\t\t\"ken\": {\n\t\t\t\"command\": \"ken\",\n"
              "\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t}\n}");
    set_gives("{\"mcpServers\":{}}", "{\"mcpServers\":{\n  \"ken\": {\n    \"command\": \"ken\",\n"
                                     "    \"args\": [\n      \"mcp\"\n    ]\n  }\n}}");
}

KEN_TEST(an_old_entry_is_replaced)
{
    set_gives("{\n  \"mcpServers\": {\n    \"ken\": {\"old\": [\"}\", \"\\\"\"]}, // here\n"
              "    \"y\": 1\n  }\n}\n",
              "{\n  \"mcpServers\": {\n    " OURS ", // here\n    \"y\": 1\n  }\n}\n");
}

KEN_TEST(an_entry_is_removed)
{
    remove_gives("{\n  \"mcpServers\": {\n    \"ken\": {},\n    \"y\": 1\n  }\n}\n",
                 "{\n  \"mcpServers\": {\n    \"y\": 1\n  }\n}\n");
    remove_gives("{\n  \"mcpServers\": {\n    \"y\": 1, // y\n    \"ken\": {}\n  }\n}\n",
                 "{\n  \"mcpServers\": {\n    \"y\": 1 // y\n  }\n}\n");
    remove_gives("{\"mcpServers\": {\"y\": 1, \"ken\": {}, \"z\": 2}}",
                 "{\"mcpServers\": {\"y\": 1, \"z\": 2}}");
    remove_gives("{\"mcpServers\": {\"y\": 1, \"ken\": {}}}", "{\"mcpServers\": {\"y\": 1}}");
    remove_gives("{\"mcpServers\": {\"ken\": {}}}", "{\"mcpServers\": {}}");
    remove_gives("{\"mcpServers\": {}}", "{\"mcpServers\": {}}");
    remove_gives("", "");
}

KEN_TEST(what_is_put_in_is_taken_out_again)
{
    static const char *const texts[] = { "{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}\n",
                                         "{\n  \"mcpServers\": {\n    \"x\": 1, // c\n  },\n}\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ken_buf with = KEN_BUF_INIT(0);
        ken_err err = { 0 };
        json_t *value = entry();
        kt_ok_err(ken_json_edit_set(ken_str_c(texts[i]), path, 2, value, &with, &err), &err);
        remove_gives(with.ptr, texts[i]);
        json_decref(value);
        ken_buf_release(&with);
    }
}

KEN_TEST(what_is_no_json_is_refused_with_its_place)
{
    refuses("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: not valid JSON: ',' or '}'");
    refuses("{\"a\": }", "a value");
    refuses("{\"a\": 1} x", "the end");
    refuses("{ /* open ", "an end of the comment");
    refuses("[]", "an object");
    refuses("{\"mcpServers\": null}", "line 1, column 16: not valid JSON: an object");
    refuses("{\"a\": \"", "a value");
}

KEN_TEST(depth_is_bounded)
{
    ken_buf deep = KEN_BUF_INIT(0), out = KEN_BUF_INIT(0);
    ken_err err = { 0 };
    bool was_there = false;
    ken_buf_puts(&deep, "{\"a\":");
    for (int i = 0; i < 100000; i++)
        ken_buf_putc(&deep, '[');
    kt_status(ken_json_edit_remove(ken_buf_str(&deep), path, 2, &out, &was_there, &err),
              KEN_ELIMIT);
    ken_buf_release(&deep);
    ken_buf_release(&out);
}
