// SPDX-License-Identifier: MIT
// Shell: functions of the script and of what it sources.
#include "graph_lab.h"
#include "ktest.h"

static const graph_lab_file files[] = {
    { "bin/run.sh", "source \"$(dirname \"$0\")/../lib/log.sh\"\n"
                    "OUT=/tmp\n"
                    "build() {\n"
                    "  local level=1\n"
                    "  log \"$level\" \"$OUT\"\n"
                    "  compile\n"
                    "  OUT=x\n"
                    "}\n"
                    "compile() { echo \"$level\"; }\n"
                    "build\n"
                    "other\n"
                    "OUT \"$1\"\n"
                    "warn\n" },
    { "lib/log.sh", ". ./more.sh\n"
                    "LEVEL=1\n"
                    "log() { echo \"$LEVEL\"; }\n" },
    { "lib/more.sh", "warn() { :; }\n" },
    { "lib/other.sh", "other() { :; }\n"
                      "level=2\n" },
};

KEN_TEST(bash_functions_of_the_script_are_seen_everywhere_in_it)
{
    static const char *const edges[][2] = {
        { "bin/run.sh:6 compile", "bin/run.sh:9 compile scoped" },
        { "bin/run.sh:10 build", "bin/run.sh:3 build scoped" },
    };
    CHECK(edges);
}

KEN_TEST(bash_what_is_sourced_is_seen_and_what_that_sources)
{
    static const char *const edges[][2] = {
        { "bin/run.sh:5 log", "lib/log.sh:3 log imported" },
        { "bin/run.sh:13 warn", "lib/more.sh:1 warn imported" },
    };
    CHECK(edges);
}

KEN_TEST(bash_variables_of_the_script_are_read_and_written)
{
    static const char *const edges[][2] = {
        { "bin/run.sh:5 OUT", "bin/run.sh:2 OUT scoped" },
        { "bin/run.sh:7 OUT", "bin/run.sh:2 OUT scoped" },
        { "lib/log.sh:3 LEVEL", "lib/log.sh:2 LEVEL scoped" },
    };
    CHECK(edges);
}

KEN_TEST(bash_commands_and_variables_of_one_name_are_apart)
{
    static const char *const edges[][2] = {
        { "bin/run.sh:12 OUT", "external" },
        { "bin/run.sh:5 level", "no reference" },
    };
    CHECK(edges);
}

KEN_TEST(bash_a_name_alone_leads_nowhere)
{
    static const char *const edges[][2] = {
        { "bin/run.sh:11 other", "unresolved" },
        { "bin/run.sh:9 echo", "external" },
        { "bin/run.sh:9 level", "unresolved" },
    };
    CHECK(edges);
}
