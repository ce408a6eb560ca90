// SPDX-License-Identifier: MIT
// What a type runs: its constructor, never what its methods call; and functions that are said
// several times are one.
#include "calls_lab.h"

// The names of all steps of a trace, in order.
static void trace_is(const char *entry, const char *to, ken_trace_direction direction,
                     const char *wanted)
{
    ken_trace t;
    ken_trace_opts o = { .entry = ken_str_c(entry), .to = ken_str_c(to), .direction = direction };
    kt_ok_err(ken_trace_execution(snap, &o, NULL, &l.arena, &t, &l.err), &l.err);
    ken_buf b = KEN_BUF_INIT(0);
    for (size_t i = 0; i < t.n_steps; i++) {
        const char *mark = t.steps[i].class == KEN_EDGE_INFERRED ? "?" : "";
        ken_buf_printf(&b, "%s" KEN_STR_FMT "%s", i ? " " : "",
                       KEN_STR_ARG(t.steps[i].node.qualified), mark);
    }
    kt_eq_text(ken_buf_str(&b), wanted);
    ken_buf_release(&b);
}

KEN_TEST(g5_a_construction_leads_to_the_constructor_only)
{
    start("net.py", "class Base:\n"
                    "    def __init__(self):\n"
                    "        setup()\n"
                    "\n"
                    "class Session(Base):\n"
                    "    def send(self):\n"
                    "        deliver()\n"
                    "\n"
                    "def setup():\n"
                    "    pass\n"
                    "\n"
                    "def deliver():\n"
                    "    pass\n"
                    "\n"
                    "def request():\n"
                    "    s = Session()\n"
                    "    return s\n"
                    "\n"
                    "def ask():\n"
                    "    request().send()\n");
    lab_write(&l, "a.ts",
              "export class Store {\n  items = fresh();\n  constructor() { prepare(); }\n"
              "  save() { flush(); }\n}\n"
              "function fresh() { return []; }\nfunction prepare() {}\nfunction flush() {}\n"
              "export function open() { return new Store(); }\n");
    lab_write(&l, "Cart.java",
              "class Cart {\n  Cart() { fill(); }\n  void fill() {}\n"
              "  void drop() { empty(); }\n  void empty() {}\n"
              "  static Cart make() { return new Cart(); }\n}\n");
    go();
    trace_is("request", "", KEN_TRACE_CALLEES, "request Session Base.__init__ setup");
    trace_is("request", "deliver", KEN_TRACE_CALLEES, "request");
    trace_is("ask", "deliver", KEN_TRACE_CALLEES, "ask Session.send deliver");
    trace_is("open", "", KEN_TRACE_CALLEES, "open Store Store.constructor prepare fresh");
    trace_is("make", "", KEN_TRACE_CALLEES, "Cart.make Cart Cart Cart.fill");
    trace_is("Store.constructor", "", KEN_TRACE_CALLERS, "Store.constructor open");
    end();
}

KEN_TEST(g6_what_is_said_several_times_is_one_step)
{
    start("lib.py", "from typing import overload\n"
                    "\n"
                    "@overload\n"
                    "def fetch(x: int) -> int: ...\n"
                    "@overload\n"
                    "def fetch(x: str) -> str: ...\n"
                    "def fetch(x):\n"
                    "    return inner(x)\n"
                    "\n"
                    "def inner(x):\n"
                    "    return x\n"
                    "\n"
                    "def run():\n"
                    "    return fetch(1)\n");
    lab_write(&l, "b.ts",
              "interface Reader { take(a: number): void; take(a: string): void; }\n"
              "export function pull(r: Reader) { r.take(1); }\n");
    go();
    trace_is("run", "", KEN_TRACE_CALLEES, "run fetch inner");
    trace_is("pull", "", KEN_TRACE_CALLEES, "pull Reader.take");
    end();
}
