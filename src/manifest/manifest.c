// SPDX-License-Identifier: MIT
// Dependencies: JSON by the parser, the others line by line, which is how people write them. Only what
// a thing is built on at run time counts as a dependency; what is there for development and tests
// is marked.
#include "manifest/manifest.h"

#include "base/path.h"
#include "manifest/manifest_text.h"

enum {
    DEPS_MAX = 2000 // of one manifest
};

typedef struct known_file {
    const char *name; // one that begins with '*' is an ending
    ken_manifest_kind kind;
} known_file;

static const known_file known_files[] = {
    { "package.json", KEN_MANIFEST_NPM }, { "pyproject.toml", KEN_MANIFEST_PYTHON },
    { "setup.py", KEN_MANIFEST_PYTHON },  { "setup.cfg", KEN_MANIFEST_PYTHON },
    { "Pipfile", KEN_MANIFEST_PYTHON },   { "go.mod", KEN_MANIFEST_GO },
    { "Cargo.toml", KEN_MANIFEST_CARGO }, { "pom.xml", KEN_MANIFEST_JVM },
    { "build.gradle", KEN_MANIFEST_JVM }, { "build.gradle.kts", KEN_MANIFEST_JVM },
    { "*.csproj", KEN_MANIFEST_DOTNET },  { "*.fsproj", KEN_MANIFEST_DOTNET },
    { "Gemfile", KEN_MANIFEST_RUBY },     { "composer.json", KEN_MANIFEST_PHP },
    { "mix.exs", KEN_MANIFEST_ELIXIR },
};

ken_manifest_kind ken_manifest_kind_of(ken_str path)
{
    ken_str base = ken_path_base(path);
    for (size_t i = 0; i < sizeof known_files / sizeof *known_files; i++) {
        const char *name = known_files[i].name;
        if (*name == '*' ? ken_str_ends(base, ken_str_c(name + 1)) : ken_str_eq_c(base, name))
            return known_files[i].kind;
    }
    if (ken_str_starts(base, KEN_STR("requirements")) && ken_str_ends(base, KEN_STR(".txt")))
        return KEN_MANIFEST_PYTHON;
    return KEN_MANIFEST_NONE;
}

const ken_manifest_dep *ken_manifest_find(const ken_manifest *m, const char *name)
{
    ken_str want = ken_str_c(name);
    bool is_prefix = ken_str_ends(want, KEN_STR("*"));
    if (is_prefix)
        want.len--;
    for (size_t i = 0; i < m->deps.len; i++)
        if (is_prefix ? ken_str_starts(m->deps.ptr[i].name, want)
                      : ken_str_eq(m->deps.ptr[i].name, want))
            return &m->deps.ptr[i];
    return NULL;
}

void ken_manifest_release(ken_manifest *m)
{
    ken_vec_release(&m->deps);
}

typedef struct reading {
    ken_manifest *m;
    ken_arena *arena;
} reading;

static void add(reading *r, ken_str name, bool is_dev)
{
    if (name.len && r->m->deps.len < DEPS_MAX)
        ken_vec_push(&r->m->deps, ((ken_manifest_dep){ ken_arena_dup(r->arena, name), is_dev }));
}

// Lower case, '_' as '-': how Python compares names.
static void add_folded(reading *r, ken_str name, bool is_dev)
{
    char text[128];
    if (name.len >= sizeof text)
        return;
    for (size_t i = 0; i < name.len; i++)
        text[i] = name.ptr[i] == '_' ? '-' : ken_lower(name.ptr[i]);
    add(r, ken_str_n(text, name.len), is_dev);
}

// ---- small readers -----------------------------------------------------------------------------

static bool is_name_char(char c)
{
    return ken_is_word(c) || c == '-' || c == '.';
}

// The name that a text begins with: "flask>=2.0" -> "flask".
static ken_str leading_name(ken_str s)
{
    size_t n = 0;
    while (n < s.len && is_name_char(s.ptr[n]))
        n++;
    return ken_str_sub(s, 0, n);
}

