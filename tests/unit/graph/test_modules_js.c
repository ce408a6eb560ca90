// SPDX-License-Identifier: MIT
// What specifiers of JavaScript and TypeScript name: relative paths, tsconfig.json, packages.
#include "graph/graph_modules.h"
#include "ktest.h"
#include "modules_tree.h"

#define OPEN(t, files) modules_open((t), (files), sizeof(files) / sizeof *(files))

KEN_TEST(js_relative_paths_find_extensions_and_folders)
{
    static const modules_file files[] = {
        { "src/a.ts", "", "" },      { "src/b.ts", "", "" },       { "src/b.js", "", "" },
        { "src/b-more.ts", "", "" }, { "src/c.tsx", "", "" },      { "src/d.d.ts", "", "" },
        { "src/d.js", "", "" },      { "src/e/index.ts", "", "" }, { "src/f.mts", "", "" },
        { "src/g.vue", "", "" },     { "src/data.json", "", "" },  { "index.js", "", "" },
        { "src/h.cjs", "", "" },     { "src/style.css", "", "" },  { "src/icon.svg", "", "" },
        { "test/x.js", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "src/a.ts", "./b", "src/b.ts");
    modules_expect(&t, "src/a.ts", "./b.js", "src/b.ts");
    modules_expect(&t, "src/a.ts", "./d.js", "src/d.d.ts src/d.js");
    modules_expect(&t, "src/a.ts", "./c.js", "src/c.tsx");
    modules_expect(&t, "src/a.ts", "./c", "src/c.tsx");
    modules_expect(&t, "src/a.ts", "./d", "src/d.d.ts src/d.js");
    modules_expect(&t, "test/x.js", "../src/d", "src/d.js src/d.d.ts");
    modules_expect(&t, "src/a.ts", "./e", "src/e/index.ts");
    modules_expect(&t, "src/a.ts", "./e/", "src/e/index.ts");
    modules_expect(&t, "src/a.ts", "./f.mjs", "src/f.mts");
    modules_expect(&t, "src/a.ts", "./g.vue", "src/g.vue");
    modules_expect(&t, "src/g.vue", "./a", "src/a.ts");
    modules_expect(&t, "src/a.ts", "./data.json", "src/data.json");
    modules_expect(&t, "src/a.ts", "./h", "src/h.cjs");
    modules_expect(&t, "src/a.ts", "./style.css?inline", "src/style.css");
    modules_expect(&t, "src/a.ts", "raw-loader!./icon.svg", "src/icon.svg");
    modules_expect(&t, "src/a.ts", "..", "index.js");
    modules_expect(&t, "test/x.js", "../", "index.js");
    modules_expect(&t, "src/a.ts", "./nothing", "unknown");
    modules_expect(&t, "src/a.ts", "../../x", "external");
    modules_close(&t);
}

KEN_TEST(js_what_is_no_file_is_external)
{
    static const modules_file files[] = { { "src/a.ts", "", "" } };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "src/a.ts", "node:fs", "external");
    modules_expect(&t, "src/a.ts", "fs", "external");
    modules_expect(&t, "src/a.ts", "react", "external");
    modules_expect(&t, "src/a.ts", "@scope/x/y", "external");
    modules_expect(&t, "src/a.ts", "https://deno.land/x.ts", "external");
    modules_expect(&t, "src/a.ts", "@", "external");
    modules_expect(&t, "src/a.ts", "#x", "unknown");
    modules_expect(&t, "src/a.ts", "!", "unknown");
    modules_close(&t);
}

