// SPDX-License-Identifier: MIT
// TypeScript: what is expected of arguments, type parameters, objects that take others in.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "given.ts", "import { on, Options, Emitter, make, Client } from './types';\n"
                  "on({ name: 'a', nested: { depth: 1 } }, (event) => event.kind);\n"
                  "on({ name: 'a' }, ({ kind, options: { list } }) => kind + list);\n"
                  "new Client({ name: 'b' });\n"
                  "const emitter = new Emitter<Options>();\n"
                  "emitter.each((item) => item.name);\n"
                  "emitter.each(function (item) { return item.nested; });\n"
                  "const client: Client = make('x', (self, options) => self.start(options.list));\n"
                  "unknown({ name: 'c' }, (event) => event.kind);\n"
                  "on({ items: [{ depth: 2 }] });\n" },
    { "objects.ts",
      "import { Client, Options } from './types';\n"
      "function base() { return { url: '', close() {} }; }\n"
      "function more(c: Client) { return { ...base(), client: c }; }\n"
      "async function run(c: Client) {\n"
      "  const it = more(c);\n"
      "  it.url; it.close(); it.client.start;\n"
      "  await using held = more(c);\n"
      "  held.url;\n"
      "}\n"
      "const handler: (o: Options) => void = (o) => { o.name; };\n"
      "let later: { run: (o: Options) => void };\n"
      "later.run = (o) => o.list;\n"
      "const some: Pick<Options, 'name'> = { name: 'x' };\n"
      "async function load(): Promise<Options> { return { name: '', list: [] }; }\n" },
    { "params.ts", "interface Named { title: string }\n"
                   "interface Box<T extends Named> { value: T; (item: T): Named; again(): this }\n"
                   "interface Wide extends Box<Book> { width: number }\n"
                   "class Book implements Named { title = ''; pages = 1; }\n"
                   "type Copy<T> = { [K in keyof T]: T[K] };\n"
                   "type Pages = Book['pages'];\n"
                   "function show<T extends Named>(x: T, c: Copy<Book>, b: Box<Book>, w: Wide) {\n"
                   "  x.title;\n"
                   "  c.pages;\n"
                   "  b.value.pages;\n"
                   "  w.again().width;\n"
                   "  b(c).title;\n"
                   "}\n"
                   "const call: Box<Book> = (item) => item.pages;\n" },
    { "types.ts",
      "export interface Options {\n"
      "  name: string;\n"
      "  nested?: { depth: number };\n"
      "  list: string[];\n"
      "  items?: Array<{ depth: number }>;\n"
      "}\n"
      "export interface Event { kind: string; options: Options }\n"
      "export type Handler = (event: Event, n: number) => void;\n"
      "export function on(options: Options, handler?: Handler) {}\n"
      "export class Emitter<T> { each(fn: (item: T) => void) {} }\n"
      "export class Client {\n"
      "  constructor(options: Options) {}\n"
      "  start(list: string[]) {}\n"
      "  options: Options;\n"
      "}\n"
      "interface Startable { start: unknown; options: unknown }\n"
      "export function make<T extends Startable, O = T['options']>(\n"
      "  name: string, init: (self: T, options: O) => void): T { return name as any; }\n" },
};

KEN_TEST(ts_an_argument_is_what_the_function_takes)
{
    EXPECT("given.ts:2 name", "types.ts:2 name imported");
    EXPECT("given.ts:2 nested", "types.ts:3 nested imported");
    EXPECT("given.ts:2 depth", "types.ts:3 depth imported");
    EXPECT("given.ts:2 kind", "types.ts:7 kind imported");
    EXPECT("given.ts:3 kind", "types.ts:7 kind imported");
    EXPECT("given.ts:3 list", "types.ts:4 list imported");
    EXPECT("given.ts:4 name", "types.ts:2 name imported");
    EXPECT("given.ts:10 items", "types.ts:5 items imported");
    EXPECT("given.ts:10 depth", "types.ts:5 depth exact");
}

KEN_TEST(ts_what_nobody_knows_stays_unresolved)
{
    EXPECT("given.ts:9 name", "unresolved");
    EXPECT("given.ts:9 kind", "unresolved");
}

