-- The functions that may be called: SQLite's own, and those that are declared harmless (SQLITE_INNOCUOUS,
-- 0x200000); none that may only be called directly, because it has effects (SQLITE_DIRECTONLY, 0x80000).
SELECT name
    FROM pragma_function_list
    GROUP BY name
    HAVING min(builtin OR flags & 0x200000) AND NOT max(flags & 0x80000)
    ORDER BY name;
