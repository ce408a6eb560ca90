// SPDX-License-Identifier: MIT
// config_names_priv.h -- names that other programs' files and environments have for settings, so that
// such a file loads as it is: second names of our own keys, and keys that nothing here uses.
//
// What nothing uses is never passed over silently: `ken config show` and `ken doctor` name it with the
// reason, `ken index` and `ken mcp` log it.
#ifndef KEN_CONFIG_CONFIG_NAMES_PRIV_H
#define KEN_CONFIG_CONFIG_NAMES_PRIV_H

// "section.key", id of the key that it stands for, how its value becomes one of that key:
//   SAME, KIB and MIB (a number of them), GLOB (".py" is "*.py")
// clang-format off
#define KEN_CONFIG_OTHER_NAMES(X)                                  \
    X("embedding.dimension", EMBED_DIMS, SAME)                     \
    X("indexing.max_file_size_kb", MAX_FILE_SIZE, KIB)             \
    X("indexing.supported_extensions", INCLUDE, GLOB)              \
    X("cache.memory_size_mb", CACHE_SIZE, MIB)                     \
    X("repository.sync_interval_minutes", SYNC_INTERVAL, SAME)

// "section.key" (empty: environment only), environment names, whether its value is shown, why
#define KEN_CONFIG_UNUSED_NAMES(X)                                                                 \
    X("repository.local_path", "", SHOWN, "clones lie in data.dir, in repos")                                     \
    X("cache.disk_path", "", SHOWN, "what is cached lies beside the indexes; set data.dir")        \
    X("webhooks.enabled", "", SHOWN, "the webhook is on when webhooks.secret is set")              \
    X("webhooks.port", "", SHOWN, "the webhook is on the port of the server; set server.port")
// clang-format on

#endif
