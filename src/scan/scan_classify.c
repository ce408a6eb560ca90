// SPDX-License-Identifier: MIT
// Classification by path alone. README.md explains the lists; tests hold that they are sorted.
#include "base/path.h"
#include "base/utf8.h"
#include "scan/scan_priv.h"

// Source code proper: what the two word patterns of the secret list spare.
static const char *const code_exts[] = {
    "abap",  "ada",  "adb",    "ads",     "agda",   "ahk",   "applescript", "asm",     "astro",
    "awk",   "bas",  "bash",   "bat",     "bicep",  "bzl",   "c",           "c++",     "cairo",
    "capnp", "cbl",  "cc",     "cjs",     "cl",     "clj",   "cljc",        "cljs",    "cmake",
    "cmd",   "cob",  "coffee", "comp",    "cpp",    "cpy",   "cr",          "cs",      "cshtml",
    "css",   "csx",  "cts",    "cu",      "cuh",    "cxx",   "d",           "dart",    "dpr",
    "eex",   "ejs",  "el",     "elm",     "erb",    "erl",   "ex",          "exs",     "f",
    "f03",   "f08",  "f77",    "f90",     "f95",    "fbs",   "feature",     "fish",    "fnl",
    "for",   "frag", "fs",     "fsi",     "fsx",    "g4",    "gd",          "gemspec", "glsl",
    "go",    "gql",  "gradle", "graphql", "groovy", "h",     "h++",         "hack",    "haml",
    "hbs",   "heex", "hh",     "hlsl",    "hpp",    "hrl",   "hs",          "htm",     "html",
    "hx",    "hxx",  "idr",    "inl",     "ipp",    "java",  "jl",          "js",      "jsp",
    "jsx",   "ksh",  "kt",     "kts",     "l",      "lean",  "less",        "lhs",     "liquid",
    "lisp",  "ll",   "lua",    "luau",    "m",      "m4",    "metal",       "mjs",     "mk",
    "ml",    "mli",  "mm",     "move",    "mts",    "nim",   "nix",         "nsi",     "odin",
    "pas",   "peg",  "php",    "phtml",   "pl",     "pm",    "pony",        "prisma",  "proto",
    "ps1",   "psd1", "psm1",   "pug",     "purs",   "pxd",   "py",          "pyi",     "pyw",
    "pyx",   "q",    "qml",    "r",       "rake",   "raku",  "razor",       "rb",      "re",
    "re2c",  "rei",  "rkt",    "robot",   "rs",     "s",     "sass",        "sc",      "scala",
    "scm",   "scss", "sed",    "sh",      "slim",   "sol",   "sql",         "ss",      "st",
    "star",  "styl", "sv",     "svelte",  "svh",    "swift", "tcl",         "tf",      "thrift",
    "tpp",   "ts",   "tsx",    "twig",    "v",      "vala",  "vb",          "vbs",     "vert",
    "vhd",   "vhdl", "vim",    "vue",     "wat",    "wgsl",  "xhtml",       "y",       "yy",
    "zig",   "zsh",
};

// Compiled, packed, pictures, sound, fonts, documents, databases, models.
static const char *const binary_exts[] = {
    "7z",      "a",       "aab",     "aac",     "ai",   "aiff",   "apk",         "ar",
    "arj",     "arrow",   "arw",     "avi",     "avif", "avro",   "beam",        "bin",
    "blend",   "bmp",     "br",      "bson",    "bz2",  "cab",    "cer",         "class",
    "cr2",     "crx",     "cur",     "db",      "db3",  "dcm",    "dds",         "deb",
    "der",     "dex",     "dll",     "dmg",     "doc",  "docm",   "docx",        "ds_store",
    "dwg",     "dylib",   "ear",     "egg",     "elc",  "eot",    "epub",        "exe",
    "exr",     "fbx",     "feather", "fla",     "flac", "flv",    "gcda",        "gcno",
    "gem",     "gguf",    "gif",     "glb",     "gz",   "h5",     "hdf5",        "heic",
    "heif",    "hi",      "icns",    "ico",     "img",  "iso",    "jar",         "jp2",
    "jpeg",    "jpg",     "jxl",     "ko",      "ktx",  "lib",    "lnk",         "lz",
    "lz4",     "lzma",    "lzo",     "m4a",     "m4v",  "mdb",    "mid",         "midi",
    "mkv",     "mlmodel", "mobi",    "mov",     "mp3",  "mp4",    "mpeg",        "mpg",
    "msgpack", "msi",     "nef",     "nes",     "nib",  "npy",    "npz",         "nupkg",
    "o",       "obj",     "odg",     "odp",     "ods",  "odt",    "ogg",         "ogv",
    "onnx",    "opus",    "orc",     "otf",     "out",  "pack",   "parquet",     "pbf",
    "pcap",    "pcapng",  "pch",     "pdb",     "pdf",  "pickle", "pkl",         "png",
    "ppt",     "pptx",    "profraw", "psb",     "psd",  "pyc",    "pyd",         "pyo",
    "rar",     "rdb",     "rlib",    "rmeta",   "rom",  "rpm",    "safetensors", "sketch",
    "snappy",  "so",      "sqlite",  "sqlite3", "swf",  "swo",    "swp",         "sys",
    "tar",     "tflite",  "tga",     "tgz",     "tif",  "tiff",   "torrent",     "ttc",
    "ttf",     "txz",     "tzst",    "wad",     "wasm", "wav",    "webm",        "webp",
    "whl",     "wim",     "wma",     "wmv",     "woff", "woff2",  "xcf",         "xls",
    "xlsb",    "xlsx",    "xpi",     "xz",      "z",    "zip",    "zst",         "zstd",
};

