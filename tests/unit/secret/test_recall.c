// SPDX-License-Identifier: MIT
// Planted secrets: each kind in each context, several of each. The secrets are made here, from the
// shapes that the vendors document and a generator with a fixed seed; none is real, and no text of
// this file looks like one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "ktest.h"
#include "secret/secret.h"

#define UUID "%x{8}-%x{4}-%x{4}-%x{4}-%x{12}"

// What is planted. `name` is what it is assigned to; kinds that are known by their shape alone have
// a name that says nothing. In `body`, '\1' ends the public part.
typedef struct plant {
    const char *kind, *name, *body;
    bool is_named; // known by its name: bare places do not show it
} plant;

#define BARE(kind, body)           \
    {                              \
        kind, "value", body, false \
    }
#define NAMED(kind, name, body) \
    {                           \
        kind, name, body, true  \
    }
#define LINE "%b{64}\n"

static const plant plants[] = {
    BARE("adafruit", "aio_\1%a{28}"),
    BARE("age", "AGE-SECRET-KEY-1\1%U{58}"),
    BARE("airtable", "pat\1%a{14}.%x{64}"),
    BARE("alibaba", "LTAI\1%a{20}"),
    BARE("anthropic", "sk-ant-\1api03-%u{93}AA"),
    BARE("artifactory", "AKCp\1%a{69}"),
    BARE("atlassian", "ATATT3\1%a{180}=%U{8}"),
    BARE("aws-key-id", "AKIA\1%U{16}"),
    NAMED("aws-secret", "aws_secret_access_key", "\1%b{40}"),
    NAMED("aws-session", "aws_session_token", "\1%b{300}"),
    NAMED("azure-storage", "AccountKey", "\1%b{86}=="),
    BARE("azure-ad", "\1%a{3}8Q~%a{34}"),
    BARE("azure-sas", "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=\1%b{43}="),
    BARE("braintree", "access_token$production$\1%l{16}$%x{32}"),
    BARE("brevo", "xkeysib-\1%x{64}-%a{16}"),
    BARE("buildkite", "bkua_\1%x{40}"),
    BARE("clojars", "CLOJARS_\1%l{60}"),
    NAMED("cloudflare", "CLOUDFLARE_API_TOKEN", "\1%u{40}"),
    NAMED("cohere", "COHERE_API_KEY", "\1%a{40}"),
    BARE("databricks", "dapi\1%x{32}"),
    NAMED("datadog", "DATADOG_API_KEY", "\1%x{32}"),
    BARE("digitalocean", "dop_v1_\1%x{64}"),
    BARE("discord-bot", "\1MTA4%d64{17}.G%a{5}.%u{38}"),
    BARE("discord-hook", "https://discord.com/api/webhooks/\1%d{18}/%u{68}"),
    BARE("docker-hub", "dckr_pat_\1%u{27}"),
    BARE("doppler", "dp.pt.\1%a{43}"),
    BARE("dropbox", "sl.\1B%u{134}"),
    BARE("dynatrace", "dt0c01.\1%U{24}.%U{64}"),
    BARE("easypost", "EZAK\1%a{54}"),
    BARE("facebook", "EAA\1%a{120}"),
    BARE("figma", "figd_\1%u{40}"),
    BARE("fly-io", "fo1_\1%u{43}"),
    BARE("github", "ghp_\1%a{36}"),
    BARE("github-fine", "github_pat_\1%a{22}_%a{59}"),
    BARE("gitlab", "glpat-\1%u{20}"),
    BARE("gitlab-runner", "glrt-\1%u{20}"),
    BARE("google-api", "AIza\1%u{35}"),
    BARE("google-oauth", "GOCSPX-\1%u{28}"),
    BARE("grafana", "glsa_\1%a{32}_%x{8}"),
    BARE("groq", "gsk_\1%a{52}"),
    NAMED("heroku", "HEROKU_API_KEY", "\1" UUID),
    BARE("hubspot", "pat-na1-\1" UUID),
    BARE("hugging-face", "hf_\1%a{34}"),
    NAMED("ibm", "IBM_CLOUD_API_KEY", "\1%u{44}"),
    BARE("jwt", "eyJ\1hbGciOiJIUzI1NiJ9.eyJ%u{60}.%u{43}"),
    BARE("linear", "lin_api_\1%a{40}"),
    BARE("mailchimp", "\1%x{32}\1-us14"),
    BARE("mailgun", "key-\1%x{32}"),
    BARE("netlify", "nfp_\1%a{36}"),
    BARE("new-relic", "NRAK-\1%U{27}"),
    BARE("notion", "ntn_\1%a{46}"),
    BARE("npm", "npm_\1%a{36}"),
    NAMED("okta", "OKTA_API_TOKEN", "\00100%u{40}"),
    BARE("openai", "sk-proj-\1%u{74}T3BlbkFJ%u{74}"),
    BARE("openai-old", "sk-\1%a{20}T3BlbkFJ%a{20}"),
    BARE("perplexity", "pplx-\1%a{48}"),
    BARE("plaid", "access-sandbox-\1" UUID),
    BARE("planetscale", "pscale_tkn_\1%u{43}"),
    BARE("postman", "PMAK-\1%x{24}-%x{34}"),
    BARE("pulumi", "pul-\1%x{40}"),
    BARE("pypi", "pypi-\1AgEIcHlwaS5vcmc%u{120}"),
    BARE("replicate", "r8_\1%a{37}"),
    BARE("rubygems", "rubygems_\1%x{48}"),
    BARE("sendgrid", "SG.\1%u{22}.%u{43}"),
    BARE("sentry", "sntryu_\1%x{64}"),
    BARE("shopify", "shpat_\1%x{32}"),
    BARE("slack", "xoxb-\1%d{12}-%d{13}-%a{24}"),
    BARE("slack-hook", "https://hooks.slack.com/services/\1T%U{10}/B%U{10}/%a{24}"),
    BARE("sonarqube", "squ_\1%x{40}"),
    BARE("square", "sq0atp-\1%u{22}"),
    BARE("stripe", "sk_live_\1%a{24}"),
    BARE("supabase", "sbp_\1%x{40}"),
    BARE("teams",
         "https://a.webhook.office.com/webhookb2/\1" UUID "@" UUID "/IncomingWebhook/%x{32}/" UUID),
    BARE("telegram", "%d{10}:\1AA%u{33}"),
    NAMED("tencent", "TENCENT_SECRET_KEY", "\1%a{32}"),
    BARE("terraform", "%a{14}.atlasv1.\1%u{67}"),
    BARE("twilio", "SK\1%x{32}"),
    NAMED("twilio-auth", "TWILIO_AUTH_TOKEN", "\1%x{32}"),
    BARE("vault", "hvs.\1%u{90}"),
    BARE("yandex", "AQVN\1%u{35}"),
    BARE("zapier", "https://hooks.zapier.com/hooks/catch/\1%d{7}/%l{7}"),
    BARE("url-password", "postgres://app:\1%a{12}7x\1@db.internal:5432/main"),
    NAMED("password", "DB_PASSWORD", "\1%a{6}8k%a{8}"),
    NAMED("secret-key", "secret_key", "\1%a{20}5Q%a{10}"),
    NAMED("api-key", "apiKey", "\1%l{15}3f%l{15}"),
    BARE("pem-rsa", "-----BEGIN RSA PRIVATE KEY-----\n\1" LINE LINE LINE "%b{22}=="
                    "\1\n-----END RSA PRIVATE KEY-----"),
    BARE("pem-openssh", "-----BEGIN OPENSSH PRIVATE KEY-----\n\1" LINE LINE LINE LINE "%b{20}"
                        "\1\n-----END OPENSSH PRIVATE KEY-----"),
    BARE("pgp", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n\1" LINE LINE LINE "%b{40}"
                "\1\n-----END PGP PRIVATE KEY BLOCK-----"),
};

