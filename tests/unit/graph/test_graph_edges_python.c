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
    EXPECT("use.py:14 push", "external");
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
