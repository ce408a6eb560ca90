// SPDX-License-Identifier: MIT
// config_keys.h -- every setting, one row each: what the parser, the environment, the documents and
// `ken config show` go by.
//
// Columns: id, "section.key", type, default, min, max, words, environment names, trust, text.
//   type   BOOL, COUNT (whole number), SIZE (bytes: "512KiB", "1.5MiB", "10MB"), TEXT, WORD, LIST,
//          SECRET (a text that is never shown)
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
      "KEN_INCLUDE", ANY,                                                                          \
      "globs; when any is given only matching files are indexed; one that spells out an ignored "  \
      "path (`gen/**`) brings it back")                                                            \
    X(EXCLUDE, "indexing.exclude", LIST, "", 0, 0, "",                                             \
      "KEN_EXCLUDE", ANY, "globs of files that are left out; they win over include")               \
    X(CHUNK_TOKENS, "indexing.chunk_tokens", COUNT, "400", 20, 8000, "",                           \
      "KEN_CHUNK_TOKENS", ANY,                                                                     \
      "size that chunks of code aim at, in tokens of 4 bytes; what is larger is divided. A "       \
      "change of this and the next four extracts every file again")                                \
    X(CHUNK_MAX_TOKENS, "indexing.chunk_max_tokens", COUNT, "800", 20, 8000, "",                   \
      "KEN_CHUNK_MAX_TOKENS", ANY, "no chunk is larger, of text without a grammar neither")        \
    X(CHUNK_MIN_TOKENS, "indexing.chunk_min_tokens", COUNT, "100", 1, 8000, "",                    \
      "KEN_CHUNK_MIN_TOKENS", ANY, "smaller neighbours are joined")                                \
    X(CHUNK_SIZE_LINES, "indexing.chunk_size_lines", COUNT, "50", 1, 5000, "",                     \
      "KEN_CHUNK_SIZE_LINES", ANY,                                                                 \
      "lines of a chunk where there is no grammar. Other programs' sizes: 500 lines and "          \
      "overlap 0 with chunk_max_tokens 8000; 30 and 5")                                            \
    X(CHUNK_OVERLAP_LINES, "indexing.chunk_overlap_lines", COUNT, "10", 0, 1000, "",               \
      "KEN_CHUNK_OVERLAP_LINES", ANY, "lines that such chunks share; fewer than they have")        \
    X(JOBS, "indexing.jobs", COUNT, "0", 0, 256, "",                                               \
      "KEN_JOBS", OWNER, "worker threads; 0 = one per core")                                       \
    X(RUNS, "indexing.runs", COUNT, "2", 1, 64, "",                                                \
      "KEN_RUNS", OWNER,                                                                           \
      "runs that may read everything (first and forced ones) at once, of all projects and "        \
      "processes of a data folder; others wait")                                                   \
    X(REVISIONS, "indexing.revisions", COUNT, "8", 1, 1000, "",                                    \
      "KEN_REVISIONS", OWNER,                                                                      \
      "commits that an index keeps of those that questions named (--at); the one that was asked "  \
      "about longest ago makes room")                                                              \
    X(REVISION_DAYS, "indexing.revision_days", COUNT, "7", 1, 36500, "",                           \
      "KEN_REVISION_DAYS", OWNER, "days that such a commit is kept without a question about it")   \
    X(SECRETS, "indexing.secrets", BOOL, "false", 0, 0, "",                                        \
      "KEN_INDEX_SECRETS", OWNER, "index files that may hold secrets too")                         \
    X(MEMORY_LIMIT, "indexing.memory_limit", SIZE, "512MiB", 67108864, 1099511627776, "",          \
      "KEN_MEMORY_LIMIT", OWNER,                                                                   \
      "memory of its own that one indexing run may use; an eighth of it again may be "             \
      "pages of the database, which the system takes back. A run needs 32 MiB, about "             \
      "400 bytes for each file and 64 times the largest file; when that is more, it says "         \
      "so; at least 64MiB")                                                                        \
    X(INDEX_TIMEOUT, "indexing.timeout_seconds", COUNT, "300", 1, 86400, "",                       \
      "KEN_INDEX_TIMEOUT", OWNER,                                                                  \
      "time that a call of index_repository may take; what was done until then is kept, and "      \
      "the next call goes on. The command line has no limit")                                      \
    X(QUERY_MEMORY_LIMIT, "query.memory_limit", SIZE, "128MiB", 16777216, 1099511627776, "",       \
      "KEN_QUERY_MEMORY_LIMIT", OWNER, "memory that one question may take; at least 16MiB")        \
    X(QUERY_TIMEOUT, "query.timeout_seconds", COUNT, "10", 1, 86400, "",                           \
      "KEN_QUERY_TIMEOUT", OWNER, "time that one question may take")                               \
    X(CATCH_UP, "query.catch_up_seconds", COUNT, "5", 1, 3600, "",                                 \
      "KEN_CATCH_UP", ANY,                                                                         \
      "time that one question may take to bring the index up to date before it is answered")       \
    X(SEARCH_LIMIT, "search.limit", COUNT, "10", 1, 50, "",                                        \
      "KEN_SEARCH_LIMIT", ANY, "results of a search when none are asked for")                      \
    X(SEARCH_PROJECTS, "search.projects", COUNT, "0", 0, 4096, "",                                 \
      "KEN_SEARCH_PROJECTS", ANY,                                                                  \
      "projects of a database that a question to more of them is put to: the best by the words "   \
      "that they have; 0 = 128, of more than 256")                                                 \
    X(CONTEXT_LINES, "search.context_lines", COUNT, "10", 0, 100, "",                              \
      "KEN_CONTEXT_LINES", ANY, "lines before and after a result that tools return")               \
    X(AUTO_INDEX, "search.auto_index", BOOL, "true", 0, 0, "",                                     \
      "KEN_AUTO_INDEX", ANY, "index a folder when it is first asked about")                        \
    X(EMBED_PROVIDER, "embedding.provider", WORD, "builtin", 0, 0,                                 \
      "builtin|onnx|ollama|openai|tei", "KEN_EMBEDDING_PROVIDER", OWNER,                           \
      "where vectors come from; all but the first two send code to embedding.url")                 \
    X(EMBED_MODEL, "embedding.model", TEXT, "", 0, 0, "",                                          \
      "KEN_EMBEDDING_MODEL,OLLAMA_EMBEDDING_MODEL", OWNER,                                         \
      "model of that provider; empty = its default")                                               \
    X(EMBED_URL, "embedding.url", TEXT, "", 0, 0, "",                                              \
      "KEN_EMBEDDING_URL,OLLAMA_BASE_URL", OWNER, "server; empty = the provider's default")        \
    X(EMBED_API_KEY, "embedding.api_key", SECRET, "", 0, 0, "",                                    \
      "KEN_EMBEDDING_API_KEY,OPENAI_API_KEY", OWNER, "key that is sent to that server")            \
    X(EMBED_DIMS, "embedding.dims", COUNT, "0", 0, 8192, "",                                       \
      "KEN_EMBEDDING_DIMS", OWNER, "length that vectors must have; 0 = as the model gives them")   \
    X(EMBED_BATCH_SIZE, "embedding.batch_size", COUNT, "50", 1, 2048, "",                          \
      "KEN_EMBEDDING_BATCH_SIZE,EMBEDDING_BATCH_SIZE", OWNER, "texts of one request")              \
    X(EMBED_CONCURRENCY, "embedding.concurrency", COUNT, "2", 1, 32, "",                           \
      "KEN_EMBEDDING_CONCURRENCY", OWNER, "requests to a server at the same time")                 \
    X(EMBED_FILES, "embedding.files", WORD, "all", 0, 0, "all|likely", "KEN_EMBEDDING_FILES", OWNER, \
      "which files get vectors; likely = code that is no test, example, copy or generated file: "  \
      "the others are found by their words and names alone")                                       \
    X(EMBED_TIMEOUT, "embedding.timeout_seconds", COUNT, "30", 1, 3600, "",                        \
      "KEN_EMBEDDING_TIMEOUT", OWNER, "for one request")                                           \
    X(EMBED_DEVICE, "embedding.device", WORD, "cpu", 0, 0, "cpu|cuda|auto",                        \
      "KEN_EMBEDDING_DEVICE", OWNER,                                                               \
      "what an ONNX model runs on; auto = cuda when ONNX Runtime has it, else cpu")                \
    X(EMBED_THREADS, "embedding.threads", COUNT, "0", 0, 256, "",                                  \
      "KEN_EMBEDDING_THREADS", OWNER, "threads of an ONNX model; 0 = one per core")                \
    X(EMBED_ON_UNAVAILABLE, "embedding.on_unavailable", WORD, "builtin", 0, 0, "builtin|error",    \
      "KEN_EMBEDDING_ON_UNAVAILABLE", OWNER,                                                       \
      "when the model cannot make vectors: go on with those there are, or fail")                   \
    X(EMBED_MIRRORS, "embedding.mirrors", LIST, "", 0, 0, "",                                      \
      "KEN_EMBEDDING_MIRRORS", OWNER,                                                              \
      "FROM=TO: when a model cannot be had from an address that begins with FROM, TO takes its "   \
      "place, in this order")                                                                      \
    X(ONNX_RUNTIME, "embedding.onnx_runtime", TEXT, "", 0, 0, "",                                  \
      "KEN_ONNX_RUNTIME", OWNER, "libonnxruntime.so or its folder; empty = the usual places")      \
    X(CACHE_SIZE, "cache.memory_size", SIZE, "0", 0, 1099511627776, "",                            \
      "KEN_CACHE_SIZE", OWNER,                                                                     \
      "memory of what a server keeps of the graph between questions; 0 = an eighth of "            \
      "indexing.memory_limit; at most half of query.memory_limit")                                 \
    X(OPEN_SIZE, "cache.open_size", SIZE, "1GiB", 0, 1099511627776, "",                          \
      "KEN_CACHE_OPEN_SIZE", OWNER,                                                                \
      "memory that open indexes may hold between questions; eight stay open whatever they hold")   \
    X(WARM, "cache.warm", COUNT, "8", 0, 128, "",                                                 \
      "KEN_CACHE_WARM", OWNER,                                                                     \
      "indexes that ken serve opens when it starts, so that the first question does not wait; "    \
      "0 = none")                                                                                  \
    X(ROOTS, "projects.roots", LIST, "", 0, 0, "",                                                 \
      "KEN_ALLOWED_ROOTS", OWNER, "folders in which projects may lie; empty = see docs")           \
    X(REPO_URL, "repository.url", TEXT, "", 0, 0, "",                                              \
      "KEN_REPOSITORY_URL", OWNER,                                                                 \
      "a remote repository that ken serve adds when it starts, as ken repo add does")              \
    X(REPO_BRANCH, "repository.branch", TEXT, "", 0, 0, "",                                        \
      "KEN_REPOSITORY_BRANCH", OWNER, "its branch; empty = the remote's default")                  \
    X(REPO_HOSTS, "repository.hosts", LIST, "", 0, 0, "",                                          \
      "KEN_REPOSITORY_HOSTS", OWNER,                                                               \
      "HOST=KIND of servers whose pages answers may link to and whose names do not tell what they "\
      "are; KIND is github, gitlab, gitea (Forgejo too) or bitbucket")                             \
    X(SYNC_INTERVAL, "sync.interval_minutes", COUNT, "15", 0, 525600, "",                          \
      "KEN_SYNC_INTERVAL", OWNER,                                                                  \
      "time between two syncs of a remote repository, unless it has its own; a server syncs it "   \
      "then, or at the next question; 0 = only when asked")                                        \
    X(SYNC_DEPTH, "sync.depth", COUNT, "1", 0, 1000000, "",                                        \
      "KEN_SYNC_DEPTH", OWNER,                                                                     \
      "commits of history that a clone of a remote repository has, unless it has its own; 0 = all") \
    X(SYNC_PROTOCOLS, "sync.protocols", LIST, "https,ssh", 0, 0, "",                               \
      "KEN_SYNC_PROTOCOLS", OWNER,                                                                 \
      "protocols that remote repositories may have; git knows http, git and file too")             \
    X(WATCH_ENABLED, "watch.enabled", BOOL, "false", 0, 0, "",                                     \
      "KEN_WATCH", OWNER,                                                                          \
      "ken serve and ken mcp bring an index up to date when a file is saved, without a question; " \
      "ken watch always does")                                                                     \
    X(WATCH_QUIET, "watch.quiet_ms", COUNT, "300", 0, 60000, "",                                   \
      "KEN_WATCH_QUIET", OWNER,                                                                    \
      "time without another save until that is done; 10000 as other programs have it")             \
    X(WATCH_AT_MOST, "watch.at_most_ms", COUNT, "10000", 10, 600000, "",                           \
      "KEN_WATCH_AT_MOST", OWNER,                                                                  \
      "time from the first save until it is done in any case, and that a git command is waited for") \
    X(WATCH_PROJECTS, "watch.max_projects", COUNT, "16", 1, 256, "",                               \
      "KEN_WATCH_PROJECTS", OWNER,                                                                 \
      "projects that a server follows so; those that were asked last")                             \
    X(SANDBOX, "security.sandbox", WORD, "auto", 0, 0, "auto|on|off|strict", "KEN_SANDBOX", OWNER, \
      "limits on what ken mcp, ken serve and ken index may write and run (docs/security.md); strict: "\
      "and read, the projects that are known and projects.roots alone")                             \
    X(DATA_DIR, "data.dir", TEXT, "", 0, 0, "",                                                    \
      "KEN_DATA_DIR", OWNER, "folder of all indexes; empty = $XDG_DATA_HOME/ken")                  \
    X(DATABASE_URL, "database.url", SECRET, "", 0, 0, "",                                          \
      "KEN_DATABASE_URL,DATABASE_URL", OWNER,                                                      \
      "PostgreSQL that keeps everything in the place of files in data.dir: "                       \
      "postgres://user:password@host:port/database; none = files, whatever DATABASE_URL says")                             \
    X(DATABASE_REPLICA, "database.replica_url", SECRET, "", 0, 0, "",                              \
      "KEN_DATABASE_REPLICA_URL,DATABASE_REPLICA_URL", OWNER,                                      \
      "a streaming replica of that database, to which the reads of questions go while it is not behind") \
    X(DATABASE_HOST, "database.host", TEXT, "", 0, 0, "",                                          \
      "KEN_DATABASE_HOST", OWNER, "the same in parts, where database.url is empty: its server")    \
    X(DATABASE_PORT, "database.port", COUNT, "5432", 1, 65535, "",                                 \
      "KEN_DATABASE_PORT", OWNER, "its port")                                                      \
    X(DATABASE_NAME, "database.database", TEXT, "ken", 0, 0, "",                                   \
      "KEN_DATABASE_NAME", OWNER, "the database on it")                                            \
    X(DATABASE_USER, "database.user", TEXT, "ken", 0, 0, "",                                       \
      "KEN_DATABASE_USER", OWNER, "who logs in")                                                   \
    X(DATABASE_PASSWORD, "database.password", SECRET, "", 0, 0, "",                                \
      "KEN_DATABASE_PASSWORD,DB_PASSWORD", OWNER, "with what; empty = as libpq finds one")         \
    X(DATABASE_POOL, "database.pool_size", COUNT, "20", 1, 1000, "",                               \
      "KEN_DATABASE_POOL_SIZE,DB_POOL_SIZE", OWNER, "connections that a process keeps")            \
    X(DATABASE_OVERFLOW, "database.max_overflow", COUNT, "10", 0, 1000, "",                        \
      "KEN_DATABASE_MAX_OVERFLOW,DB_MAX_OVERFLOW", OWNER,                                          \
      "connections that it makes beyond these, and closes after use")                              \
    X(DATABASE_RECYCLE, "database.recycle_seconds", COUNT, "3600", 1, 604800, "",                  \
      "KEN_DATABASE_RECYCLE_SECONDS", OWNER, "an older connection is replaced")                    \
    X(DATABASE_IDLE, "database.idle_seconds", COUNT, "300", 1, 604800, "",                         \
      "KEN_DATABASE_IDLE_SECONDS", OWNER, "one that was not used for so long is closed")           \
    X(DATABASE_WAIT, "database.wait_seconds", COUNT, "30", 1, 3600, "",                            \
      "KEN_DATABASE_WAIT_SECONDS", OWNER, "for a connection, when all are in use")                 \
    X(DATABASE_SHARES, "database.shares", BOOL, "false", 0, 0, "",                                 \
      "KEN_DATABASE_SHARES", OWNER,                                                                \
      "make the tables, in a schema ken, in a database that has other tables, too")                \
    X(DATABASE_STATEMENT, "database.statement_timeout_seconds", COUNT, "0", 0, 86400, "",          \
      "KEN_DATABASE_STATEMENT_TIMEOUT_SECONDS", OWNER, "that a statement may take; 0 = no limit")  \
    X(DATABASE_VECTORS, "database.vectors", WORD, "off", 0, 0, "off|auto|on",                      \
      "KEN_DATABASE_VECTORS", OWNER,                                                               \
      "vectors as rows for pgvector, too: auto = where it is installed, on = it is installed")     \
    X(DATABASE_VECTOR_TYPE, "database.vector_type", WORD, "halfvec", 0, 0, "halfvec|vector|bit",   \
      "KEN_DATABASE_VECTOR_TYPE", OWNER,                                                           \
      "their type; bit = halfvec, found by the signs and scored again")                            \
    X(DATABASE_EF_SEARCH, "database.ef_search", COUNT, "100", 1, 1000, "",                         \
      "KEN_DATABASE_EF_SEARCH", OWNER, "hnsw.ef_search of pgvector")                               \
    X(DATABASE_ITERATIVE, "database.iterative_scan", WORD, "off", 0, 0,                            \
      "off|relaxed_order|strict_order", "KEN_DATABASE_ITERATIVE_SCAN", OWNER,                      \
      "hnsw.iterative_scan of pgvector")                                                           \
    X(DATABASE_RELATIONS, "database.relations", WORD, "all", 0, 0, "all|no-references|none",       \
      "KEN_DATABASE_RELATIONS", OWNER,                                                             \
      "rows that people read with SQL: symbols, chunks, imports and references of files. They "    \
      "come with what is indexed from then on; ken answers without them")                          \
    X(DATABASE_TEXT, "database.text", BOOL, "true", 0, 0, "",                                      \
      "KEN_DATABASE_TEXT", OWNER,                                                                  \
      "keep the text of files in the database, secrets masked, for servers without their folder "  \
      "and for SQL; false where every server has the folders")                                     \
    X(LOG_LEVEL, "log.level", WORD, "warn", 0, 0, "none=off|error=fatal|warn=warning|info|debug",  \
      "KEN_LOG_LEVEL,LOG_LEVEL", OWNER, "least important messages that are written to stderr")     \
    X(LOG_FORMAT, "log.format", WORD, "auto", 0, 0, "auto|text|json",                              \
      "KEN_LOG_FORMAT,LOG_FORMAT", OWNER,                                                          \
      "form of the messages; auto = json of ken serve, unless stderr is a terminal or the journal "  \
      "of systemd, else text")                                                                     \
    X(LOG_FILE, "log.file", TEXT, "", 0, 0, "",                                                    \
      "KEN_LOG_FILE", OWNER, "file that messages are written to instead of stderr; "         \
      "relative = in data.dir")                \
    X(LOG_MAX_SIZE, "log.max_size", SIZE, "10MiB", 4096, 1099511627776, "",                        \
      "KEN_LOG_MAX_SIZE", OWNER, "size at which log.file is renamed to log.file.1 and begun anew") \
    X(LOG_KEEP, "log.keep", COUNT, "5", 0, 100, "",                                                \
      "KEN_LOG_KEEP", OWNER, "renamed log files that are kept, log.file.1 the newest")             \
    X(OTEL_ENDPOINT, "otel.endpoint", TEXT, "", 0, 0, "",                                          \
      "KEN_OTEL_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT", OWNER,                                      \
      "OpenTelemetry collector that a server sends traces and metrics to, over HTTP as JSON "      \
      "(http://127.0.0.1:4318); empty = none")                                                     \
    X(OTEL_HEADERS, "otel.headers", SECRET, "", 0, 0, "",                                          \
      "KEN_OTEL_HEADERS,OTEL_EXPORTER_OTLP_HEADERS", OWNER,                                        \
      "headers of its requests: NAME=VALUE,NAME=VALUE, values percent-encoded")                    \
    X(OTEL_SERVICE_NAME, "otel.service_name", TEXT, "ken", 0, 0, "",                               \
      "KEN_OTEL_SERVICE_NAME,OTEL_SERVICE_NAME", OWNER, "what the server is called there")         \
    X(OTEL_ATTRIBUTES, "otel.attributes", TEXT, "", 0, 0, "",                                      \
      "KEN_OTEL_ATTRIBUTES,OTEL_RESOURCE_ATTRIBUTES", OWNER,                                       \
      "further attributes of the server, in the same form")                                        \
    X(OTEL_TRACES, "otel.traces", WORD, "otlp", 0, 0, "otlp|none",                                 \
      "KEN_OTEL_TRACES,OTEL_TRACES_EXPORTER", OWNER, "whether traces are sent")                    \
    X(OTEL_SAMPLER, "otel.sampler", WORD, "parentbased_always_on", 0, 0,                           \
      "parentbased_always_on|parentbased_always_off|parentbased_traceidratio|always_on|always_off|traceidratio", \
      "KEN_OTEL_SAMPLER,OTEL_TRACES_SAMPLER", OWNER,                                               \
      "which traces are recorded: as who asks (parentbased_…), where nobody asked all, none or a share of them") \
    X(OTEL_SAMPLER_RATIO, "otel.sampler_ratio", TEXT, "1", 0, 0, "",                               \
      "KEN_OTEL_SAMPLER_RATIO,OTEL_TRACES_SAMPLER_ARG", OWNER,                                     \
      "that share, 0 to 1, of parentbased_traceidratio and traceidratio")                          \
    X(OTEL_METRICS, "otel.metrics", WORD, "otlp", 0, 0, "otlp|none",                               \
      "KEN_OTEL_METRICS,OTEL_METRICS_EXPORTER", OWNER, "whether metrics are sent")                 \
    X(OTEL_SECONDS, "otel.metrics_seconds", COUNT, "60", 1, 86400, "",                             \
      "KEN_OTEL_METRICS_SECONDS", OWNER, "time from one sending of metrics to the next")           \
    X(TASK_STATUSES, "tasks.statuses", LIST, "need to be done,in-progress,complete", 0, 0, "",     \
      "KEN_TASK_STATUSES", OWNER, "what a task can be; a new one is the first")                    \
    X(MCP_NAME, "mcp.name", TEXT, "ken", 0, 0, "",                                                 \
      "KEN_MCP_NAME", OWNER, "name that the MCP server gives itself")                              \
    X(TOOLSETS, "mcp.toolsets", LIST, "search,index,tasks,checkpoints,rules", 0, 0, "",            \
      "KEN_TOOLSETS", OWNER, "sets of tools that the MCP server offers")                           \
    X(READ_ONLY, "mcp.read_only", BOOL, "false", 0, 0, "",                                         \
      "KEN_READ_ONLY", OWNER, "offer only tools that change nothing")                              \
    X(MCP_FORMAT, "mcp.format", WORD, "text", 0, 0, "text|json",                                   \
      "KEN_MCP_FORMAT", OWNER, "form of an answer when the call does not say it: text, in few "    \
      "tokens, or json, all fields")                                                               \
    X(SERVER_HOST, "server.host", TEXT, "127.0.0.1", 0, 0, "",                                     \
      "KEN_SERVER_HOST", OWNER,                                                                    \
      "address that ken serve listens on; another than a loopback address needs an access token "  \
      "(`ken token add`)")                                                                         \
    X(SERVER_PORT, "server.port", COUNT, "7420", 0, 65535, "",                                     \
      "KEN_SERVER_PORT", OWNER, "its port; 0 = one that is free")                                  \
    X(SERVER_REQUIRE_TOKEN, "server.require_token", BOOL, "false", 0, 0, "",                       \
      "KEN_SERVER_REQUIRE_TOKEN", OWNER,                                                           \
      "a loopback address needs an access token too: other users of the machine can connect to it") \
    X(SERVER_TLS_CERT, "server.tls_cert", TEXT, "", 0, 0, "",                                      \
      "KEN_SERVER_TLS_CERT", OWNER,                                                                \
      "PEM file of the certificate and those above it; empty = no TLS. It is read again on SIGHUP") \
    X(SERVER_TLS_KEY, "server.tls_key", TEXT, "", 0, 0, "",                                        \
      "KEN_SERVER_TLS_KEY", OWNER, "PEM file of its private key")                                  \
    X(SERVER_TRUSTED_PROXIES, "server.trusted_proxies", LIST, "", 0, 0, "",                        \
      "KEN_SERVER_TRUSTED_PROXIES", OWNER,                                                         \
      "addresses and networks (10.0.0.0/8) whose X-Forwarded-For and X-Forwarded-Proto count")     \
    X(SERVER_ALLOWED_HOSTS, "server.allowed_hosts", LIST, "", 0, 0, "",                            \
      "KEN_SERVER_ALLOWED_HOSTS", OWNER,                                                           \
      "names that requests may have in Host, besides the address itself and localhost")            \
    X(SERVER_ALLOWED_ORIGINS, "server.allowed_origins", LIST, "", 0, 0, "",                        \
      "KEN_SERVER_ALLOWED_ORIGINS", OWNER,                                                         \
      "web origins (https://app.example.com) whose pages may call the server; its own always may") \
    X(SERVER_CONNECTIONS, "server.max_connections", COUNT, "16384", 1, 1000000, "",                \
      "KEN_SERVER_MAX_CONNECTIONS", OWNER, "open connections; more wait until one of them ends")   \
    X(SERVER_BODY, "server.max_body_bytes", SIZE, "16MiB", 1024, 1073741824, "",                   \
      "KEN_SERVER_MAX_BODY_BYTES", OWNER, "largest body of a request; larger ones get 413")        \
    X(SERVER_IDLE, "server.idle_seconds", COUNT, "75", 1, 86400, "",                               \
      "KEN_SERVER_IDLE_SECONDS", OWNER,                                                            \
      "time that a connection has from its beginning, or the last answer, to the whole head of a " \
      "request; then it is cut")                                                                   \
    X(SERVER_BODY_TIME, "server.body_seconds", COUNT, "30", 1, 86400, "",                          \
      "KEN_SERVER_BODY_SECONDS", OWNER,                                                            \
      "time that a request has from its head to its whole body; then it is cut")                   \
    X(SERVER_DRAIN, "server.drain_seconds", COUNT, "10", 0, 3600, "",                              \
      "KEN_SERVER_DRAIN_SECONDS", OWNER,                                                           \
      "time that requests and jobs have to end after SIGTERM; then they are cut off")              \
    X(SERVER_RATE, "server.rate_limit", COUNT, "0", 0, 1000000, "",                                \
      "KEN_SERVER_RATE_LIMIT", OWNER,                                                              \
      "requests a second of one access token, or of one address without a token; more get 429; "   \
      "0 = no limit")                                                                              \
    X(SERVER_BURST, "server.rate_burst", COUNT, "0", 0, 1000000, "",                               \
      "KEN_SERVER_RATE_BURST", OWNER,                                                              \
      "requests that may come at once before server.rate_limit counts; 0 = those of two seconds")  \
    X(SERVER_PROJECT_RATE, "server.project_rate_limit", COUNT, "0", 0, 1000000, "",                \
      "KEN_SERVER_PROJECT_RATE_LIMIT", OWNER,                                                      \
      "the same for the requests to one project, of all clients; 0 = no limit")                    \
    X(SERVER_PROJECT_BURST, "server.project_rate_burst", COUNT, "0", 0, 1000000, "",               \
      "KEN_SERVER_PROJECT_RATE_BURST", OWNER,                                                      \
      "requests to one project that may come at once; 0 = those of two seconds")                   \
    X(OAUTH_ISSUER, "oauth.issuer", TEXT, "", 0, 0, "",                                            \
      "KEN_OAUTH_ISSUER", OWNER,                                                                   \
      "https address of an authorization server whose access tokens count too; empty = none")      \
    X(OAUTH_RESOURCE, "oauth.resource", TEXT, "", 0, 0, "",                                        \
      "KEN_OAUTH_RESOURCE", OWNER,                                                                 \
      "https address of this server's /mcp as clients have it: what such a token must be for (aud)") \
    X(WEBHOOK_SECRET, "webhooks.secret", SECRET, "", 0, 0, "",                                     \
      "KEN_WEBHOOK_SECRET,GITHUB_WEBHOOK_SECRET", OWNER,                                           \
      "what the sender of a webhook signs with; empty = /webhook/github is off")                   \
    X(MAX_RUNNING, "jobs.max_running", COUNT, "2", 0, 64, "",                                      \
      "KEN_JOBS_MAX_RUNNING", OWNER,                                                               \
      "jobs that a server or worker runs at once, over all projects; the others wait. With a "      \
      "database not more than three quarters of the memory have room for, at "                     \
      "indexing.memory_limit each; 0 = none, workers run them")                                    \
    X(LEASE, "jobs.lease_seconds", COUNT, "30", 2, 3600, "",                                       \
      "KEN_JOBS_LEASE_SECONDS", OWNER,                                                             \
      "with a database: a server or worker that says nothing for so long has lost what it was at, "  \
      "and another does it; the same for all of them")                                             \
    X(LISTEN, "jobs.listen", BOOL, "true", 0, 0, "",                                               \
      "KEN_JOBS_LISTEN", OWNER,                                                                    \
      "with a database: have it tell of new and changed jobs (LISTEN, one connection more), and "   \
      "look only every five seconds beside that; else, and behind a pooler, look every second")
// clang-format on

#endif
