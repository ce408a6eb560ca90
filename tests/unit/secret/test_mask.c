// SPDX-License-Identifier: MIT
// The tokens here are made up: prefixes as the vendors write them, then letters that repeat.
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "secret/secret.h"

#define A10    "Ab3Cd5Ef7G"
#define A16    "ABCDEFGH23456723"
#define A20    A10 A10
#define A35    A20 A10 "abcde"
#define A36    A20 A10 "abcdef"
#define A40    A20 A20
#define LINE64 "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static size_t mask(const char *text, char *out, size_t cap)
{
    size_t n = strlen(text);
    kt_true(n < cap);
    memcpy(out, text, n + 1);
    return ken_secret_mask(out, n);
}

// `part` of the text must be gone, the rest must stay, and so must every line break.
static void check_masked(const char *text, const char *part, int line)
{
    char out[4096], want[4096];
    size_t n_places = mask(text, out, sizeof out);
    memcpy(want, text, strlen(text) + 1);
    char *at = strstr(want, part);
    if (!at)
        kt_fail("line %d: '%s' is not in '%s'", line, part, text);
    else
        memset(at, '*', strlen(part));
    if (n_places != 1 || strcmp(out, want) != 0)
        kt_fail("line %d: %zu places, '%s'", line, n_places, out);
    if (ken_secret_mask(out, strlen(out)) != 0 || strcmp(out, want) != 0)
        kt_fail("line %d: masked twice: '%s'", line, out);
}

static void check_untouched(const char *text, int line)
{
    char out[4096];
    if (mask(text, out, sizeof out) != 0 || strcmp(out, text) != 0)
        kt_fail("line %d: '%s' became '%s'", line, text, out);
}

#define MASKS(text, part) check_masked((text), (part), __LINE__)
#define KEEPS(text)       check_untouched((text), __LINE__)

KEN_TEST(mask_tokens)
{
    MASKS("key = \"AKIA" A16 "\"\n", A16);
    MASKS("ASIA" A16, A16);
    MASKS("xAKIA" A16, A16); // sixteen of these characters are no part of a word
    MASKS("t: ghp_" A36 "\n", A36);
    MASKS("GH=gho_" A36, A36);
    MASKS("'ghs_" A36 "'", A36);
    MASKS("x=github_pat_11ABCDEFG0" A40 "_" A40 ";", "11ABCDEFG0" A40 "_" A40);
    MASKS("glpat-" A20, A20);
    MASKS("\"xoxb-123456789012-1234567890123-" A20 "\"", "123456789012-1234567890123-" A20);
    MASKS("sk_live_" A20 "abcd", A20 "abcd");
    MASKS("AIza" A35 "&x", A35);
    MASKS("//registry/:_authToken=npm_" A36, A36);
    MASKS("pypi-" A40 A20 " ", A40 A20);
    MASKS("Bearer sk-" A40 "abcdefgh\n", A40 "abcdefgh");
    MASKS("sk-ant-api03-" A40 A40, "ant-api03-" A40 A40);
    MASKS("hf_" A35, A35);
    MASKS("glpat-" A20 "\n", A20);
    MASKS("https://hooks.slack.com/services/T00000000/B00000000/" A20 "abcd",
          "T00000000/B00000000/" A20 "abcd");
    MASKS("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
          "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    MASKS("\"SecretAccessKey\": \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\"",
          "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    MASKS("jwt=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
          "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P");
}

KEN_TEST(mask_leaves_code_alone)
{
    KEEPS("AKIA is a prefix, AKIASHORT is none");
    KEEPS("AKIA" A16 "B"); // too long to be one
    KEEPS("ghp_regression_test_of_the_parser_with_a_long_name");
    KEEPS("npm_config_registry npm_lifecycle_event npm_package_version_and_more");
    KEEPS("sk-circle-fade-dot animation-sk-cube-grid-of-many-parts");
    KEEPS("task-force-ABC-1234567890-something-long-enough"); // "sk-" inside a word
    KEEPS("eyJust.a.word eyJhbGciOiJIUzI1NiJ9 alone");
    KEEPS("const SG.Foo.Bar hooks.slack.com/services/ are where they post");
    KEEPS("aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY']");
    KEEPS("// ------------------------------------------------ BEGIN PRIVATE KEY");
    KEEPS("");
    KEEPS("x");
}

