// SPDX-License-Identifier: MIT
// config_keys.h -- every setting, one row each: what the parser, the environment, the documents and
// `ken config show` go by.
//
// Columns: id, "section.key", type, default, min, max, words, environment names, trust, text.
//   type   BOOL, COUNT (whole number), SIZE (bytes: "512KiB", "1.5MiB", "10MB"), TEXT, WORD, LIST
//   min, max  for COUNT and SIZE, inclusive; 0, 0 for the others
//   words  the allowed words of a WORD, separated by '|'; an alias follows its word after '='
//   environment  comma-separated, the first that is set counts. A name without KEN_ in front is
//          shared with other programs: what ken does not understand there is passed over
//   trust  ANY: a project's .ken.yaml may set it. OWNER: it may not, for it reaches beyond it
#ifndef KEN_CONFIG_CONFIG_KEYS_H
#define KEN_CONFIG_CONFIG_KEYS_H

// clang-format off
#define KEN_CONFIG_KEYS(X)                                                                         \
    X(MAX_FILE_SIZE, "indexing.max_file_size", SIZE, "1MiB", 1, 10485760, "",                      \
      "KEN_MAX_FILE_SIZE", ANY, "larger files are skipped; at most 10MiB")                         \
    X(INCLUDE, "indexing.include", LIST, "", 0, 0, "",                                             \
      "KEN_INCLUDE", ANY, "globs; when any is given only matching files are indexed")              \
    X(EXCLUDE, "indexing.exclude", LIST, "", 0, 0, "",                                             \
      "KEN_EXCLUDE", ANY, "globs of files that are left out; they win over include")               \
    X(JOBS, "indexing.jobs", COUNT, "0", 0, 256, "",                                               \
      "KEN_JOBS", OWNER, "worker threads; 0 = one per core")                                       \
    X(SECRETS, "indexing.secrets", BOOL, "false", 0, 0, "",                                        \
      "KEN_INDEX_SECRETS", OWNER, "index files that may hold secrets too")                         \
    X(MEMORY_LIMIT, "indexing.memory_limit", SIZE, "512MiB", 67108864, 1099511627776, "",          \
      "KEN_MEMORY_LIMIT", OWNER, "memory that one indexing run may use; at least 64MiB")           \
    X(SEARCH_LIMIT, "search.limit", COUNT, "10", 1, 50, "",                                        \
      "KEN_SEARCH_LIMIT", ANY, "results of a search when none are asked for")                      \
    X(CONTEXT_LINES, "search.context_lines", COUNT, "10", 0, 100, "",                              \
      "KEN_CONTEXT_LINES", ANY, "lines before and after a result that tools return")               \
    X(AUTO_INDEX, "search.auto_index", BOOL, "true", 0, 0, "",                                     \
      "KEN_AUTO_INDEX", ANY, "index a folder when it is first asked about")                        \
    X(DATA_DIR, "data.dir", TEXT, "", 0, 0, "",                                                    \
      "KEN_DATA_DIR", OWNER, "folder of all indexes; empty = $XDG_DATA_HOME/ken")                  \
    X(LOG_LEVEL, "log.level", WORD, "warn", 0, 0, "none=off|error=fatal|warn=warning|info|debug",  \
      "KEN_LOG_LEVEL,LOG_LEVEL", OWNER, "least important messages that are written to stderr")     \
    X(LOG_FORMAT, "log.format", WORD, "text", 0, 0, "text|json",                                   \
      "KEN_LOG_FORMAT,LOG_FORMAT", OWNER, "form of the messages on stderr")                        \
    X(TOOLSETS, "mcp.toolsets", LIST, "search,index", 0, 0, "",                                    \
      "KEN_TOOLSETS", OWNER, "sets of tools that the MCP server offers")                           \
    X(READ_ONLY, "mcp.read_only", BOOL, "false", 0, 0, "",                                         \
      "KEN_READ_ONLY", OWNER, "offer only tools that change nothing")
// clang-format on

#endif