// Takes the next text in quotes off the front of `rest`.
static bool next_quoted(ken_str *rest, ken_str *out)
{
    for (size_t i = 0; i < rest->len; i++) {
        char q = rest->ptr[i];
        if (q != '"' && q != '\'')
            continue;
        size_t end = ken_str_find_char(ken_str_sub(*rest, i + 1, rest->len), q);
        if (end == SIZE_MAX)
            return false;
        *out = ken_str_sub(*rest, i + 1, i + 1 + end);
        *rest = ken_str_sub(*rest, i + 2 + end, rest->len);
        return true;
    }
    return false;
}

static bool has_part(ken_str text, const char *part)
{
    return ken_str_find(text, ken_str_c(part)) != SIZE_MAX;
}

static ken_str without_comment(ken_str line, char mark)
{
    return ken_str_trim(ken_str_sub(line, 0, ken_str_find_char(line, mark)));
}

// ---- JSON --------------------------------------------------------------------------------------

static void read_members(reading *r, const json_t *root, const char *key, bool is_dev)
{
    json_t *object = json_object_get(root, key), *value;
    const char *name;
    json_object_foreach(object, name, value) // none when it is no object
    {
        add(r, ken_str_c(name), is_dev);
    }
}

static void read_json(reading *r, ken_str text)
{
    json_t *root = ken_manifest_json(text, r->arena);
    bool is_npm = r->m->kind == KEN_MANIFEST_NPM;
    read_members(r, root, is_npm ? "dependencies" : "require", false);
    read_members(r, root, is_npm ? "devDependencies" : "require-dev", true);
    json_decref(root);
}

// ---- TOML and similar formats ------------------------------------------------------------------

typedef enum table_kind {
    TABLE_OTHER = 0,
    TABLE_KEYS,     // each key is a dependency
    TABLE_DEV_KEYS, // for development
} table_kind;

static table_kind table_of(ken_str name)
{
    if (ken_str_eq_c(name, "packages"))
        return TABLE_KEYS;
    if (ken_str_eq_c(name, "dev-packages") || has_part(name, "dev-dependencies") ||
        has_part(name, "build-dependencies") || has_part(name, ".group."))
        return TABLE_DEV_KEYS;
    bool is_list = ken_str_ends(name, KEN_STR("dependencies"));
    return is_list && !has_part(name, "workspace") && !has_part(name, "optional") ? TABLE_KEYS
                                                                                  : TABLE_OTHER;
}

// `[dependencies.serde]` names its dependency in the head.
static void read_head(reading *r, ken_str name)
{
    size_t at = ken_str_find(name, KEN_STR("dependencies."));
    if (at == SIZE_MAX || has_part(name, "workspace"))
        return;
    bool is_dev = at && ken_str_find(ken_str_sub(name, 0, at), KEN_STR("-")) != SIZE_MAX;
    add_folded(r, ken_str_sub(name, at + sizeof "dependencies." - 1, name.len), is_dev);
}

static void read_quoted_names(reading *r, ken_str list)
{
    ken_str text, line;
    while (ken_str_line_next(&list, &line))
        for (line = without_comment(line, '#'); next_quoted(&line, &text);)
            add_folded(r, leading_name(ken_str_trim(text)), false);
}

static void read_toml(reading *r, ken_str text)
{
    ken_manifest_toml t = { .rest = text };
    ken_str head = KEN_STR("");
    while (ken_manifest_toml_next(&t)) {
        table_kind kind = table_of(t.table);
        if (!ken_str_eq(t.table, head))
            read_head(r, t.table);
        head = t.table;
        if (kind != TABLE_OTHER) // `serde.workspace = true`
            add_folded(r, ken_str_sub(t.key, 0, ken_str_find_char(t.key, '.')),
                       kind == TABLE_DEV_KEYS);
        else if (ken_str_eq_c(t.table, "project") && ken_str_eq_c(t.key, "dependencies"))
            read_quoted_names(r, t.value);
    }
}