KEN_TEST(mask_leaves_ordinary_lines_alone)
{
    // Digests, object ids, integrity, versions.
    KEEPS("sha256 = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\n");
    KEEPS("commit 3bc0d9d4e5f60718293a4b5c6d7e8f9012345678\n");
    KEEPS(
        "\"integrity\": \"sha512-rT4MJrCOrh2Yb1S7xk0v9qLxWcT0mVPRjQfZ8wEo6iYx2hGdKzN5aU3tBvHs7pQ1\"\n");
    KEEPS("github.com/gin-gonic/gin v1.9.1 h1:4idEAncQnU5cB7BeOkPtxjfCSye0AAm1R0RVIqJ+Jmg=\n");
    KEEPS(
        "id: 6ba7b810-9dad-11d1-80b4-00c04fd430c8\ntoken: 6ba7b810-9dad-11d1-80b4-00c04fd430c8\n");
    KEEPS("PublicKeyToken=b77a5c561934e089, Version=4.0.0.0, Culture=neutral\n");
    // Pictures, colours, minified code.
    KEEPS(
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\"\n");
    KEEPS(".a{color:#d73a49;background:#24292e url(data:font/woff2;base64,d09GMgABAAAAAA)}\n");
    KEEPS("function a(b){return b.token=c[16],d.secretKey2=e.f1g2h3,i}\n");
    // Code about secrets.
    KEEPS("password = os.environ[\"DB_PASSWORD\"]\nsecret = settings.SECRET_KEY_V2\n");
    KEEPS("const apiKey = process.env.API_KEY_2 || getKey('main1');\n");
    KEEPS("token := strings.TrimPrefix(header, \"Bearer \")\n");
    KEEPS("if (token == TOKEN_RPAREN2 && secret->length == 16)\n");
    KEEPS("password: {type: string, minLength: 12}\npassword_hash = sha256(password1)\n");
    KEEPS("export type Password = Buffer|Uint8Array|Blob|string;\n");
    KEEPS("static const char *const token_names[] = { \"T_OPEN_TAG_WITH_ECHO1\" };\n");
    // Placeholders and documents.
    KEEPS("password: changeme123\napi_key: <your-api-key-1>\nsecret: ${SECRET_V1}\n");
    KEEPS("TOKEN=xxxxxxxxxxxxxxxxxxxxxxxx\nPASSWORD={{ vault_db_pw1 }}\n");
    KEEPS("mysql://root:password@localhost/db redis://:secret@127.0.0.1 http://user:pass@host/\n");
    KEEPS("postgres://postgres:postgres@db:5432/app?sslmode=disable\n");
    KEEPS("Permission is hereby granted, free of charge, to any person obtaining a copy\n");
    KEEPS(
        "\"password\": \"Passwort\", \"token\": \"Jeton d'acc\xc3\xa8s\", \"secret\": \"segreto\"\n");
    KEEPS("login(\"password\", \"the quick brown fox\"); tokenizer = \"cl100k_base\"\n");
}