KEN_TEST(js_tsconfig_paths_and_base)
{
    static const modules_file files[] = {
        { "tsconfig.json",
          "\xef\xbb\xbf{ // a comment\n \"compilerOptions\": { /* and \" one */ \"baseUrl\": \".\",\n"
          "  \"paths\": { \"@app/*\": [\"gen/*\", \"src/app/*\",], \"cfg\": [\"./src/cfg.ts\"],\n"
          "    \"@app/deep/*\": [\"src/deep/*\"], \"out/*\": [\"../../x/*\"], }, }, }",
          "" },
        { "src/main.ts", "", "" },
        { "src/cfg.ts", "", "" },
        { "src/app/user.ts", "", "" },
        { "src/deep/user.ts", "", "" },
        { "src/app/view/index.tsx", "", "" },
        { "libs/tool/tsconfig.json",
          "{\"extends\": \"../../tsconfig\", \"compilerOptions\": {\"target\": \"es2022\"}}", "" },
        { "libs/tool/main.ts", "", "" },
        { "libs/own/tsconfig.json",
          "{\"extends\": [\"../../tsconfig.json\"], \"compilerOptions\": {\"baseUrl\": \"./in\", "
          "\"paths\": {\"~*\": [\"*\"]}}}",
          "" },
        { "libs/own/main.ts", "", "" },
        { "libs/own/in/x.ts", "", "" },
        { "libs/old/jsconfig.json", "{\"compilerOptions\":{\"paths\":{\"@/*\":[\"./lib/*\"]}}}",
          "" },
        { "libs/old/main.js", "", "" },
        { "libs/old/lib/y.js", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "src/main.ts", "@app/user", "src/app/user.ts");
    modules_expect(&t, "src/main.ts", "@app/view", "src/app/view/index.tsx");
    modules_expect(&t, "src/main.ts", "@app/deep/user", "src/deep/user.ts");
    modules_expect(&t, "src/main.ts", "@app/none", "unknown");
    modules_expect(&t, "src/main.ts", "cfg", "src/cfg.ts");
    modules_expect(&t, "src/main.ts", "out/x", "unknown");
    modules_expect(&t, "src/main.ts", "src/app/user", "src/app/user.ts");
    modules_expect(&t, "src/main.ts", "@app/../../../x", "unknown");
    modules_expect(&t, "libs/tool/main.ts", "@app/user", "src/app/user.ts");
    modules_expect(&t, "libs/own/main.ts", "~x", "libs/own/in/x.ts");
    modules_expect(&t, "libs/own/main.ts", "x", "libs/own/in/x.ts");
    modules_expect(&t, "libs/own/main.ts", "@app/user", "external");
    modules_expect(&t, "libs/old/main.js", "@/y", "libs/old/lib/y.js");
    unsigned n = t.n_read;
    modules_expect(&t, "src/app/user.ts", "cfg", "src/cfg.ts");
    kt_eq_u(t.n_read, n); // the configuration is known
    modules_close(&t);
}

KEN_TEST(js_tsconfig_speaks_through_references)
{
    static const modules_file files[] = {
        { "tsconfig.json",
          "{\"files\": [], \"references\": [{\"path\": \"./tsconfig.node.json\"}, "
          "{\"path\": \"./tsconfig.app.json\"}]}",
          "" },
        { "tsconfig.node.json", "{\"include\": [\"vite.config.ts\"]}", "" },
        { "tsconfig.app.json",
          "{\"compilerOptions\": {\"paths\": {\"~src/*\": [\"${configDir}/src/*\"]}}}", "" },
        { "src/a.ts", "", "" },
        { "src/b.ts", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "src/a.ts", "~src/b", "src/b.ts");
    modules_close(&t);
}

KEN_TEST(js_bad_configurations_do_no_harm)
{
    static const modules_file files[] = {
        { "a/tsconfig.json", "{\"extends\": \"../b/tsconfig.json\"}", "" },
        { "a/x.ts", "", "" },
        { "b/tsconfig.json",
          "{\"extends\": [\"../a/tsconfig.json\", \"../b/tsconfig.json\", 7, "
          "\"/etc/x\", \"\", \"../../y\"]}",
          "" },
        { "b/x.ts", "", "" },
        { "c/tsconfig.json", "{\"compilerOptions\": {\"paths\": [1], \"baseUrl\": \"../../..\"}}",
          "" },
        { "c/x.ts", "", "" },
        { "d/tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"y\": 3, \"z\": [4, \"\"]}}",
          "" },
        { "d/x.ts", "", "" },
        { "e/tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"y\": 3, \"z\": [4, \"\"]}}}",
          "" },
        { "e/x.ts", "", "" },
        { "f/tsconfig.json", "/* never closed", "" },
        { "f/x.ts", "", "" },
        { "g/tsconfig.json", "\"text\" // x", "" },
        { "g/x.ts", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "a/x.ts", "y", "external");
    modules_expect(&t, "b/x.ts", "y", "external");
    modules_expect(&t, "c/x.ts", "y", "external");
    modules_expect(&t, "d/x.ts", "y", "external");
    modules_expect(&t, "e/x.ts", "y", "unknown");
    modules_expect(&t, "e/x.ts", "z", "unknown");
    modules_expect(&t, "f/x.ts", "./x", "f/x.ts");
    modules_expect(&t, "f/x.ts", "y", "external");
    modules_expect(&t, "g/x.ts", "y", "external");
    modules_close(&t);
}

KEN_TEST(js_workspaces_name_packages_of_the_tree)
{
    static const modules_file files[] = {
        { "package.json",
          "{\"name\": \"root\", \"workspaces\": [\"packages/*\", \"!packages/no\"]}", "" },
        { "packages/core/package.json",
          "{\"name\": \"@x/core\", \"main\": \"dist/index.js\", \"types\": \"dist/index.d.ts\"}",
          "" },
        { "packages/core/src/index.ts", "", "" },
        { "packages/core/src/deep/tool.ts", "", "" },
        { "packages/ui/package.json",
          "{\"name\": \"@x/ui\", \"imports\": {\"#in/*\": \"./dist/in/*.js\", \"#fs\": \"node-fs\"},"
          " \"exports\": {\".\": {\"types\": \"./dist/index.d.ts\", \"import\": "
          "{\"default\": \"./dist/esm/index.mjs\"}}, \"./part/*\": \"./dist/part/*.cjs.js\", "
          "\"./hidden\": null, \"./raw\": {\"@x/source\": \"./lib/raw.ts\", \"default\": "
          "\"./dist/never.js\"}}}",
          "" },
        { "packages/ui/src/index.tsx", "", "" },
        { "packages/ui/src/part/button.tsx", "", "" },
        { "packages/ui/src/in/own.ts", "", "" },
        { "packages/ui/lib/raw.ts", "", "" },
        { "packages/no/package.json", "{\"name\": \"no\"}", "" },
        { "packages/no/index.js", "", "" },
        { "fixtures/lodash/package.json", "{\"name\": \"lodash\"}", "" },
        { "fixtures/lodash/index.js", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "packages/ui/src/index.tsx", "@x/core", "packages/core/src/index.ts");
    modules_expect(&t, "packages/ui/src/index.tsx", "@x/core/dist/deep/tool",
                   "guess packages/core/src/deep/tool.ts");
    modules_expect(&t, "packages/ui/src/index.tsx", "@x/core/src/deep/tool",
                   "packages/core/src/deep/tool.ts");
    modules_expect(&t, "packages/ui/src/index.tsx", "@x/core/none", "unknown");
    modules_expect(&t, "packages/core/src/index.ts", "@x/ui", "packages/ui/src/index.tsx");
    modules_expect(&t, "packages/core/src/index.ts", "@x/ui/part/button",
                   "packages/ui/src/part/button.tsx");
    modules_expect(&t, "packages/core/src/index.ts", "@x/ui/raw", "packages/ui/lib/raw.ts");
    modules_expect(&t, "packages/core/src/index.ts", "@x/ui/hidden", "unknown");
    modules_expect(&t, "packages/ui/src/index.tsx", "@x/ui", "packages/ui/src/index.tsx");
    modules_expect(&t, "packages/ui/src/part/button.tsx", "#in/own", "packages/ui/src/in/own.ts");
    modules_expect(&t, "packages/ui/src/part/button.tsx", "#fs", "unknown");
    modules_expect(&t, "packages/core/src/index.ts", "no", "external");
    modules_expect(&t, "packages/core/src/index.ts", "lodash", "external");
    modules_close(&t);
}

KEN_TEST(js_packages_without_a_workspace)
{
    static const modules_file files[] = {
        { "package.json", "{\"name\": \"me\", \"version\": \"1.0.0\"}", "" },
        { "index.js", "", "" },
        { "lib/tool.js", "", "" },
        { "examples/one/package.json",
          "{\"name\": \"one\", \"dependencies\": {\"me\": \"^1\", "
          "\"two\": \"file:../two\", \"three\": \"1\"}}",
          "" },
        { "examples/one/main.js", "", "" },
        { "examples/two/package.json", "{\"name\": \"two\", \"main\": \"./lib\"}", "" },
        { "examples/two/lib/index.js", "", "" },
        { "examples/three/package.json", "{\"name\": \"three\"}", "" },
        { "examples/three/index.js", "", "" },
        { "nested/package.json", "{\"main\": \"../lib/tool.js\"}", "" },
        { "nested/module/package.json", "{\"main\": \"x.js\"", "" },
        { "nested/module/x.js", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "examples/one/main.js", "../..", "index.js");
    modules_expect(&t, "examples/one/main.js", "me", "index.js");
    modules_expect(&t, "examples/one/main.js", "me/lib/tool", "lib/tool.js");
    modules_expect(&t, "examples/one/main.js", "two", "examples/two/lib/index.js");
    modules_expect(&t, "examples/one/main.js", "../two", "examples/two/lib/index.js");
    modules_expect(&t, "examples/one/main.js", "three", "external");
    modules_expect(&t, "index.js", "two", "external");
    modules_expect(&t, "index.js", "./nested", "unknown");
    modules_expect(&t, "index.js", "./nested/module", "unknown");
    modules_close(&t);
}

KEN_TEST(js_pnpm_and_lerna_workspaces)
{
    static const modules_file files[] = {
        { "package.json", "{\"name\": \"r\"}", "" },
        { "pnpm-workspace.yaml",
          "# all\npackages:\n  - 'pkg/**' # deep\n  - \"!**/no/**\"\n  -  ./app\ncatalog:\n  - other\n",
          "" },
        { "app/package.json", "{\"name\": \"app\"}", "" },
        { "app/index.ts", "", "" },
        { "pkg/a/b/package.json", "{\"name\": \"b\", \"source\": \"main.ts\"}", "" },
        { "pkg/a/b/main.ts", "", "" },
        { "pkg/no/c/package.json", "{\"name\": \"c\"}", "" },
        { "pkg/no/c/index.ts", "", "" },
        { "other/package.json", "{\"name\": \"other\"}", "" },
        { "other/index.ts", "", "" },
        { "sub/package.json", "{\"name\": \"s\"}", "" },
        { "sub/lerna.json", "{\"packages\": [\"p/*\"]}", "" },
        { "sub/p/d/package.json", "{\"name\": \"d\"}", "" },
        { "sub/p/d/src/index.ts", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "app/index.ts", "b", "pkg/a/b/main.ts");
    modules_expect(&t, "app/index.ts", "c", "external");
    modules_expect(&t, "app/index.ts", "other", "external");
    modules_expect(&t, "other/index.ts", "app", "app/index.ts");
    modules_expect(&t, "other/index.ts", "d", "guess sub/p/d/src/index.ts");
    modules_close(&t);
}

KEN_TEST(js_aliases_of_build_tools_are_guesses)
{
    static const modules_file files[] = {
        { "web/package.json", "{}", "" }, { "web/src/a.vue", "", "" },
        { "web/src/lib/b.ts", "", "" },   { "web/src/views/c.vue", "", "" },
        { "web/public/d.js", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "web/src/views/c.vue", "@/a.vue", "guess web/src/a.vue");
    modules_expect(&t, "web/src/views/c.vue", "$lib/b", "guess web/src/lib/b.ts");
    modules_expect(&t, "web/src/views/c.vue", "~/lib/b", "guess web/src/lib/b.ts");
    modules_expect(&t, "web/src/views/c.vue", "/d.js", "guess web/public/d.js");
    modules_expect(&t, "web/src/views/c.vue", "@/none", "external");
    modules_close(&t);
}

KEN_TEST(js_hostile_packages_do_no_harm)
{
    static const modules_file files[] = {
        { "package.json",
          "{\"name\": \"r\", \"workspaces\": {\"packages\": [3, \"\", \"!\", "
          "\"../../**\", \"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}\", "
          "\"**/**/**/**/**/**/x\", \"p\"]}}",
          "" },
        { "p/package.json",
          "{\"name\": \"p\", \"main\": \"../../../etc/passwd\", \"exports\": "
          "{\"./a\": \"./../../x\", \"./b\": [[[[[[[[[[[[\"./c.js\"]]]]]]]]]]]], "
          "\"./*\": \"./*/*\", \"\": \"\"}}",
          "" },
        { "p/c.js", "", "" },
        { "x.js", "", "" },
        { "q/package.json", "[]", "" },
        { "q/y.js", "", "" },
        { "s/package.json", "{\"name\": \"\\u0070\", \"imports\": \"#x\"}", "" },
        { "s/y.js", "", "" },
    };
    modules_tree t;
    OPEN(&t, files);
    modules_expect(&t, "x.js", "p", "unknown");
    modules_expect(&t, "x.js", "p/a", "unknown");
    modules_expect(&t, "x.js", "p/b", "unknown");
    modules_expect(&t, "x.js", "p/../../x", "unknown");
    modules_expect(&t, "q/y.js", "#x", "unknown");
    modules_expect(&t, "s/y.js", "#x", "unknown");
    modules_close(&t);
}