// setup.cfg: `install_requires =` and the indented lines below it.
static void read_setup_cfg(reading *r, ken_str text)
{
    bool is_options = false, is_in_list = false;
    ken_str raw;
    while (ken_str_line_next(&text, &raw)) {
        ken_str line = without_comment(raw, '#');
        if (!line.len)
            continue;
        if (line.ptr[0] == '[')
            is_options = ken_str_eq_c(line, "[options]");
        bool is_key = ken_str_find_char(line, '=') != SIZE_MAX && !ken_is_space(raw.ptr[0]);
        if (is_key)
            is_in_list = is_options && ken_str_eq_c(leading_name(line), "install_requires");
        else if (is_in_list && ken_is_space(raw.ptr[0]))
            add_folded(r, leading_name(line), false);
    }
}

static void read_requirements(reading *r, ken_str path, ken_str text)
{
    bool is_dev = has_part(path, "dev") || has_part(path, "test") || has_part(path, "doc");
    ken_str line;
    while (ken_str_line_next(&text, &line))
        add_folded(r, leading_name(without_comment(line, '#')), is_dev);
}

static void read_setup_py(reading *r, ken_str text)
{
    size_t at = ken_str_find(text, KEN_STR("install_requires"));
    ken_str rest = ken_str_sub(text, at, text.len);
    size_t end = ken_str_find_char(rest, ']');
    if (at != SIZE_MAX && end != SIZE_MAX)
        read_quoted_names(r, ken_str_sub(rest, 0, end));
}

static void read_go(reading *r, ken_str text)
{
    ken_manifest_go lines = { .rest = text, .directive = "require" };
    ken_str line, name;
    while (ken_manifest_go_next(&lines, &line))
        if (ken_manifest_word_next(&line, "\"`", &name))
            add(r, name, has_part(lines.comment, "indirect"));
}

// ---- XML, Gradle -------------------------------------------------------------------------------

// Takes the text between `open` and `close` off the front.
static bool next_between(ken_str *rest, const char *open, const char *close, ken_str *out)
{
    size_t at = ken_str_find(*rest, ken_str_c(open));
    if (at == SIZE_MAX)
        return false;
    ken_str inner = ken_str_sub(*rest, at + strlen(open), rest->len);
    size_t end = ken_str_find(inner, ken_str_c(close));
    if (end == SIZE_MAX)
        return false;
    *out = ken_str_sub(inner, 0, end);
    *rest = ken_str_sub(inner, end + strlen(close), inner.len);
    return true;
}

static void read_pom_items(reading *r, ken_str text, const char *open, const char *close)
{
    ken_str item, name;
    while (next_between(&text, open, close, &item)) {
        bool is_dev = has_part(item, "<scope>test</scope>");
        if (next_between(&item, "<artifactId>", "</artifactId>", &name))
            add(r, ken_str_trim(name), is_dev);
    }
}

static void read_pom(reading *r, ken_str text)
{
    read_pom_items(r, text, "<dependency>", "</dependency>");
    read_pom_items(r, text, "<parent>", "</parent>");
    read_pom_items(r, text, "<plugin>", "</plugin>");
}

// `libs.ktor.server.core` of a version catalog -> "ktor-server-core".
static void read_catalog_name(reading *r, ken_str line, bool is_dev)
{
    size_t at = ken_str_find(line, KEN_STR("libs."));
    if (at == SIZE_MAX)
        return;
    ken_str name = leading_name(ken_str_sub(line, at + 5, line.len));
    char text[128];
    if (name.len >= sizeof text)
        return;
    for (size_t i = 0; i < name.len; i++)
        text[i] = name.ptr[i] == '.' ? '-' : name.ptr[i];
    add(r, ken_str_n(text, name.len), is_dev);
}