enum {
    N_PLANTS = sizeof plants / sizeof plants[0],
    ROUNDS = 4,
    BARS_PER_MILLE = 980,
};

// ---- making a secret ---------------------------------------------------------------------------

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static const char *letters_of(char set)
{
    switch (set) {
    case 'd':
        return "0123456789";
    case 'x':
        return "0123456789abcdef";
    case 'l':
        return "abcdefghijklmnopqrstuvwxyz0123456789";
    case 'U':
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    case 'u':
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    case 'b':
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    default:
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    }
}

typedef struct planted {
    char text[1600];
    size_t n, from, to; // [from, to) must be masked
} planted;

static void put_class(planted *s, const char **at, uint64_t *seed)
{
    char set = *(*at)++;
    bool is_number64 = memcmp(*at, "64", 2) == 0; // base64 of digits
    *at += is_number64 ? 3 : 1;
    size_t n = 0;
    while (**at >= '0' && **at <= '9')
        n = n * 10 + (size_t)(*(*at)++ - '0');
    ++*at;
    static const char *const of_digits[] = { "Mz", "ND", "NT", "Nj", "OD" };
    const char *letters = letters_of(set);
    char last = 0;
    for (size_t i = 0; i < n; i++) {
        char c = letters[next_random(seed, (uint32_t)strlen(letters))];
        bool is_edge = c == '-' && (i == 0 || i + 1 == n); // no vendor's token ends so
        c = is_edge || (c == '-' && last == '-') ? 'k' : c;
        s->text[s->n++] = last = c;
    }
    if (is_number64) { // three digits are four characters
        s->n -= n;
        for (size_t i = 0; i < 5; i++) {
            const char *two = of_digits[next_random(seed, 5)];
            memcpy(s->text + s->n, two, 2);
            memcpy(s->text + s->n + 2, i % 2 ? "U2" : "Q0", 2);
            s->n += 4;
        }
    }
}

