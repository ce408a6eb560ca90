-- Opening a database, and what it says of itself. {words} are filled in.

-- :SET_PRAGMAS
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -{cache_kib};
PRAGMA mmap_size = {map_bytes};
PRAGMA secure_delete = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA cell_size_check = ON;
PRAGMA journal_size_limit = {log_bytes};

-- :APPLICATION_ID
PRAGMA application_id;

-- :USER_VERSION
PRAGMA user_version;

-- :SET_MARKS
PRAGMA application_id = {application};
PRAGMA user_version = {version};

-- :COUNT_TABLES
SELECT count(*) FROM sqlite_schema;

-- :USE_LOG
PRAGMA journal_mode = WAL;

-- :USE_NO_LOG
PRAGMA journal_mode = DELETE;

-- :SYNC_FULLY
PRAGMA synchronous = FULL;

-- :SET_PAGE_SIZE
PRAGMA page_size = 4096;

-- :SET_AUTO_VACUUM
PRAGMA auto_vacuum = INCREMENTAL;

-- :PAGE_COUNT
PRAGMA page_count;

-- :PAGE_SIZE
PRAGMA page_size;

-- :FREE_PAGES
PRAGMA freelist_count;

-- :SHRINK
PRAGMA incremental_vacuum;

-- :TAKE_ALONE
PRAGMA locking_mode = EXCLUSIVE;
BEGIN EXCLUSIVE;
COMMIT;

-- :COPY_INTO
VACUUM INTO ?1;
