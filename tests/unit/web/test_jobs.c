// SPDX-License-Identifier: MIT
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/hash.h"
#include "web_lab.h"

// A project "one", indexed.
static void start_with_project(const ken_config_flag *flags, size_t n)
{
    ktest_write("one/a.c", "int one(void) { return 1; }\n");
    lab_open_app(flags, n);
    lab_serve(NULL);
    kt_has_str(lab_post("/api/v1/index_repository", LAB_JSON,
                        lab_fmt("{\"repo_path\":\"%s\"}", ktest_path("one"))),
               "HTTP/1.1 200");
}

static const char *member_text(const char *answer, const char *key)
{
    static char value[128];
    const char *at = strstr(answer, lab_fmt("\"%s\":\"", key));
    kt_not_null(at);
    at += strlen(key) + 4;
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\""), at);
    return value;
}

KEN_TEST(a_job_is_made_watched_and_listed)
{
    start_with_project(NULL, 0);
    const char *answer = lab_post("/api/v1/jobs", LAB_JSON,
                                  "{\"kind\":\"index\",\"project\":\"one\",\"force\":true}");
    kt_has_str(answer, "HTTP/1.1 202");
    char id[64];
    snprintf(id, sizeof id, "%.40s", member_text(answer, "id"));
    answer = lab_get(lab_fmt("/api/v1/jobs/%s/events", id)); // ends with the job
    kt_has_str(answer, "event: job\n");
    kt_has_str(answer, "\"state\":\"done\"");
    kt_has_str(lab_get(lab_fmt("/api/v1/jobs/%s", id)), "\"state\":\"done\"");
    kt_has_str(lab_get("/api/v1/jobs?project=one&state=done"), id);
    kt_null(strstr(lab_get("/api/v1/jobs?state=failed"), id));
    kt_has_str(lab_get("/api/v1/jobs?state=maybe"), "HTTP/1.1 400");
    kt_has_str(lab_get("/api/v1/jobs/nothing"), "HTTP/1.1 404");
    kt_has_str(lab_post("/api/v1/jobs", LAB_JSON, "{\"kind\":\"dance\"}"), "HTTP/1.1 400");
    kt_has_str(lab_post("/api/v1/jobs", LAB_JSON, "{\"kind\":\"index\",\"project\":\"none\"}"),
               "HTTP/1.1 404");
    kt_has_str(lab_ask(lab_fmt("DELETE /api/v1/jobs/%s HTTP/1.1", id), NULL),
               "HTTP/1.1 "); // it has ended
    lab_stop();
}

KEN_TEST(the_feed_has_jobs_and_what_the_server_does)
{
    start_with_project(NULL, 0);
    int fd = lab_dial();
    lab_say(fd, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kt_has_str(lab_hear(fd, "event: mcp:tools"),
               "event: mcp:status\ndata: {\"status\":\"running\"");
    kt_has_str(lab_post("/api/v1/jobs", LAB_JSON, "{\"kind\":\"index\",\"project\":\"one\"}"),
               "HTTP/1.1 202");
    kt_has_str(lab_hear(fd, "\"state\":\"done\""), "event: job\n");
    kt_has_str(lab_hear(fd, "mcp:status"), "\"total_requests\":"); // again, after two seconds
    close(fd);
    lab_stop();
}

// ---- webhooks ----------------------------------------------------------------------------------

#define SECRET "it's a secret"

static void start_with_remote(void)
{
    const ken_config_flag flags[] = { { "webhooks.secret", SECRET, "x" } };
    ktest_write("one/.git/config", "[remote \"origin\"]\n\turl = git@github.com:Owner/Repo.git\n");
    ktest_write("one/.git/HEAD", "ref: refs/heads/main\n");
    start_with_project(flags, 1);
}

static const char *deliver(const char *secret, const char *event, const char *body)
{
    uint8_t mac[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    char hex[2 * EVP_MAX_MD_SIZE + 1];
    HMAC(EVP_sha256(), secret, (int)strlen(secret), (const unsigned char *)body, strlen(body), mac,
         &n);
    ken_hex_into(mac, n, hex);
    return lab_post(
        "/webhook/github",
        lab_fmt(LAB_JSON "\nX-GitHub-Event: %s\nX-Hub-Signature-256: sha256=%s", event, hex), body);
}

#define PUSH(ref) "{\"ref\":\"" ref "\",\"repository\":{\"full_name\":\"owner/repo\"}}"

KEN_TEST(a_signed_push_to_the_branch_makes_a_job)
{
    start_with_remote();
    const char *answer = deliver(SECRET, "push", PUSH("refs/heads/main"));
    kt_has_str(answer, "HTTP/1.1 202");
    kt_has_str(answer, "\"status\":\"queued\"");
    // Once more, as senders do: acknowledged, whatever became of the first.
    kt_has_str(deliver(SECRET, "push", PUSH("refs/heads/main")), "HTTP/1.1 202");
    answer = lab_post(
        "/webhook/github", LAB_JSON "\nX-Gitlab-Event: Push Hook\nX-Gitlab-Token: " SECRET,
        "{\"ref\":\"refs/heads/main\",\"project\":{\"path_with_namespace\":\"owner/repo\"}}");
    kt_has_str(answer, "\"status\":\"queued\"");
    lab_stop();
}

KEN_TEST(other_pushes_and_events_are_acknowledged_and_ignored)
{
    start_with_remote();
    kt_has_str(deliver(SECRET, "push", PUSH("refs/heads/other")), "\"status\":\"ignored\"");
    kt_has_str(deliver(SECRET, "push", PUSH("refs/tags/main")), "\"status\":\"ignored\"");
    kt_has_str(deliver(SECRET, "ping", "{}"), "\"status\":\"ignored\"");
    kt_has_str(deliver(SECRET, "push",
                       "{\"ref\":\"refs/heads/main\",\"repository\":{\"full_name\":\"a/b\"}}"),
               "\"status\":\"ignored\"");
    kt_has_str(deliver(SECRET, "push", "{\"ref\":"), "HTTP/1.1 400");
    kt_has_str(lab_get("/api/v1/jobs"), "\"jobs\":[]");
    lab_stop();
}

KEN_TEST(a_wrong_signature_is_refused)
{
    start_with_remote();
    kt_has_str(deliver("another", "push", PUSH("refs/heads/main")), "HTTP/1.1 401");
    kt_has_str(
        lab_post("/webhook/github", LAB_JSON "\nX-GitHub-Event: push", PUSH("refs/heads/main")),
        "HTTP/1.1 401");
    kt_has_str(lab_post("/webhook/github",
                        LAB_JSON "\nX-GitHub-Event: push\nX-Hub-Signature-256: sha256=00",
                        PUSH("refs/heads/main")),
               "HTTP/1.1 401");
    kt_has_str(lab_post("/webhook/github",
                        LAB_JSON "\nX-Gitlab-Event: Push Hook\nX-Gitlab-Token: x", "{}"),
               "HTTP/1.1 401");
    kt_has_str(lab_get("/api/v1/jobs"), "\"jobs\":[]");
    lab_stop();
}

KEN_TEST(without_a_secret_there_are_no_webhooks)
{
    lab_start();
    kt_has_str(deliver("", "push", PUSH("refs/heads/main")), "HTTP/1.1 404");
    lab_stop();
}