static void make_secret(const plant *p, uint64_t *seed, planted *out)
{
    int n_marks = 0;
    out->n = out->from = 0;
    out->to = SIZE_MAX;
    for (const char *at = p->body; *at;) {
        if (*at == '\1') {
            *(n_marks++ ? &out->to : &out->from) = out->n;
            at++;
        } else if (*at == '%') {
            at++;
            put_class(out, &at, seed);
        } else {
            out->text[out->n++] = *at++;
        }
    }
    out->to = out->to == SIZE_MAX ? out->n : out->to;
    out->text[out->n] = '\0';
}

// ---- contexts ----------------------------------------------------------------------------------

typedef enum coding {
    CODE_NONE = 0,
    CODE_C,        // '"', '\\' and line breaks escaped
    CODE_JSON,     // as PHP writes it: '/' too
    CODE_NOTEBOOK, // escaped twice
    CODE_PERCENT,
    CODE_ENTITIES,
    CODE_BYTES,   // a bytes literal for each line
    CODE_COMMENT, // "// " before each line
    CODE_INDENT,
    CODE_BASE64, // all of it
} coding;

typedef struct context {
    const char *title;
    const char *bare, *named; // N: the name, V: the secret
    coding code;
} context;

static const context contexts[] = {
    { "assignment", "const N = \"V\";\n", "const N = \"V\";\n", CODE_C },
    { "JSON", "{\"N\": \"V\", \"n\": 1}\n", "{\"N\": \"V\", \"n\": 1}\n", CODE_JSON },
    { "YAML", "config:\n  N: V\n  next: 2\n", "config:\n  N: V\n  next: 2\n", CODE_INDENT },
    { "env", "N=V\nOTHER=1\n", "N=V\nOTHER=1\n", CODE_C },
    { "export", "export N='V'\n", "export N='V'\n", CODE_NONE },
    { "URL query", "get https://api.example.com/v1?N=V&page=2\n",
      "get https://api.example.com/v1?N=V&page=2\n", CODE_PERCENT },
    { "HTTP header", "curl -H \"Authorization: Bearer V\" https://example.com\n",
      "curl -H \"X-N: V\" https://example.com\n", CODE_C },
    { "bytes literal", "N = b\"V\"\n", "N = b\"V\"\n", CODE_BYTES },
    { "after escape", "s = \"first line\\nV\\tlast\"\n", "s = \"first line\\nN=V\\tlast\"\n",
      CODE_C },
    { "percent", "state=Bearer%20V%26x%3D1\n", "state=a%26N%3DV%26x%3D1\n", CODE_PERCENT },
    { "notebook", "    \"N = \\\"V\\\"\\n\",\n", "    \"N = \\\"V\\\"\\n\",\n", CODE_NOTEBOOK },
    { "base64", "N=V\n", "N=V\n", CODE_BASE64 },
    { "entities", "<add key=&quot;N&quot; value=&quot;V&quot;/>\n",
      "<add key=&quot;N&quot; value=&quot;V&quot;/>\n", CODE_ENTITIES },
    { "comment", "// V\n", "// old N: V\n", CODE_COMMENT },
    { "Markdown", "Use **V** and\n\n    ken\n", "```\nN=V\n```\n", CODE_NONE },
    { "behind a word", "call(xV)\n", "call myN=V\n", CODE_C },
};

