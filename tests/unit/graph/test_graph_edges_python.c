// SPDX-License-Identifier: MIT
// Python: what holders and tuples of its library hold.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "app.py", "import typing as te\n"
                "class App:\n"
                "    def push(self): pass\n"
                "    def copy(self) -> te.Self: return self.__class__()\n"
                "class Job:\n"
                "    def push(self): pass\n" },
    { "use.py", "from contextvars import ContextVar\n"
                "from app import App, Job\n"
                "_current: ContextVar[App] = ContextVar('app')\n"
                "def pair() -> tuple[App, Job]: ...\n"
                "def run(jobs: dict[str, Job], box: Box[App]):\n"
                "    _current.get(None).push()\n"
                "    if (c := _current.get(None)) is not None: c.push()\n"
                "    jobs.get('x').push()\n"
                "    jobs.copy()['x'].push()\n"
                "    app, job = pair()\n"
                "    app.push()\n"
                "    job.push()\n"
                "    box.get().push()\n"
                "    _current.set(1).push()\n"
                "    _current.get().copy().copy().push()\n" },
};

KEN_TEST(python_holders_give_what_they_hold)
{
    EXPECT("use.py:6 push", "app.py:3 push imported");
    EXPECT("use.py:7 push", "app.py:3 push imported");
    EXPECT("use.py:8 push", "app.py:6 push imported");
    EXPECT("use.py:9 push", "app.py:6 push imported");
    EXPECT("use.py:13 push", "unresolved"); // nobody knows what a Box does
    EXPECT("use.py:14 push", "unresolved"); // what `set` gives may be ours
}

KEN_TEST(python_parts_of_a_tuple_are_told_apart)
{
    EXPECT("use.py:11 push", "app.py:3 push imported");
    EXPECT("use.py:12 push", "app.py:6 push imported");
}

KEN_TEST(python_self_is_what_the_method_is_called_on)
{
    EXPECT("use.py:15 push", "app.py:3 push imported");
}

static const graph_lab_file quoted_files[] = {
    { "box.py", "class Box:\n"
                "    def open(self): pass\n"
                "    class Lid:\n"
                "        def lift(self): pass\n"
                "class Crate(Box):\n"
                "    def seal(self): pass\n" },
    { "use.py", "import typing as t\n"
                "from typing import Callable, Dict, List, Literal, Optional, Union, cast\n"
                "import box\n"
                "from box import Box\n"
                "def a(x: 'Box') -> \"Box\": x.open()\n"
                "def b(x: Optional[\"Box\"]): x.open()\n"
                "def c(x: t.Optional['box.Crate']): x.seal()\n"
                "def d(x: \"Dict[str, List[Box]]\"): x['a'][0].open()\n"
                "def e(x: 'Box | None'): x.open()\n"
                "def f(x: Literal['Box']): pass\n"
                "def g(x): cast('Box', x).open()\n"
                "def h(x: Union['Box.Lid', None]): x.lift()\n"
                "def i(x: Callable[['Box'], \"Box\"]): pass\n"
                "y: 'Box' = None\n"
                "def j(x='Box', z: str = 'Box'): return {'Box': 1}['Box']\n"
                "def k(x: '[[[[[[[[[[[[[[[[[[[[[[[[[Box', z: 'Box[', w: 'Box||'): pass\n" },
};

KEN_TEST(g18_types_in_quotes_are_references)
{
    static const char *const edges[][2] = {
        { "use.py:5 Box", "box.py:1 Box imported" },
        { "use.py:5 open", "box.py:2 open imported" },
        { "use.py:6 Box", "box.py:1 Box imported" },
        { "use.py:6 open", "box.py:2 open imported" },
        { "use.py:7 Crate", "box.py:5 Crate imported" },
        { "use.py:7 seal", "box.py:6 seal imported" },
        { "use.py:8 Box", "box.py:1 Box imported" },
        { "use.py:8 open", "box.py:2 open imported" },
        { "use.py:9 open", "box.py:2 open imported" },
        { "use.py:10 Box", "no reference" },
        { "use.py:11 Box", "box.py:1 Box imported" },
        { "use.py:12 Lid", "box.py:3 Lid imported" },
        { "use.py:12 lift", "box.py:4 lift imported" },
        { "use.py:13 Box", "box.py:1 Box imported" },
        { "use.py:14 Box", "box.py:1 Box imported" },
        { "use.py:15 Box", "no reference" },
        { "use.py:16 Box", "box.py:1 Box imported" },
    };
    graph_lab_check(quoted_files, 2, edges, sizeof edges / sizeof *edges);
}

static const graph_lab_file self_files[] = {
    { "flow.py", "from typing import TYPE_CHECKING\n"
                 "if TYPE_CHECKING:\n"
                 "    from typing_extensions import Self\n"
                 "class Flow:\n"
                 "    def left(self) -> Self: ...\n"
                 "    def right(self) -> 'Self': ...\n"
                 "    def __enter__(self) -> Self: ...\n"
                 "    @classmethod\n"
                 "    def make(cls) -> Self: ...\n"
                 "class Wide(Flow):\n"
                 "    def widen(self): pass\n" },
    { "use.py", "from flow import Wide\n"
                "def run(w: Wide):\n"
                "    w.left().right().widen()\n"
                "    Wide.make().widen()\n"
                "    with Wide() as v: v.widen()\n" },
};