// Keys and key stores.
static const char *const secret_exts[] = {
    "bks",  "jceks", "jks", "kdb", "kdbx", "key",    "keystore", "kubeconfig",
    "ovpn", "p12",   "p8",  "pem", "pfx",  "pkcs12", "ppk",      "tfstate",
};

// Whole names.
static const char *const secret_names[] = {
    ".authinfo",
    ".authinfo.gpg",
    ".bash_history",
    ".boto",
    ".credentials",
    ".dockercfg",
    ".dockerconfigjson",
    ".envrc",
    ".fetchmailrc",
    ".git-credentials",
    ".htdigest",
    ".htpasswd",
    ".irb_history",
    ".my.cnf",
    ".mylogin.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".pgpass",
    ".pry_history",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".rediscli_auth",
    ".rediscli_history",
    ".s3cfg",
    ".secrets",
    ".sh_history",
    ".sqlite_history",
    ".terraformrc",
    ".vault-token",
    ".vault_pass",
    ".zsh_history",
    "_netrc",
    "kubeconfig",
    "kubeconfig.conf",
    "kubeconfig.json",
    "kubeconfig.yaml",
    "kubeconfig.yml",
    "terraform.rc",
};

// Extensions that are secret in a folder named "secrets".
static const char *const config_exts[] = {
    "asc", "b64",  "cfg",        "conf", "config", "csv",  "dat", "enc", "env", "gpg",  "hcl",
    "ini", "json", "properties", "sops", "tfvars", "toml", "tsv", "txt", "xml", "yaml", "yml",
};

// Written by package managers.
static const char *const lock_names[] = {
    ".package-lock.json",
    ".pnp.cjs",
    ".pnp.js",
    ".pnp.loader.mjs",
    ".terraform.lock.hcl",
    "buf.lock",
    "buildscript-gradle.lockfile",
    "bun.lock",
    "bun.lockb",
    "cabal.project.freeze",
    "cargo.lock",
    "cartfile.resolved",
    "chart.lock",
    "composer.lock",
    "conan.lock",
    "conda-lock.yml",
    "deno.lock",
    "flake.lock",
    "gemfile.lock",
    "glide.lock",
    "go.sum",
    "go.work.sum",
    "gopkg.lock",
    "gradle.lockfile",
    "manifest.toml.lock",
    "mint.lock",
    "mix.lock",
    "module.bazel.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.resolved",
    "packages.lock.json",
    "paket.lock",
    "pdm.lock",
    "pipfile.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "podfile.lock",
    "poetry.lock",
    "poetry.toml.lock",
    "project.assets.json",
    "pubspec.lock",
    "rebar.lock",
    "shard.lock",
    "stack.yaml.lock",
    "uv.lock",
    "verification-metadata.xml",
    "yarn.lock",
};

// Metadata, caches and environments: never entered, whoever tracks them.
static const char *const never_folders[] = {
    ".angular",
    ".aws-sam",
    ".bloop",
    ".bsp",
    ".bundle",
    ".bzr",
    ".cabal-sandbox",
    ".cache",
    ".ccache",
    ".ccls-cache",
    ".clangd",
    ".dart_tool",
    ".devenv",
    ".direnv",
    ".docusaurus",
    ".dvc",
    ".eggs",
    ".elixir_ls",
    ".eslintcache",
    ".expo",
    ".git",
    ".gradle",
    ".hg",
    ".history",
    ".hypothesis",
    ".idea",
    ".ipynb_checkpoints",
    ".jj",
    ".kitchen",
    ".lake",
    ".metals",
    ".mypy_cache",
    ".netlify",
    ".nox",
    ".nyc_output",
    ".parcel-cache",
    ".pub-cache",
    ".pyre",
    ".pytest_cache",
    ".pytype",
    ".rag",
    ".ropeproject",
    ".ruff_cache",
    ".sass-cache",
    ".scannerwork",
    ".sccache",
    ".serverless",
    ".sl",
    ".stack-work",
    ".svn",
    ".swiftpm",
    ".terraform",
    ".terragrunt-cache",
    ".tox",
    ".turbo",
    ".vagrant",
    ".venv",
    ".vercel",
    ".virtualenv",
    ".vs",
    ".wrangler",
    ".yarn",
    ".zig-cache",
    "DerivedData",
    "__MACOSX",
    "__pycache__",
    "_darcs",
    "dist-newstyle",
    "venv",
    "zig-cache",
};