enum {
    N_CONTEXTS = sizeof contexts / sizeof contexts[0]
};

static void put_coded(ken_buf *b, char c, coding code)
{
    bool is_sign = !ken_is_word(c) && c != '-' && c != '.' && c != '~';
    switch (code) {
    case CODE_C:
    case CODE_JSON:
        if (c == '\n')
            ken_buf_puts(b, "\\n");
        else if (c == '"' || c == '\\' || (c == '/' && code == CODE_JSON))
            ken_buf_printf(b, "\\%c", c);
        else
            ken_buf_putc(b, c);
        break;
    case CODE_NOTEBOOK:
        ken_buf_puts(b, c == '\n' ? "\\\\n" : (char[]){ c, 0 });
        break;
    case CODE_PERCENT:
        if (is_sign)
            ken_buf_printf(b, "%%%02X", (unsigned)c);
        else
            ken_buf_putc(b, c);
        break;
    case CODE_ENTITIES:
        if (c == '\n' || c == '+' || c == '&')
            ken_buf_printf(b, "&#%d;", c);
        else
            ken_buf_putc(b, c);
        break;
    case CODE_BYTES:
        ken_buf_puts(b, c == '\n' ? "\\n\"\n    b\"" : (char[]){ c, 0 });
        break;
    case CODE_COMMENT:
        ken_buf_puts(b, c == '\n' ? "\n// " : (char[]){ c, 0 });
        break;
    case CODE_INDENT:
        ken_buf_puts(b, c == '\n' ? "\n    " : (char[]){ c, 0 });
        break;
    case CODE_NONE:
    case CODE_BASE64:
        ken_buf_putc(b, c);
        break;
    }
}