KEN_TEST(g18_self_is_the_receiver_of_a_derived_type)
{
    static const char *const edges[][2] = {
        { "use.py:3 right", "flow.py:6 right imported" },
        { "use.py:3 widen", "flow.py:11 widen imported" },
        { "use.py:4 widen", "flow.py:11 widen imported" },
        { "use.py:5 widen", "flow.py:11 widen imported" },
    };
    graph_lab_check(self_files, 2, edges, sizeof edges / sizeof *edges);
}

static const graph_lab_file star_files[] = {
    { "pack/__init__.py", "from pack.a import *\nfrom pack.b import *\n"
                          "__all__ = ('second', 'shown')\n" },
    { "pack/a.py", "from pack.c import third\n"
                   "__all__ = ['shown', 'third']\n"
                   "def shown(): pass\n"
                   "def second(): pass\n" },
    { "pack/b.py", "def second(): pass\n"
                   "def _quiet(): pass\n" },
    { "pack/c.py", "def third(): pass\n" },
    { "use.py", "from pack.a import *\n"
                "from pack.b import *\n"
                "shown()\nsecond()\nthird()\n_quiet()\n" },
    { "via.py", "from pack import *\n"
                "shown()\nsecond()\nthird()\n" },
};

KEN_TEST(g11_all_says_what_a_star_brings)
{
    static const char *const edges[][2] = {
        { "use.py:3 shown", "pack/a.py:3 shown imported" },
        { "use.py:4 second", "pack/b.py:1 second imported" },
        { "use.py:5 third", "pack/c.py:1 third imported" },
        { "use.py:6 _quiet", "external" },
        { "via.py:2 shown", "pack/a.py:3 shown imported" },
        { "via.py:3 second", "pack/b.py:1 second imported" },
        { "via.py:4 third", "external" },
        { "pack/a.py:2 third", "pack/c.py:1 third imported" },
    };
    graph_lab_check(star_files, sizeof star_files / sizeof *star_files, edges,
                    sizeof edges / sizeof *edges);
}

static const graph_lab_file either_files[] = {
    { "fast.py", "def loads(x): pass\n"
                 "class Box:\n"
                 "    def open(self): pass\n" },
    { "plain.py", "def loads(x): pass\n" },
    { "slow.py", "try:\n"
                 "    from fast import loads, Box\n"
                 "except ImportError:\n"
                 "    def loads(x): pass\n"
                 "    class Box:\n"
                 "        def open(self): pass\n"
                 "        def shut(self): pass\n" },
    { "two.py", "try:\n"
                "    from fast import loads\n"
                "except ImportError:\n"
                "    from plain import loads\n"
                "try:\n"
                "    from library import dumps\n"
                "except ImportError:\n"
                "    from slow import loads as dumps\n"
                "loads(1)\n" },
    { "twice.py", "import plain as m\n"
                  "def run():\n"
                  "    import plain as m\n"
                  "    m.loads(1)\n" },
    { "use.py", "from slow import loads, Box\n"
                "from two import loads as more\n"
                "loads(1)\n"
                "def run():\n"
                "    b = Box()\n"
                "    b.open()\n"
                "    b.shut()\n"
                "more(1)\n" },
    { "sides.py", "import sys\n"
                  "if sys.platform == 'x':\n"
                  "    class Disk:\n"
                  "        def read(self): pass\n"
                  "else:\n"
                  "    class Disk:\n"
                  "        def read(self): pass\n"
                  "def run():\n"
                  "    d = Disk()\n"
                  "    d.read()\n" },
};

// Which one is there is known when it runs: a definition and an import, two imports, two types.
KEN_TEST(one_name_may_be_one_of_several_in_a_scope)
{
    static const char *const edges[][2] = {
        { "use.py:3 loads", "slow.py:4 loads inferred, fast.py:1 loads inferred" },
        { "use.py:6 open", "slow.py:6 open inferred, fast.py:3 open inferred" },
        { "use.py:7 shut", "slow.py:7 shut inferred" },
        { "two.py:9 loads", "fast.py:1 loads inferred, plain.py:1 loads inferred" },
        { "use.py:8 more", "fast.py:1 loads inferred, plain.py:1 loads inferred" },
        // Where something is imported from is said.
        { "slow.py:2 loads", "fast.py:1 loads imported" },
        { "two.py:2 loads", "fast.py:1 loads imported" },
        { "two.py:4 loads", "plain.py:1 loads imported" },
        { "sides.py:10 read", "sides.py:4 read scoped, sides.py:7 read scoped" },
        { "twice.py:4 loads", "plain.py:1 loads imported" }, // one module, said twice
    };
    graph_lab_check(either_files, sizeof either_files / sizeof *either_files, edges,
                    sizeof edges / sizeof *edges);
}
