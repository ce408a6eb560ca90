// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/buf.h"
#include "help.h"

static const char *path_says(const char *path)
{
    return ken_skip_word(ken_scan_classify_path(ken_str_c(path), false, NULL));
}

static const char *content_says(const char *path, const char *text)
{
    return ken_skip_word(ken_scan_classify_content(ken_str_c(path), ken_str_c(text)));
}

#define PATH_IS(path, word)          kt_eq_str(path_says(path), word)
#define CONTENT_IS(path, text, word) kt_eq_str(content_says(path, text), word)

KEN_TEST(classify_secret_paths)
{
    static const char *const secret[] = {
        ".env",
        "prod.env",
        "x/.env.local",
        ".env.production",
        "a.key",
        "certs/server.pem",
        "a.p12",
        "a.jks",
        "a.pfx",
        "credentials.json",
        "aws-credentials",
        "my_secret.yaml",
        "kubeconfig",
        "prod.tfvars",
        "a/b.auto.tfvars.json",
        ".bash_history",
        "vault_pass.txt",
        ".git-credentials",
        "dev.kubeconfig",
        ".psql_history",
        "Secrets.json",
        "secrets.md",
        ".aws/config",
        "home/.ssh/known_hosts",
        "id_rsa",
        "id_ed25519",
        ".netrc",
        ".npmrc",
        "terraform.tfstate",
        "config/secrets/prod.yaml",
        "deploy/secrets/token",
        ".docker/config.json",
        "service-account-prod.json",
    };
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        if (strcmp(path_says(secret[i]), "secret") != 0)
            kt_fail("'%s' is %s", secret[i], path_says(secret[i]));
    ken_scan_opts all = { .wants_secrets = true };
    kt_eq_u(ken_scan_classify_path(KEN_STR(".env"), false, &all), KEN_SKIP_NONE);
    kt_eq_u(ken_scan_classify_path(KEN_STR(".ssh/config"), false, &all), KEN_SKIP_NONE);
}