static void put_base64(ken_buf *out, ken_str s)
{
    const char *letters = letters_of('b');
    for (size_t i = 0; i < s.len; i += 3) {
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (i + k < s.len ? (unsigned char)s.ptr[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            ken_buf_putc(out, i + k > s.len ? '=' : letters[v >> (18 - 6 * k) & 63]);
    }
}

// [*from, *to): what must be masked in `out`.
static void place(const context *c, const plant *p, const planted *s, ken_buf *out, size_t *from,
                  size_t *to)
{
    for (const char *at = p->is_named ? c->named : c->bare; *at; at++) {
        if (*at == 'N' && !ken_is_alpha(at[1])) {
            ken_buf_puts(out, p->name);
        } else if (*at == 'V' && !ken_is_alpha(at[1])) {
            for (size_t i = 0; i <= s->n; i++) {
                *from = i == s->from ? out->len : *from;
                *to = i == s->to ? out->len : *to;
                if (i < s->n)
                    put_coded(out, s->text[i], c->code);
            }
        } else {
            ken_buf_putc(out, *at);
        }
    }
    if (c->code != CODE_BASE64)
        return;
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "data: ");
    put_base64(&b, ken_buf_str(out));
    *from = 6 + (*from + 2) / 3 * 4;
    *to = 6 + *to / 3 * 4;
    ken_buf_clear(out);
    ken_buf_put_str(out, ken_buf_str(&b));
    ken_buf_putc(out, '\n');
    ken_buf_release(&b);
}

// ---- the bar -----------------------------------------------------------------------------------

static bool is_hidden(ken_str masked, size_t from, size_t to)
{
    size_t n = 0, n_run = 0;
    for (size_t i = from; i < to; i++) { // what stays is breaks, marks between lines, never a run
        n_run = ken_is_alpha(masked.ptr[i]) || ken_is_digit(masked.ptr[i]) ? n_run + 1 : 0;
        n += masked.ptr[i] == '*';
        if (n_run > 2)
            return false;
    }
    return n * 10 >= (to - from) * 8;
}

static bool try_one(const plant *p, const context *c, uint64_t *seed, ken_buf *text)
{
    planted s;
    size_t from = 0, to = 0;
    make_secret(p, seed, &s);
    ken_buf_clear(text);
    place(c, p, &s, text, &from, &to);
    ken_buf before = KEN_BUF_INIT(0);
    ken_buf_put_str(&before, ken_buf_str(text));
    ken_secret_mask(text->ptr, text->len);
    bool is_good = is_hidden(ken_buf_str(text), from, to);
    kt_eq_u(ken_secret_mask(text->ptr, text->len), 0); // nothing is left for a second time
    if (!is_good && getenv("KEN_TEST_SHOW"))
        printf("%s, %s:\n%.*s  ->\n%.*s", p->kind, c->title, (int)before.len, before.ptr,
               (int)text->len, text->ptr);
    ken_buf_release(&before);
    return is_good;
}

KEN_TEST(secret_recall_of_every_kind_in_every_context)
{
    kt_true(N_PLANTS >= 60);
    kt_true(N_CONTEXTS >= 12);
    uint64_t seed = 12;
    ken_buf text = KEN_BUF_INIT(0);
    size_t n_all = 0, n_hidden = 0, of_context[N_CONTEXTS] = { 0 };
    for (size_t p = 0; p < N_PLANTS; p++) {
        size_t of_kind = 0;
        for (size_t c = 0; c < N_CONTEXTS; c++) {
            size_t n = 0;
            for (int i = 0; i < ROUNDS; i++)
                n += try_one(&plants[p], &contexts[c], &seed, &text);
            if (n < ROUNDS)
                printf("%s in %s: %zu of %d\n", plants[p].kind, contexts[c].title, n, ROUNDS);
            of_kind += n;
            of_context[c] += n;
        }
        n_all += ROUNDS * N_CONTEXTS;
        n_hidden += of_kind;
        // No kind and no context may fail as a whole.
        if (of_kind * 10 < (size_t)ROUNDS * N_CONTEXTS * 9)
            kt_fail("%s: %zu of %d", plants[p].kind, of_kind, ROUNDS * N_CONTEXTS);
    }
    for (size_t c = 0; c < N_CONTEXTS; c++)
        if (of_context[c] * 100 < (size_t)ROUNDS * N_PLANTS * 95)
            kt_fail("%s: %zu of %d", contexts[c].title, of_context[c], ROUNDS * N_PLANTS);
    if (n_hidden * 1000 < n_all * BARS_PER_MILLE)
        kt_fail("%zu of %zu planted secrets masked", n_hidden, n_all);
    printf("%zu of %zu planted secrets masked: %d kinds, %d contexts\n", n_hidden, n_all,
           (int)N_PLANTS, (int)N_CONTEXTS);
    ken_buf_release(&text);
}
