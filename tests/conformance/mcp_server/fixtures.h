// SPDX-License-Identifier: MIT
// fixtures.h -- what the conformance suite of the Model Context Protocol demands of a server under test:
// tools, resources and prompts of fixed names. The texts and schemas are the suite's.
//
// Threads: everything here is constant, or is called by any number of threads at once.
#ifndef KEN_TESTS_MCP_SERVER_FIXTURES_H
#define KEN_TESTS_MCP_SERVER_FIXTURES_H

#include "json/json.h"
#include "mcp/mcp.h"

// The code of an error, of which `out` then has the data; 0 = `out` has the members of the result.
typedef int fixture_fn(ken_mcp_call *c, ken_buf *out, ken_err *err);

typedef struct fixture {
    const char *name; // of a resource its address
    const char *description;
    const char *details; // further members of its entry in the list, as JSON; NULL = none
    fixture_fn *run;
} fixture;

enum {
    FIXTURE_INVALID_PARAMS = -32602,
    FIXTURE_MISSING_CAPABILITY = -32021,
};

// Each ends with a name NULL.
extern const fixture content_tools[]; // tools.c: answer by themselves
extern const fixture asking_tools[];  // ask.c: ask the client while they run (legacy era)
extern const fixture
    input_tools[];                // input_required.c: are called again with answers (stateless era)
extern const fixture resources[]; // resources.c
extern const fixture templates[];
extern const fixture prompts[]; // prompts.c
extern const fixture input_prompts[];

const fixture *find_resource(ken_str uri); // those of templates too; NULL = none
bool is_watched(ken_str uri);              // may be subscribed to
bool is_completed(const ken_mcp_call *c);  // whether completion/complete asks about one of these

#define PNG_BASE64                                                                                 \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg" \
    "gg=="

// "content":[{"type":"text","text":…}]
void put_text(ken_buf *out, const char *text);
int fail_text(ken_buf *out, const char *text); // the same with isError; 0
// A string among the arguments of the call; empty when it is not there.
ken_str argument(const ken_mcp_call *c, const char *name);

#endif
