// SPDX-License-Identifier: MIT
// JavaScript and TypeScript: modules of both kinds, objects and types without a name, prototypes.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app.js", "var app = exports = module.exports = {};\n"
                "app.start = function start(port) {\n"
                "  this.log(port);\n"
                "  return this;\n"
                "};\n"
                "app.log = function log() {};\n" },
    { "index.js", "module.exports = require('./lib');\n" },
    { "lib.js", "exports = module.exports = create;\n"
                "var app = require('./app');\n"
                "var View = require('./view').View;\n"
                "function create() {\n"
                "  app.start(1);\n"
                "  return new View('x').render();\n"
                "}\n"
                "exports.View = View;\n"
                "exports.close = function close() {\n"
                "  return close;\n"
                "};\n"
                "exports.close();\n" },
    { "list.ts", "class Item { name = ''; go() { return new Other(); } }\n"
                 "class Other { stop() {} go() {} }\n"
                 "function use(items: Item[], p: Promise<Item>, o: Option<Item>) {\n"
                 "  items.map(x => x.go());\n"
                 "  items.filter((it, i) => it.name).sort((a, b) => a.go() > b.go() ? 1 : 0);\n"
                 "  p.then(v => v.go().stop());\n"
                 "  items.reduce((sum, it) => sum + it.name, '');\n"
                 "  items.find(({ name }) => name).go();\n"
                 "  items.visit(x => x.go());\n"
                 "  run(x => x.go());\n"
                 "}\n" },
    { "names.ts", "import { Shape as S, area } from './reexport';\n"
                  "import * as all from './reexport';\n"
                  "export function run(s: S, u: all.Both) {\n"
                  "  const { size, color: c } = s;\n"
                  "  area(s, size, c);\n"
                  "  all.area(s, 1, '');\n"
                  "  u.value.toFixed();\n"
                  "  u.left + u.name;\n"
                  "  s.nested.depth;\n"
                  "  const t: S = { size: 1, color: '', nested: { depth: 2 } };\n"
                  "  const made = { area: 1, inner: { deep: t } };\n"
                  "  made.area + made.inner.deep.size;\n"
                  "  const make = () => ({ one: t });\n"
                  "  make().one.color;\n"
                  "  call({ size: 1 });\n"
                  "  toFixed();\n"
                  "  $kept.size;\n"
                  "}\n"
                  "const $kept: S = make();\n" },
    { "reexport.ts", "export * from './shape';\n"
                     "export { area } from './shape';\n" },
    { "shape.ts", "export interface Shape {\n"
                  "  size: number;\n"
                  "  color: string;\n"
                  "  nested: { depth: number };\n"
                  "}\n"
                  "export function area(s: Shape, n: number, c: string) { return s.size; }\n"
                  "type Left = { left: number; value: number };\n"
                  "type Right = { right: number; value: number };\n"
                  "export type Both = (Left | Right) & { name: string };\n" },
    { "use.js", "const lib = require('./index');\n"
                "const { View } = require('./view');\n"
                "lib();\n"
                "lib.close();\n"
                "new View().render();\n"
                "View.render();\n"
                "describe('render', () => {\n"
                "  render();\n"
                "});\n" },
    { "view.js", "function View(name) { this.name = name; }\n"
                 "View.prototype.render = function render() {\n"
                 "  return this.name;\n"
                 "};\n"
                 "module.exports = { View, other: View };\n" },
};

KEN_TEST(js_a_module_may_be_one_thing_and_export_names)
{
    EXPECT("use.js:1 lib", "lib.js:4 create imported");
    EXPECT("use.js:3 lib", "lib.js:4 create imported");
    EXPECT("use.js:4 close", "lib.js:9 close imported");
    EXPECT("use.js:2 View", "view.js:1 View imported");
    EXPECT("lib.js:6 View", "view.js:1 View imported");
    EXPECT("lib.js:8 View", "view.js:1 View imported");
    EXPECT("lib.js:12 close", "lib.js:9 close imported");
}

KEN_TEST(js_members_come_by_assignment)
{
    EXPECT("lib.js:5 start", "app.js:2 start imported");
    EXPECT("use.js:5 render", "view.js:2 render imported");
    EXPECT("view.js:3 name", "view.js:1 name exact");
}

KEN_TEST(js_keys_exports_and_tests_have_no_bare_name)
{
    EXPECT("use.js:8 render", "external");
}

KEN_TEST(ts_members_are_found_through_exports_patterns_and_alternatives)
{
    EXPECT("names.ts:1 Shape", "no reference");
    EXPECT("names.ts:4 size", "shape.ts:2 size imported");
    EXPECT("names.ts:4 color", "shape.ts:3 color imported");
    EXPECT("names.ts:17 size", "shape.ts:2 size imported");
    EXPECT("names.ts:6 area", "shape.ts:6 area imported");
    EXPECT("names.ts:7 value", "shape.ts:7 value imported, shape.ts:8 value imported");
    EXPECT("names.ts:8 left", "shape.ts:7 left imported");
    EXPECT("names.ts:8 name", "shape.ts:9 name imported");
    EXPECT("names.ts:9 depth", "shape.ts:4 depth imported");
}

KEN_TEST(ts_functions_that_lists_are_given_take_their_items)
{
    EXPECT("list.ts:4 go", "list.ts:1 go scoped");
    EXPECT("list.ts:5 name", "list.ts:1 name scoped");
    EXPECT("list.ts:5 go", "list.ts:1 go scoped");
    EXPECT("list.ts:6 go", "list.ts:1 go scoped");
    EXPECT("list.ts:6 stop", "list.ts:2 stop scoped");
    EXPECT("list.ts:7 name", "list.ts:1 name scoped");
    EXPECT("list.ts:8 name", "list.ts:1 name scoped");
    EXPECT("list.ts:8 go", "list.ts:1 go scoped");
    EXPECT("list.ts:9 go", "unresolved"); // nobody knows what visit gives
    EXPECT("list.ts:10 go", "unresolved");
}

KEN_TEST(ts_keys_are_members_of_what_is_expected)
{
    EXPECT("names.ts:10 size", "shape.ts:2 size imported");
    EXPECT("names.ts:10 depth", "shape.ts:4 depth imported");
    EXPECT("names.ts:12 area", "names.ts:11 area exact");
    EXPECT("names.ts:12 deep", "names.ts:11 deep exact");
    EXPECT("names.ts:12 size", "shape.ts:2 size imported");
    EXPECT("names.ts:14 color", "shape.ts:3 color imported");
    EXPECT("names.ts:15 size", "unresolved"); // nobody knows what call takes
    EXPECT("names.ts:7 toFixed", "external");
    EXPECT("names.ts:16 toFixed", "external");
}

static const graph_lab_file passed_on[] = {
    { "a.js", "exports.help = function () {}\n" },
    { "b.js", "const { help } = require('./a')\nexports.help = help\n" },
    { "c.js", "const b = require('./b')\nb.help()\n" },
};

// What a module passes on is one thing, whatever it is called on the way.
KEN_TEST(js_what_is_imported_and_exported_is_one)
{
    static const char *const edges[][2] = {
        { "c.js:2 help", "a.js:1 help imported" },
    };
    graph_lab_check(passed_on, sizeof passed_on / sizeof *passed_on, edges,
                    sizeof edges / sizeof *edges);
}
