// SPDX-License-Identifier: MIT
// sqlite_statements_priv.h -- every SQL text of an index, with its name. README.md says what each
// costs.
#ifndef KEN_STORE_SQLITE_SQLITE_STATEMENTS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_STATEMENTS_PRIV_H

#define KEN_SQ_CONTENT_INFO \
    "id, n_bytes, n_lines, n_chunks, n_symbols, n_error_bytes, lang, is_fallback"

#define KEN_SQ_CHECKPOINT                                                                \
    "id, uuid, rev, created_at_ms, updated_at_ms, token_count, git_branch, git_commit, " \
    "summary, git_dirty, context, description"

#define KEN_SQ_STATEMENTS(X)                                                                                                                                                 \
    X(BEGIN_READ, "BEGIN")                                                                                                                                                   \
    X(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                                                                                                        \
    X(COMMIT, "COMMIT")                                                                                                                                                      \
    X(CONTENT_FIND, "SELECT " KEN_SQ_CONTENT_INFO                                                                                                                            \
                    " FROM content WHERE sha256 = ?1 AND lang = ?2 AND feature = ?3")                                                                                        \
    X(CONTENT_SCAN, "SELECT " KEN_SQ_CONTENT_INFO " FROM content ORDER BY id")                                                                                               \
    X(CONTENT_SUPERSEDE,                                                                                                                                                     \
      "UPDATE content SET feature = NULL WHERE sha256 = ?1 AND lang = ?2 AND feature = ?3")                                                                                  \
    X(CONTENT_ADD, "INSERT INTO content (sha256, lang, feature, n_bytes, n_lines, n_chunks, "                                                                                \
                   "n_symbols, n_error_bytes, is_fallback, facts) "                                                                                                          \
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")                                                                                                       \
    X(CONTENT_FACTS, "SELECT facts FROM content WHERE id = ?1")                                                                                                              \
    X(CONTENT_SHA, "SELECT sha256 FROM content WHERE id = ?1")                                                                                                               \
    X(CONTENT_FACTS_SCAN, "SELECT id, facts, n_bytes, refs FROM content LEFT JOIN "                                                                                          \
                          "content_refs ON content_id = id")                                                                                                                 \
    X(REFS_ADD, "INSERT INTO content_refs (content_id, refs) VALUES (?1, ?2)")                                                                                               \
    X(REFS_GET, "SELECT refs FROM content_refs WHERE content_id = ?1")                                                                                                       \
    X(CONTENT_COLLECT, "DELETE FROM content WHERE id IN "                                                                                                                    \
                       "(SELECT id FROM content EXCEPT SELECT content_id FROM file)")                                                                                        \
    X(FILE_SCAN, "SELECT id, path, content_id, size, mtime_ns, inode, changed_at_ms FROM file "                                                                              \
                 "WHERE tree_id = ?1")                                                                                                                                       \
    X(FILE_ADD, "INSERT INTO file (tree_id, path, content_id, size, mtime_ns, inode, "                                                                                       \
                "changed_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                                                                                        \
    X(FILE_PUT, "UPDATE file SET path = ?2, content_id = ?3, size = ?4, mtime_ns = ?5, "                                                                                     \
                "inode = ?6, changed_at_ms = ?7 WHERE tree_id = ?1 AND id = ?8")                                                                                             \
    X(FILE_REMOVE, "DELETE FROM file WHERE tree_id = ?1 AND id = ?2")                                                                                                        \
    X(SKIP_GET_HASH, "SELECT skips_hash FROM tree WHERE id = ?1")                                                                                                            \
    X(SKIP_SET_HASH, "UPDATE tree SET skips_hash = ?2 WHERE id = ?1")                                                                                                        \
    X(SKIP_CLEAR, "DELETE FROM skip WHERE tree_id = ?1")                                                                                                                     \
    X(SKIP_ADD, "INSERT OR IGNORE INTO skip (tree_id, reason, path) VALUES (?1, ?2, ?3)")                                                                                    \
    X(SKIP_SCAN,                                                                                                                                                             \
      "SELECT reason, path FROM skip WHERE tree_id = ?1 ORDER BY reason, path LIMIT ?2")                                                                                     \
    X(SKIP_SCAN_REASON, "SELECT reason, path FROM skip WHERE tree_id = ?1 AND reason = ?3 "                                                                                  \
                        "ORDER BY path LIMIT ?2")                                                                                                                            \
    X(SEGMENT_ADD, "INSERT INTO segment (kind, n_bytes, n_contents) VALUES (?1, ?2, ?3)")                                                                                    \
    X(SEGMENT_REMOVE, "DELETE FROM segment WHERE id = ?1")                                                                                                                   \
    X(SEGMENT_SCAN, "SELECT id, n_bytes, n_contents FROM segment WHERE kind = ?1 ORDER BY id")                                                                               \
    X(BLOCK_ADD, "INSERT INTO segment_block (id, data, n_plain) VALUES (?1, ?2, ?3)")                                                                                        \
    X(BLOCK_REMOVE, "DELETE FROM segment_block WHERE id >= ?1 AND id < ?2")                                                                                                  \
    X(BLOCK_GET, "SELECT data, n_plain FROM segment_block WHERE id = ?1")                                                                                                    \
    X(BLOCK_LENGTH, "SELECT coalesce(n_plain, length(data)) FROM segment_block WHERE id = ?1")                                                                               \
    X(BLOCK_COUNT, "SELECT count(*) FROM segment_block WHERE id >= ?1 AND id < ?2")                                                                                          \
    X(TREE_GET_NUMBER, "SELECT generation FROM tree WHERE id = ?1")                                                                                                          \
    X(TREE_LOAD, "SELECT generation, at_ms, root, git_head, git_branch, n_files, n_chunks, "                                                                                 \
                 "n_symbols, n_bytes, n_lines FROM tree WHERE id = ?1")                                                                                                      \
    X(TREE_PUT, "UPDATE tree SET generation = ?2, at_ms = ?3, root = ?4, git_head = ?5, "                                                                                    \
                "git_branch = ?6, n_files = ?7, n_chunks = ?8, n_symbols = ?9, n_bytes = ?10, "                                                                              \
                "n_lines = ?11 WHERE id = ?1 AND generation < ?2")                                                                                                           \
    X(SKIP_COUNT_SCAN, "SELECT reason, n FROM skip_count WHERE tree_id = ?1")                                                                                                \
    X(SKIP_COUNT_PUT,                                                                                                                                                        \
      "INSERT OR REPLACE INTO skip_count (tree_id, reason, n) VALUES (?1, ?2, ?3)")                                                                                          \
    X(META_GET, "SELECT value FROM meta WHERE key = ?1")                                                                                                                     \
    X(META_PUT, "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")                                                                                                  \
    X(META_REMOVE, "DELETE FROM meta WHERE key = ?1")                                                                                                                        \
    X(CHECKPOINT_GET, "SELECT " KEN_SQ_CHECKPOINT " FROM checkpoint WHERE uuid = ?1")                                                                                        \
    X(CHECKPOINT_NEXT,                                                                                                                                                       \
      "SELECT " KEN_SQ_CHECKPOINT " FROM checkpoint WHERE id > ?1 ORDER BY id LIMIT 1")                                                                                      \
    X(CHECKPOINT_MARKS,                                                                                                                                                      \
      "SELECT id, uuid, rev FROM checkpoint WHERE rev > ?1 ORDER BY rev LIMIT ?2")                                                                                           \
    X(CHECKPOINT_SCAN,                                                                                                                                                       \
      "SELECT " KEN_SQ_CHECKPOINT " FROM checkpoint WHERE rev > ?1 ORDER BY rev LIMIT ?2")                                                                                   \
    X(CHECKPOINT_ADD,                                                                                                                                                        \
      "INSERT INTO checkpoint (uuid, rev, created_at_ms, updated_at_ms, token_count, git_branch, git_commit, "                                                               \
      "summary, git_dirty, context, description) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")                                                                     \
    X(CHECKPOINT_PUT,                                                                                                                                                        \
      "UPDATE checkpoint SET uuid = ?1, rev = ?2, created_at_ms = ?3, updated_at_ms = ?4, token_count = ?5, git_branch = ?6, git_commit = ?7, "                              \
      "summary = ?8, git_dirty = ?9, context = ?10, description = ?11 WHERE id = ?12")                                                                                       \
    X(CHECKPOINT_REMOVE, "DELETE FROM checkpoint WHERE id = ?1")                                                                                                             \
    X(CHECKPOINT_BUMP, "UPDATE checkpoint_state SET rev = rev + 1, n = n + ?1")                                                                                              \
    X(CHECKPOINT_STATE, "SELECT rev, n FROM checkpoint_state")                                                                                                               \
    X(TAG_SCAN, "SELECT tag FROM checkpoint_tag WHERE checkpoint = ?1 ORDER BY tag")                                                                                         \
    X(TAG_CLEAR, "DELETE FROM checkpoint_tag WHERE checkpoint = ?1")                                                                                                         \
    X(TAG_ADD, "INSERT INTO checkpoint_tag (tag, checkpoint) VALUES (?1, ?2)")                                                                                               \
    X(RULE_DOCUMENT_CLEAR, "DELETE FROM rule_document")                                                                                                                      \
    X(RULE_DOCUMENT_ADD,                                                                                                                                                     \
      "INSERT INTO rule_document (path, kind, sha256, n_bytes, mtime_ns, weight, indexed_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                        \
    X(RULE_DOCUMENT_SCAN,                                                                                                                                                    \
      "SELECT path, kind, sha256, n_bytes, mtime_ns, weight, indexed_at_ms, (SELECT count(*) FROM rule WHERE document = rule_document.id) FROM rule_document ORDER BY path") \
    X(RULE_ADD,                                                                                                                                                              \
      "INSERT INTO rule (document, ordinal, first_line, last_line, heading, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")

#endif
