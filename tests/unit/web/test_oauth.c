// SPDX-License-Identifier: MIT
// Tokens of an authorization server: a small one of our own, over real sockets.
#include <time.h>

#include <openssl/evp.h>

#include "base/base64.h"
#include "base/clock.h"
#include "httpd/httpd.h"
#include "web_lab.h"

#define RESOURCE "https://ken.example.com/mcp"

static struct {
    ken_httpd *server;
    EVP_PKEY *pkey;
    char url[64], document[256], keys[256];
} issuer;

static void answer(ken_httpd_request *r, const char *text)
{
    ken_httpd_answer(r, &(ken_httpd_answer_opts){
                            .status = 200, .type = "application/json", .body = ken_str_c(text) });
}

static void give_document(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer(r, issuer.document);
}

static void give_keys(void *ctx, ken_httpd_request *r)
{
    (void)ctx;
    answer(r, issuer.keys);
}

static const ken_httpd_route routes[] = {
    { "GET", "/.well-known/oauth-authorization-server", give_document, 0 },
    { "GET", "/keys", give_keys, 0 },
};

static void start_issuer(void)
{
    unsigned char x[32];
    size_t n = sizeof x;
    char text[64];
    ken_err err = { 0 };
    issuer.pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    kt_eq_i(EVP_PKEY_get_raw_public_key(issuer.pkey, x, &n), 1);
    ken_base64url_into(x, n, text);
    snprintf(issuer.keys, sizeof issuer.keys,
             "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\",\"x\":\"%s\"}]}", text);
    kt_ok_err(ken_httpd_start(&(ken_httpd_opts){ .address = "127.0.0.1",
                                                 .routes = routes,
                                                 .n_routes = sizeof routes / sizeof *routes },
                              &issuer.server, &err),
              &err);
    snprintf(issuer.url, sizeof issuer.url, "http://127.0.0.1:%u", ken_httpd_port(issuer.server));
    snprintf(issuer.document, sizeof issuer.document,
             "{\"issuer\":\"%s\",\"jwks_uri\":\"%s/keys\"}", issuer.url, issuer.url);
}

static void stop_issuer(void)
{
    ken_httpd_stop(issuer.server, 100);
    EVP_PKEY_free(issuer.pkey);
}

// The headers of a request with a token of the issuer.
static const char *bearer(const char *scope, int64_t seconds_left)
{
    int64_t exp = ken_clock_wall_ms() / 1000 + seconds_left;
    char claims[400], head[64], body[600], text[800], sig_text[128];
    unsigned char sig[64];
    size_t n = sizeof sig;
    int len = snprintf(claims, sizeof claims,
                       "{\"iss\":\"%s\",\"aud\":\"" RESOURCE
                       "\",\"exp\":%lld,\"sub\":\"ann\",\"scope\":\"%s\"}",
                       issuer.url, (long long)exp, scope);
    ken_base64url_into("{\"alg\":\"EdDSA\",\"kid\":\"k\"}", 25, head);
    ken_base64url_into(claims, (size_t)len, body);
    snprintf(text, sizeof text, "%s.%s", head, body);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    kt_eq_i(EVP_DigestSignInit(ctx, NULL, NULL, NULL, issuer.pkey), 1);
    kt_eq_i(EVP_DigestSign(ctx, sig, &n, (unsigned char *)text, strlen(text)), 1);
    EVP_MD_CTX_free(ctx);
    ken_base64url_into(sig, n, sig_text);
    return ken_arena_printf(&lab.arena, LAB_JSON "\nAuthorization: Bearer %s.%s", text, sig_text)
        .ptr;
}

KEN_TEST(tokens_of_an_authorization_server_count)
{
    start_issuer();
    const ken_config_flag flags[] = { { "server.host", "0.0.0.0", "--host" },
                                      { "oauth.issuer", issuer.url, "x" },
                                      { "oauth.resource", RESOURCE, "x" } };
    lab_open_app(flags, 3);
    lab_serve(NULL); // no token of ours is needed to begin
    const char *a = lab_post("/api/v1/list_projects", LAB_JSON, "{}");
    kt_has_str(a, "HTTP/1.1 401");
    kt_eq_str(lab_header(a, "WWW-Authenticate"),
              "Bearer resource_metadata=\"https://ken.example.com/.well-known/"
              "oauth-protected-resource/mcp\"");
    a = lab_get("/.well-known/oauth-protected-resource/mcp");
    kt_has_str(a, "HTTP/1.1 200");
    kt_has_str(a, "\"authorization_servers\":[\"http://127.0.0.1:");
    kt_has_str(a, "\"resource\":\"" RESOURCE "\"");
    // Its keys come with the next tick.
    const char *read = bearer("ken:read openid", 300);
    for (int i = 0; i < 100; i++) {
        a = lab_post("/api/v1/list_projects", read, "{}");
        if (strstr(a, "HTTP/1.1 200"))
            break;
        kt_has_str(a, "HTTP/1.1 503");
        kt_eq_str(lab_header(a, "Retry-After"), "1");
        const struct timespec t = { .tv_nsec = 100000000 };
        (void)nanosleep(&t, NULL);
    }
    kt_has_str(a, "HTTP/1.1 200");
    kt_has_str(lab_post("/api/v1/create_task", read, "{\"title\":\"x\"}"), "HTTP/1.1 403");
    kt_has_str(lab_post("/api/v1/create_task", bearer("write", 300), "{\"title\":\"x\"}"),
               "HTTP/1.1 200");
    a = lab_post("/api/v1/list_projects", bearer("read", -61), "{}");
    kt_has_str(a, "HTTP/1.1 401");
    kt_has_str(lab_header(a, "WWW-Authenticate"), "error=\"invalid_token\"");
    kt_has_str(a, "it has expired");
    lab_stop();
    stop_issuer();
}

KEN_TEST(an_issuer_needs_the_address_of_the_server)
{
    const ken_config_flag flags[] = { { "oauth.issuer", "https://id.example.com", "x" } };
    lab_open_app(flags, 1);
    const ken_web_opts o = { .version = "1" };
    kt_status(ken_web_open(lab.app, &o, &lab.web, &lab.err), KEN_EINVAL);
    kt_has_str(lab.err.msg, "oauth.issuer and oauth.resource: resource:");
    ken_app_close(lab.app);
    ken_config_free(lab.config);
    ken_arena_release(&lab.arena);
}