KEN_TEST(classify_spares_code_and_patterns_of_secrets)
{
    static const char *const fine[] = {
        "secret_manager.c",
        "src/credentials.ts",
        "k8s/secret_test.go",
        "SecretStore.java",
        ".env.example",
        ".env.sample",
        ".env.template",
        "example.env",
        "secrets.example.yaml",
        "example.tfvars",
        "terraform.tfvars.example",
        "kubeconfig.go",
        "vault_pass.py",
        "id_rsa.pub",
        "environment.py",
        "src/env/main.c",
        "keyboard.c",
        "a.keys.ts",
        "secrets/store.go",
        "monkey.txt",
        "secret.html",
        "create_secrets.sql",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (strcmp(path_says(fine[i]), "none") != 0)
            kt_fail("'%s' is %s", fine[i], path_says(fine[i]));
    kt_eq_u(ken_scan_classify_path(KEN_STR("secret.newlang"), true, NULL), KEN_SKIP_NONE);
    kt_eq_u(ken_scan_classify_path(KEN_STR("secret.newlang"), false, NULL), KEN_SKIP_SECRET);
}

KEN_TEST(classify_folders)
{
    PATH_IS("node_modules/x/index.js", "vendored");
    PATH_IS("a/vendor/b/c.go", "vendored");
    PATH_IS("third_party/c.c", "vendored");
    PATH_IS("deps/lua/src/lua.c", "none");
    PATH_IS(".git/config", "folder");
    PATH_IS("x/__pycache__/a.py", "folder");
    PATH_IS(".venv/lib/a.py", "folder");
    PATH_IS("a.egg-info/PKG-INFO", "folder");
    PATH_IS("build/rules.mk", "none"); // only a scan knows whether git tracks it
    PATH_IS("vendor.c", "none");
    PATH_IS(".github/workflows/ci.yml", "none");
}

KEN_TEST(classify_generated_and_binary_names)
{
    PATH_IS("package-lock.json", "generated");
    PATH_IS("web/yarn.lock", "generated");
    PATH_IS("Cargo.lock", "generated");
    PATH_IS("go.sum", "generated");
    PATH_IS("poetry.lock", "generated");
    PATH_IS("pnpm-lock.yaml", "generated");
    PATH_IS("Gemfile.lock", "generated");
    PATH_IS("x.min.js", "generated");
    PATH_IS("x.min.css", "generated");
    PATH_IS("x.js.map", "generated");
    PATH_IS("api.pb.go", "generated");
    PATH_IS("api_pb2.py", "generated");
    PATH_IS("model.g.dart", "generated");
    PATH_IS("Form1.Designer.cs", "generated");
    PATH_IS("zz_generated.deepcopy.go", "generated");
    PATH_IS("go.mod", "none");
    PATH_IS("package.json", "none");
    PATH_IS("mapper.js", "none");
    PATH_IS("logo.PNG", "binary");
    PATH_IS("lib.so", "binary");
    PATH_IS("a.whl", "binary");
    PATH_IS("logo.svg", "none");
    PATH_IS("a.ts", "none");
    PATH_IS("a\nb", "name");
    PATH_IS("a\xff", "name");
    PATH_IS("\xc3\xa9.c", "none");
}

KEN_TEST(classify_obeys_globs)
{
    const ken_str no_docs[] = { KEN_STR("docs/") };
    ken_scan_opts opts = { .exclude = no_docs, .n_exclude = 1 };
    kt_eq_u(ken_scan_classify_path(KEN_STR("docs/a.md"), false, &opts), KEN_SKIP_IGNORED);
    kt_eq_u(ken_scan_classify_path(KEN_STR("src/a.c"), false, &opts), KEN_SKIP_NONE);
}

KEN_TEST(classify_encodings)
{
    CONTENT_IS("a.c", "", "empty");
    CONTENT_IS("a.c", "int x;\n", "none");
    CONTENT_IS("a.c", "\xef\xbb\xbfint x;\n", "none");
    CONTENT_IS("a.c", "// caf\xe9\n", "encoding");
    CONTENT_IS("a.c", "\xff\xfei\n", "encoding");
    kt_eq_u(ken_scan_classify_content(KEN_STR("a"), KEN_STR("\xff\xfei\0n\0")), KEN_SKIP_ENCODING);
    kt_eq_u(ken_scan_classify_content(KEN_STR("a"), KEN_STR("ELF\0\1")), KEN_SKIP_BINARY);
}

KEN_TEST(classify_marks_of_generators)
{
    CONTENT_IS("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage x\n",
               "generated");
    CONTENT_IS("a.py", "#!/usr/bin/env python3\n# @generated by x\nx = 1\n", "generated");
    CONTENT_IS("a.js", "/**\n * @generated SignedSource<<abc>>\n */\n", "generated");
    CONTENT_IS("a.cs", "//----\n// <auto-generated>\n//  by a tool\n", "generated");
    CONTENT_IS("a.c", "/* A Bison parser, made by GNU Bison 3.8.2.  */\n", "generated");
    CONTENT_IS("a.py", "# This file is auto-generated by x.py, DO NOT edit manually\n",
               "generated");
    CONTENT_IS("a.sh", "# Generated from a.in.\n#\n# Do not modify.\n", "generated");
    CONTENT_IS("a.html", "<!DOCTYPE html>\n<!-- Generated by x. Do not edit. -->\n", "generated");
    CONTENT_IS("a.php", "<?php\n\n// This file was generated by x. Do not change it.\n",
               "generated");
    CONTENT_IS("a.js", "/******/ (() => { // webpackBootstrap\n", "generated");
}

KEN_TEST(classify_spares_those_who_write_about_generating)
{
    CONTENT_IS("gen.py", "T = \"# Code generated by x. DO NOT EDIT.\"\n", "none");
    CONTENT_IS("gen.py", "import x\n\nT = \"\"\"\n# Code generated by x.\n# DO NOT EDIT.\n\"\"\"\n",
               "none");
    CONTENT_IS("gen.sh", "cat <<EOF\n# Generated by x. Do not edit.\nEOF\n", "none");
    CONTENT_IS("gen.js", "const T = `\n// @generated\n`;\n", "none");
    CONTENT_IS("scan.h",
               "// Files with \"@generated\" or `DO NOT EDIT` near the top are generated.\n",
               "none");
    CONTENT_IS("a.c", "// The table below was generated once; feel free to improve it.\n", "none");
    CONTENT_IS("a.c", "// Please do not edit two of these at once.\n", "none");
    CONTENT_IS("README.md", "<!-- generated by x, do not edit -->\n# Title\n", "none");
    CONTENT_IS("a.c",
               "int a;\nint b;\nint c;\nint d;\nint e;\nint f;\n// Code generated. DO NOT EDIT.\n",
               "none"); // too late
    CONTENT_IS("a.c", "#define MARK \"Code generated by x DO NOT EDIT\"\n", "none");
}

KEN_TEST(classify_minified)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 3000; i++)
        ken_buf_puts(&b, "a=b;");
    CONTENT_IS("x.js", b.ptr, "generated");
    CONTENT_IS("x.json", b.ptr, "generated");
    CONTENT_IS("x.md", b.ptr, "none");
    for (int i = 0; i < 60; i++) // one long line among code is data, not minified code
        ken_buf_puts(&b, "\nfoo(bar);");
    CONTENT_IS("x.js", b.ptr, "none");
    ken_buf_clear(&b);
    ken_buf_puts(&b, "var a=\"0123456789012345678901234567890123456789\";");
    CONTENT_IS("x.js", b.ptr, "none"); // too short to matter
    ken_buf_release(&b);
}

// The lists are searched by halves, so they must be sorted; this reads them from the source.
KEN_TEST(classify_lists_are_sorted)
{
    ken_str rest = ktest_read(KEN_TEST_SOURCE_DIR "/../src/scan/scan_classify.c"), line;
    char last[64] = "";
    bool is_list = false;
    size_t n_words = 0;
    while (ken_str_line_next(&rest, &line)) {
        if (ken_str_starts(line, KEN_STR("static const char *const "))) {
            is_list = true;
            last[0] = '\0';
        }
        is_list = is_list && !ken_str_starts(line, KEN_STR("}"));
        ken_str part;
        for (size_t n = 0; is_list && ken_str_split_next(&line, '"', &part); n++) {
            if (n % 2 == 0 || part.len >= sizeof last)
                continue;
            if (ken_str_cmp(ken_str_c(last), part) >= 0)
                kt_fail("'%s' stands before '" KEN_STR_FMT "'", last, KEN_STR_ARG(part));
            memcpy(last, part.ptr, part.len);
            last[part.len] = '\0';
            n_words++;
        }
    }
    kt_true(n_words > 400);
}

KEN_TEST(classify_knows_the_key_of_a_service_account)
{
    ken_str key = KEN_STR("{\"type\": \"service_account\", \"project_id\": \"p\",\n"
                          "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE\\n\"}\n");
    kt_eq_u(ken_scan_classify_content(KEN_STR("gcloud-key.json"), key), KEN_SKIP_SECRET);
    kt_eq_u(ken_scan_classify_content(KEN_STR("docs.md"), key), KEN_SKIP_NONE);
    ken_str schema = KEN_STR("{\"type\": {\"enum\": [\"user\", \"service_account\"]}}\n");
    kt_eq_u(ken_scan_classify_content(KEN_STR("schema.json"), schema), KEN_SKIP_NONE);
}