KEN_TEST(mask_in_contexts_of_assignment)
{
    MASKS("machine h login u password Xk29vLq8Zw\n", "Xk29vLq8Zw");
    MASKS("run --api-key Zk29vLq8Zw71Bt5Rm3Yc --verbose\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("- name: DB_PASSWORD\n  value: Xk29-vLq8Zw\n", "Xk29-vLq8Zw");
    MASKS("let password: String = \"Xk29-vLq8Zw\";\n", "Xk29-vLq8Zw");
    MASKS("<password>Xk29-vLq8Zw</password>\n", "Xk29-vLq8Zw");
    MASKS("\"auth\": \"dXNlcjpYazI5LXZMcTha\"\n", "dXNlcjpYazI5LXZMcTha");
    MASKS("amqps://app:Xk29vLq8Zw@mq.internal:5671/\n", "Xk29vLq8Zw");
    MASKS("//registry.example.org/:_authToken=Zk29vLq8Zw71Bt5Rm3Yc\n", "Zk29vLq8Zw71Bt5Rm3Yc");
}

// A closer is as many bytes as it is spelt with, and none of them is part of the value.
KEN_TEST(mask_ends_before_closers_that_are_escaped)
{
    MASKS("f%28token=Zk29vLq8Zw71Bt5Rm3Yc%29 x\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("%7B%22a%22:[token=Zk29vLq8Zw71Bt5Rm3Yc%5D%7D\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("re: \\{token=Zk29vLq8Zw71Bt5Rm3Yc\\}\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("a(token=Zk29vLq8Zw71Bt5Rm3Yc&#41;)\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("x token=Zk29vLq8Zw71Bt5Rm3Yc&quot; y\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("\"token=Zk29vLq8Zw71Bt5Rm3Yc\\\" y\"\n", "Zk29vLq8Zw71Bt5Rm3Yc");
    MASKS("f(token=Zk29vLq8Zw71Bt5Rm3Yc).\n", "Zk29vLq8Zw71Bt5Rm3Yc");
}

KEN_TEST(mask_private_keys)
{
    MASKS("-----BEGIN RSA PRIVATE KEY-----\n" LINE64 "\n-----END RSA PRIVATE KEY-----\n", LINE64);
    MASKS("k = \"-----BEGIN PRIVATE KEY-----\\n" LINE64 "\\n-----END PRIVATE KEY-----\\n\"",
          LINE64);
    MASKS("-----BEGIN OPENSSH PRIVATE KEY-----\r\n" LINE64 "\r\n", LINE64); // cut off
    MASKS(
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n" LINE64
        "\n-----END EC PRIVATE KEY-----\n",
        LINE64);
    MASKS("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: x\n\n" LINE64
          "\n-----END PGP PRIVATE KEY BLOCK-----",
          LINE64);
}

KEN_TEST(mask_keeps_lengths_and_lines_of_keys)
{
    const char *text = "a\n-----BEGIN PRIVATE KEY-----\n" LINE64 "\n" LINE64 "\nshort==\n"
                       "-----END PRIVATE KEY-----\nint main;\n";
    char out[1024];
    kt_eq_u(mask(text, out, sizeof out), 1);
    kt_eq_u(strlen(out), strlen(text));
    for (size_t i = 0; text[i]; i++)
        kt_eq_i(text[i] == '\n', out[i] == '\n');
    kt_null(strstr(out, "MII"));
    kt_null(strstr(out, "short"));
    kt_has_str(out, "-----END PRIVATE KEY-----\nint main;\n");
}

KEN_TEST(mask_leaves_talk_of_keys_alone)
{
    KEEPS("-----BEGIN CERTIFICATE-----\n" LINE64 "\n-----END CERTIFICATE-----\n");
    KEEPS("-----BEGIN PUBLIC KEY-----\n" LINE64 "\n-----END PUBLIC KEY-----\n");
    KEEPS(
        "if (starts(s, \"-----BEGIN PRIVATE KEY-----\"))\n    return find(s, \"-----END PRIVATE KEY-----\");\n");
    KEEPS("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n");
    KEEPS("-----BEGIN PRIVATE KEY-----");
}

KEN_TEST(mask_finds_a_token_at_every_offset)
{
    static const char token[] = "ghp_" A36;
    for (size_t before = 0; before < 20; before++) {
        for (size_t after = 0; after < 12; after++) {
            char text[128];
            memset(text, ' ', sizeof text);
            memcpy(text + before, token, sizeof token - 1);
            size_t n = before + sizeof token - 1 + after;
            kt_eq_u(ken_secret_mask(text, n), 1);
            kt_eq_i(text[before + 4], '*');
        }
    }
}

KEN_TEST(mask_counts_places_and_takes_any_bytes)
{
    char out[512];
    kt_eq_u(mask("ghp_" A36 " AKIA" A16 "\nglpat-" A20, out, sizeof out), 3);
    static const char bytes[] = "-BEGINPRVATKY AKIAghp_eyJ.sk-xo\0\n\\\"0aZ\xff";
    uint64_t seed = 3;
    for (int round = 0; round < 2000; round++) {
        char text[256];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = bytes[next_random(&seed, sizeof bytes - 1)];
        ken_secret_mask(text, next_random(&seed, sizeof text));
    }
}