KEN_TEST(ts_type_parameters_are_what_the_object_or_the_result_says)
{
    EXPECT("given.ts:6 name", "types.ts:2 name imported");
    EXPECT("given.ts:7 nested", "types.ts:3 nested imported");
    EXPECT("given.ts:8 start", "types.ts:13 start imported");
    EXPECT("given.ts:8 list", "types.ts:4 list imported");
    EXPECT("params.ts:8 title", "params.ts:1 title scoped");
    EXPECT("params.ts:9 pages", "params.ts:4 pages scoped");
    EXPECT("params.ts:10 pages", "params.ts:4 pages scoped");
}

KEN_TEST(ts_this_is_what_a_method_is_called_on)
{
    EXPECT("params.ts:11 width", "params.ts:3 width scoped");
}

KEN_TEST(ts_interfaces_may_be_called)
{
    EXPECT("params.ts:12 title", "params.ts:1 title scoped");
    EXPECT("params.ts:14 pages", "params.ts:4 pages scoped");
    EXPECT("params.ts:6 pages", "params.ts:4 pages scoped");
}

KEN_TEST(ts_objects_have_what_they_take_in)
{
    EXPECT("objects.ts:6 url", "objects.ts:2 url scoped");
    EXPECT("objects.ts:6 close", "objects.ts:2 close scoped");
    EXPECT("objects.ts:6 start", "types.ts:13 start imported");
    EXPECT("objects.ts:8 url", "objects.ts:2 url scoped");
}

KEN_TEST(ts_functions_have_parameters_from_where_they_stand)
{
    EXPECT("objects.ts:10 name", "types.ts:2 name imported");
    EXPECT("objects.ts:12 list", "types.ts:4 list imported");
    EXPECT("objects.ts:13 name", "types.ts:2 name imported");
    EXPECT("objects.ts:14 name", "types.ts:2 name imported");
}

static const graph_lab_file views[] = {
    { "core.ts", "import type { Elements } from './elements';\n"
                 "export namespace JSX {\n"
                 "  export interface IntrinsicElements extends Elements { [name: string]: any }\n"
                 "}\n"
                 "export interface IntrinsicElements { aside: number }\n" },
    { "elements.ts", "export interface Elements {\n"
                     "  div: object\n"
                     "  button: object\n"
                     "}\n" },
    { "index.ts", "export { Card as View } from './page';\n"
                  "export type { Elements } from './elements';\n"
                  "export { gone } from './elements';\n"
                  "export { outer } from 'outside';\n" },
    { "page.tsx", "function div() { return 1 }\n"
                  "export function Card() { return null }\n"
                  "export const page = () => (\n"
                  "  <div>\n"
                  "    <button />\n"
                  "    <Card>\n"
                  "    </Card>\n"
                  "    <aside />\n"
                  "  </div>\n"
                  ")\n"
                  "div()\n" },
};

KEN_TEST(ts_elements_are_members_of_what_jsx_declares)
{
    static const char *const edges[][2] = {
        { "page.tsx:4 div", "elements.ts:2 div imported" },
        { "page.tsx:5 button", "elements.ts:3 button imported" },
        { "page.tsx:6 Card", "page.tsx:2 Card scoped" },
        { "page.tsx:7 Card", "page.tsx:2 Card scoped" },
        { "page.tsx:8 aside", "external" }, // its interface is in no namespace JSX
        { "page.tsx:9 div", "elements.ts:2 div imported" },
        { "page.tsx:11 div", "page.tsx:1 div scoped" },
    };
    graph_lab_check(views, sizeof views / sizeof *views, edges, sizeof edges / sizeof *edges);
}

KEN_TEST(ts_names_that_a_file_passes_on_lead_to_what_they_name)
{
    static const char *const edges[][2] = {
        { "index.ts:1 View", "page.tsx:2 Card imported" },
        { "index.ts:2 Elements", "elements.ts:1 Elements imported" },
        { "index.ts:3 gone", "external" },
        { "index.ts:4 outer", "external" },
    };
    graph_lab_check(views, sizeof views / sizeof *views, edges, sizeof edges / sizeof *edges);
}