// Other people's code.
static const char *const vendored_folders[] = {
    "Carthage",      "Pods",         "bower_components", "elm-stuff",
    "jspm_packages", "node_modules", "site-packages",    "third-party",
    "third_party",   "vendor",       "web_modules",
};

// Output folders of builds. Skipped only where git tracks nothing below them.
static const char *const output_folders[] = {
    ".build",    ".next", ".nuxt",    ".output", ".svelte-kit", "_build",  "bazel-bin",
    "bazel-out", "build", "coverage", "dist",    "htmlcov",     "out-tsc", "storybook-static",
    "target",
};

#define IN_TABLE(word, table) in_table((word), (table), sizeof(table) / sizeof((table)[0]))

static bool in_table(ken_str word, const char *const *table, size_t n)
{
    size_t from = 0;
    while (from < n) {
        size_t mid = from + (n - from) / 2;
        int c = ken_str_cmp(word, ken_str_c(table[mid]));
        if (!c)
            return true;
        if (c < 0)
            n = mid;
        else
            from = mid + 1;
    }
    return false;
}

enum {
    NAME_MAX_BYTES = 255
}; // what file systems allow; longer names match no list

typedef struct folded_name {
    char bytes[NAME_MAX_BYTES + 1];
    ken_str text, ext; // ext: after the last '.', also of ".name"
} folded_name;

static void fold(folded_name *out, ken_str name)
{
    size_t n = name.len <= NAME_MAX_BYTES ? name.len : 0;
    for (size_t i = 0; i < n; i++)
        out->bytes[i] = ken_lower(name.ptr[i]);
    out->text = ken_str_n(out->bytes, n);
    size_t dot = ken_str_rfind_char(out->text, '.');
    out->ext = dot == SIZE_MAX ? KEN_STR("") : ken_str_sub(out->text, dot + 1, n);
}

static bool has(ken_str text, const char *part)
{
    return ken_str_find(text, ken_str_c(part)) != SIZE_MAX;
}

static bool ends(ken_str text, const char *tail)
{
    return ken_str_ends(text, ken_str_c(tail));
}

static bool starts(ken_str text, const char *head)
{
    return ken_str_starts(text, ken_str_c(head));
}

bool ken_scan__is_bad_name(ken_str name)
{
    return !ken_utf8_is_printable(name, "");
}

scan_folder_kind ken_scan__folder_kind(ken_str name)
{
    if (IN_TABLE(name, never_folders) || ken_str_ends(name, KEN_STR(".egg-info")))
        return SCAN_FOLDER_NEVER;
    if (IN_TABLE(name, vendored_folders))
        return SCAN_FOLDER_VENDORED;
    return IN_TABLE(name, output_folders) ? SCAN_FOLDER_OUTPUT : SCAN_FOLDER_ORDINARY;
}

bool ken_scan__is_secret_folder(ken_str name)
{
    return ken_str_eq(name, KEN_STR(".aws")) || ken_str_eq(name, KEN_STR(".ssh")) ||
           ken_str_eq(name, KEN_STR(".gnupg")) || ken_str_eq(name, KEN_STR(".kube"));
}

bool ken_scan__is_marker(ken_str name)
{
    return ken_str_eq(name, KEN_STR("pyvenv.cfg")) || ken_str_eq(name, KEN_STR("CACHEDIR.TAG"));
}

// A file that shows the shape of a secret one.
static bool is_pattern_file(ken_str name)
{
    return has(name, "example") || has(name, "sample") || has(name, "template") ||
           has(name, ".dist") || has(name, ".defaults") || has(name, ".schema");
}

static bool is_env_file(ken_str name)
{
    return ends(name, ".env") || starts(name, ".env.");
}

static bool is_private_key(ken_str name)
{
    return (starts(name, "id_rsa") || starts(name, "id_dsa") || starts(name, "id_ecdsa") ||
            starts(name, "id_ed25519")) &&
           !ends(name, ".pub");
}

static bool is_service_account(ken_str name)
{
    return ends(name, ".json") &&
           (starts(name, "service-account") || starts(name, "service_account") ||
            starts(name, "serviceaccount"));
}