static void read_gradle(reading *r, ken_str text)
{
    ken_str line, quoted;
    while (ken_str_line_next(&text, &line)) {
        line = ken_str_trim(ken_str_sub(line, 0, ken_str_find(line, KEN_STR("//"))));
        bool is_dev = ken_str_starts(line, KEN_STR("test"));
        bool is_dep = is_dev || ken_str_starts(line, KEN_STR("implementation")) ||
                      ken_str_starts(line, KEN_STR("api")) ||
                      ken_str_starts(line, KEN_STR("compile")) ||
                      ken_str_starts(line, KEN_STR("id"));
        if (!is_dep)
            continue;
        read_catalog_name(r, line, is_dev);
        while (next_quoted(&line, &quoted)) { // group:artifact:version
            size_t colon = ken_str_find_char(quoted, ':');
            ken_str name = colon == SIZE_MAX ? quoted : ken_str_sub(quoted, colon + 1, quoted.len);
            if (colon) // not a project of the tree
                add(r, ken_str_sub(name, 0, ken_str_find_char(name, ':')), is_dev);
        }
    }
}

static void read_csproj(reading *r, ken_str text)
{
    ken_str name, rest = text;
    if (next_between(&rest, "Sdk=\"", "\"", &name))
        add(r, name, false);
    static const char *const tags[] = { "<PackageReference", "<FrameworkReference", "<Reference" };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        for (rest = text; ken_manifest_attribute_next(&rest, tags[i], "Include=", &name);)
            add(r, name, false);
}

// ---- Ruby, Elixir ------------------------------------------------------------------------------

static void read_gemfile(reading *r, ken_str text)
{
    bool is_dev = false;
    ken_str line, name;
    while (ken_str_line_next(&text, &line)) {
        line = without_comment(line, '#');
        if (ken_str_starts(line, KEN_STR("group ")))
            is_dev = has_part(line, ":development") || has_part(line, ":test");
        else if (ken_str_eq_c(line, "end"))
            is_dev = false;
        else if (ken_str_starts(line, KEN_STR("gem ")) && next_quoted(&line, &name))
            add(r, name,
                is_dev || has_part(line, ":test") || has_part(line, "path:")); // of this tree
    }
}

static void read_mix(reading *r, ken_str text)
{
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        line = without_comment(line, '#');
        size_t at = ken_str_find(line, KEN_STR("{:"));
        if (at != SIZE_MAX)
            add(r, leading_name(ken_str_sub(line, at + 2, line.len)), has_part(line, "only:"));
    }
}

// ---- one of them -------------------------------------------------------------------------------

static void read_python(reading *r, ken_str path, ken_str text)
{
    ken_str base = ken_path_base(path);
    if (ken_str_ends(base, KEN_STR(".txt")))
        read_requirements(r, base, text);
    else if (ken_str_eq_c(base, "setup.py"))
        read_setup_py(r, text);
    else if (ken_str_eq_c(base, "setup.cfg"))
        read_setup_cfg(r, text);
    else
        read_toml(r, text);
}

void ken_manifest_read(ken_manifest *m, ken_str path, ken_str text, ken_arena *arena)
{
    reading r = { m, arena };
    m->kind = ken_manifest_kind_of(path);
    switch (m->kind) {
    case KEN_MANIFEST_NPM:
    case KEN_MANIFEST_PHP:
        read_json(&r, text);
        break;
    case KEN_MANIFEST_PYTHON:
        read_python(&r, path, text);
        break;
    case KEN_MANIFEST_CARGO:
        read_toml(&r, text);
        break;
    case KEN_MANIFEST_GO:
        read_go(&r, text);
        break;
    case KEN_MANIFEST_JVM:
        if (ken_str_ends(path, KEN_STR(".xml")))
            read_pom(&r, text);
        else
            read_gradle(&r, text);
        break;
    case KEN_MANIFEST_DOTNET:
        read_csproj(&r, text);
        break;
    case KEN_MANIFEST_RUBY:
        read_gemfile(&r, text);
        break;
    case KEN_MANIFEST_ELIXIR:
        read_mix(&r, text);
        break;
    case KEN_MANIFEST_NONE:
        break;
    }
}
