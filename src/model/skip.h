// SPDX-License-Identifier: MIT
// skip.h -- why a file is not in the index. Every skip is counted and listable.
#ifndef KEN_MODEL_SKIP_H
#define KEN_MODEL_SKIP_H

// name, word used in JSON and on the command line, text for people
#define KEN_SKIP_TABLE(X)                                                  \
    X(NONE, "none", "indexed")                                             \
    X(IGNORED, "ignored", "excluded by a .gitignore or by --exclude")      \
    X(FOLDER, "folder", "inside a folder that is skipped by default")      \
    X(SECRET, "secret", "may hold secrets")                                \
    X(BINARY, "binary", "binary content")                                  \
    X(TOO_LARGE, "too_large", "larger than max_file_size")                 \
    X(GENERATED, "generated", "generated or minified")                     \
    X(VENDORED, "vendored", "vendored third-party code")                   \
    X(ENCODING, "encoding", "not UTF-8 text")                              \
    X(SYMLINK, "symlink", "symbolic link")                                 \
    X(SPECIAL, "special", "not a regular file")                            \
    X(UNREADABLE, "unreadable", "could not be read")                       \
    X(EMPTY, "empty", "empty file")                                        \
    X(NAME, "name", "file name is not UTF-8 or holds a control character") \
    X(SUBMODULE, "submodule", "a repository of its own inside this one")

typedef enum ken_skip_reason {
#define X(name, word, text) KEN_SKIP_##name,
    KEN_SKIP_TABLE(X)
#undef X
    KEN_SKIP_COUNT
} ken_skip_reason;

const char *ken_skip_word(ken_skip_reason r); // borrowed static text
const char *ken_skip_text(ken_skip_reason r);

#endif