// Variables of Terraform, passwords of Ansible's vault.
static bool is_variables_file(const folded_name *f)
{
    return ken_str_eq(f->ext, KEN_STR("tfvars")) || ends(f->text, ".tfvars.json") ||
           starts(f->text, "vault_pass") || starts(f->text, "vault-pass") ||
           starts(f->text, ".vault_pass") || starts(f->text, ".vault-pass");
}

static bool is_in_secret_folder(ken_str dir, const folded_name *f)
{
    static const char *const names[] = { "secrets", ".secrets", "credentials", ".credentials" };
    ken_str parent = ken_path_base(dir);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ken_str_eq_fold(parent, ken_str_c(names[i])))
            return !f->ext.len || IN_TABLE(f->ext, config_exts);
    return ken_str_eq(parent, KEN_STR(".docker")) && ken_str_eq(f->text, KEN_STR("config.json"));
}

static bool is_secret(ken_str path, const folded_name *f, bool is_code)
{
    if (IN_TABLE(f->ext, secret_exts) || IN_TABLE(f->text, secret_names) ||
        is_private_key(f->text) || is_service_account(f->text))
        return true;
    if (is_pattern_file(f->text))
        return false;
    if (is_env_file(f->text))
        return true;
    if (is_code)
        return false;
    return is_variables_file(f) || has(f->text, "secret") || has(f->text, "credentials") ||
           is_in_secret_folder(ken_path_dir(path), f);
}

// Files that nobody reads: locks, maps, minified code.
static bool is_packed_name(const folded_name *f)
{
    static const char *const tails[] = { ".min.js", ".min.mjs",    ".min.cjs",   ".min.css",
                                         "-min.js", "-min.css",    ".bundle.js", ".map",
                                         ".lockb",  ".tsbuildinfo" };
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
        if (ends(f->text, tails[i]))
            return true;
    return IN_TABLE(f->text, lock_names);
}

// Generated files; generated code defines names that others use.
static bool is_generated_name(const folded_name *f)
{
    static const char *const tails[] = {
        ".pb.go",   ".pb.gw.go",     ".pb.cc",       ".pb.h",         ".pb.c",        ".pb.swift",
        "_pb2.py",  "_pb2.pyi",      "_pb2_grpc.py", "_pb2_grpc.pyi", "_pb.js",       "_pb.ts",
        "_pb.d.ts", "_pb.rb",        "_grpc_pb.js",  "_grpc_pb.d.ts", ".pb.dart",     ".g.dart",
        ".gr.dart", ".freezed.dart", ".mocks.dart",  ".designer.cs",  ".designer.vb", ".g.cs",
        ".g.i.cs",  ".gen.go",       ".gen.ts",
    };
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
        if (ends(f->text, tails[i]))
            return true;
    return has(f->text, ".generated.") || starts(f->text, "zz_generated.");
}

bool ken_scan_is_generated_path(ken_str path)
{
    folded_name f;
    fold(&f, ken_path_base(path));
    return is_generated_name(&f);
}

ken_skip_reason ken_scan__judge_name(ken_str path, bool is_code, bool wants_secrets)
{
    folded_name f;
    fold(&f, ken_path_base(path));
    is_code = is_code || IN_TABLE(f.ext, code_exts);
    if (!wants_secrets && is_secret(path, &f, is_code))
        return KEN_SKIP_SECRET;
    if (is_packed_name(&f) || (!is_code && is_generated_name(&f)))
        return KEN_SKIP_GENERATED;
    return IN_TABLE(f.ext, binary_exts) ? KEN_SKIP_BINARY : KEN_SKIP_NONE;
}

static bool any_glob(const ken_str *globs, size_t n, ken_str path)
{
    for (size_t i = 0; i < n; i++)
        if (ken_glob_match(globs[i], path))
            return true;
    return false;
}

ken_skip_reason ken_scan_classify_path(ken_str path, bool is_code, const ken_scan_opts *opts)
{
    static const ken_scan_opts defaults = { 0 };
    if (!opts)
        opts = &defaults;
    if (ken_scan__is_bad_name(path))
        return KEN_SKIP_NAME;
    if (any_glob(opts->exclude, opts->n_exclude, path))
        return KEN_SKIP_IGNORED;
    ken_str rest = ken_path_dir(path), part;
    while (rest.len && ken_str_split_next(&rest, '/', &part)) {
        scan_folder_kind kind = ken_scan__folder_kind(part);
        if (kind == SCAN_FOLDER_NEVER)
            return KEN_SKIP_FOLDER;
        if (kind == SCAN_FOLDER_VENDORED)
            return KEN_SKIP_VENDORED;
        if (!opts->wants_secrets && ken_scan__is_secret_folder(part))
            return KEN_SKIP_SECRET;
    }
    return ken_scan__judge_name(path, is_code, opts->wants_secrets);
}
