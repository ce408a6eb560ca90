// SPDX-License-Identifier: MIT
// secret_rules_priv.h -- the table of rules: kind, how, head, body, rank.
//
// Sources: the vendors' pages on the formats of their tokens, and GitHub's list of the patterns that
// it scans for. A body is a sequence of literal characters and of classes "%c{min,max}" ("{n}":
// exactly; "{n,}": no upper bound):
//   d digits  x hex  l lower case, digits  U upper case, digits  a letters, digits  w a and '_'
//   u w and '-'  . u and '.'  b a and "+/="  B b and "_-"  p u and '/'  s printable, no quotes
//
// A '|' ends what is public of the body: from there on it is masked.
//
// how
//   TOKEN     head, then body. The head is public and stays; the body must not read like words.
//   WEAK      the same, but the head is so short that it must begin a word, and the body must have
//             a digit and a capital
//   NAMED     head is a name in any case; what is assigned to it must be the body, all of it
//   VALUE     head is a name in any case; what is assigned to it must look random
//   PASSWORD  head is a name in any case; what is assigned to it must look like a password
//   WEAK_HEX  the same, with hexadecimal digits: a digit is enough
//   others    have code of their own
#ifndef KEN_SECRET_SECRET_RULES_PRIV_H
#define KEN_SECRET_SECRET_RULES_PRIV_H

#define SECRET_UUID "%x{8}-%x{4}-%x{4}-%x{4}-%x{12}"

#define SECRET_RULES(X)                                                                  \
    X(PRIVATE_KEY, PEM, "BEGIN", "")                                                     \
    X(PUTTY, PUTTY, "Private-Lines", "")                                                 \
    X(AGE, TOKEN, "AGE-SECRET-KEY-1", "%U{58}")                                          \
    X(JWT, JWT, "eyJ", "")                                                               \
    X(URL_PASSWORD, URL, "://", "")                                                      \
    X(URL_PASSWORD, URL, ":\\/\\/", "")                                                  \
    X(URL_PASSWORD, URL, "%3A%2F%2F", "")                                                \
    X(URL_PASSWORD, URL, "&#58;", "")                                                    \
    X(BASIC_AUTH, BASIC, "Basic", "")                                                    \
    X(BASIC_AUTH, BASIC, "auth", "")                                                     \
    X(ADAFRUIT, TOKEN, "aio_", "%a{28}")                                                 \
    X(ADOBE, TOKEN, "p8e-", "%a{32}")                                                    \
    X(AIRTABLE, TOKEN, "pat", "%a{14}.%x{64}")                                           \
    X(AIRTABLE, NAMED, "airtable", "key%a{14}")                                          \
    X(ALIBABA, TOKEN, "LTAI", "%a{12,24}")                                               \
    X(ALIBABA, NAMED, "alibaba", "%a{30}")                                               \
    X(ALIBABA, NAMED, "aliyun", "%a{30}")                                                \
    X(ANTHROPIC, TOKEN, "sk-", "ant-%u{20,255}")                                         \
    X(ARTIFACTORY, TOKEN, "AKCp", "%a{69}")                                              \
    X(ARTIFACTORY, TOKEN, "cmVmdGtu", "%u{50,80}")                                       \
    X(ASANA, NAMED, "asana", "%d{1}/%d{13,20}:%x{32}")                                   \
    X(ASANA, NAMED, "asana", "%d{1}/%d{13,20}/%d{13,20}:%x{32}")                         \
    X(ASANA, NAMED, "asana", "%l{32}")                                                   \
    X(ATLASSIAN, TOKEN, "ATATT3", "%b{100,}")                                            \
    X(ATLASSIAN, TOKEN, "ATCTT3", "%b{100,}")                                            \
    X(ATLASSIAN, NAMED, "atlassian", "%a{24}")                                           \
    X(ATLASSIAN, NAMED, "jira", "%a{24}")                                                \
    X(ATLASSIAN, NAMED, "confluence", "%a{24}")                                          \
    X(AWS_KEY_ID, TOKEN, "AKIA", "%U{16}")                                               \
    X(AWS_KEY_ID, TOKEN, "ASIA", "%U{16}")                                               \
    X(AWS_KEY_ID, TOKEN, "ABIA", "%U{16}")                                               \
    X(AWS_KEY_ID, TOKEN, "ACCA", "%U{16}")                                               \
    X(AWS_SECRET, NAMED, "aws_secret", "%b{40}")                                         \
    X(AWS_SECRET, NAMED, "aws.secret", "%b{40}")                                         \
    X(AWS_SECRET, NAMED, "awssecret", "%b{40}")                                          \
    X(AWS_SECRET, NAMED, "SecretAccessKey", "%b{40}")                                    \
    X(AWS_SECRET, NAMED, "secret_access_key", "%b{40}")                                  \
    X(AWS_SECRET, NAMED, "secret_key", "%b{40}")                                         \
    X(AWS_SECRET, NAMED, "session_token", "%b{100,}")                                    \
    X(AWS_SECRET, NAMED, "SessionToken", "%b{100,}")                                     \
    X(AWS_SECRET, TOKEN, "ABSKQmVkcm9ja0FQSUtleS", "%b{80,}")                            \
    X(AZURE, NAMED, "AccountKey", "%b{88}")                                              \
    X(AZURE, NAMED, "account_key", "%b{88}")                                             \
    X(AZURE, NAMED, "SharedAccessKey", "%b{44}")                                         \
    X(AZURE, SAS, "sig=", "=|%b{44}")                                                    \
    X(AZURE, SAS, "sig%3D", "=|%b{44}")                                                  \
    X(AZURE, NAMED, "azure", "%l{52}")                                                   \
    X(AZURE, NAMED, "azure", "%x{32}")                                                   \
    X(AZURE, TOKEN, "JQQJ99", "%a{50,120}")                                              \
    X(BITBUCKET, TOKEN, "ATBB", "%a{24,36}")                                             \
    X(BITBUCKET, NAMED, "bitbucket", "%a{32,44}")                                        \
    X(BRAINTREE, TOKEN, "access_token", "$production$|%l{16}$%x{32}")                    \
    X(BRAINTREE, TOKEN, "access_token", "$sandbox$|%l{16}$%x{32}")                       \
    X(BRAINTREE, NAMED, "braintree", "%x{32}")                                           \
    X(BRAINTREE, NAMED, "paypal", "E%u{79}")                                             \
    X(BREVO, TOKEN, "xkeysib-", "%x{64}-%a{16}")                                         \
    X(BREVO, TOKEN, "xsmtpsib-", "%x{64}-%a{16}")                                        \
    X(BUILDKITE, TOKEN, "bkua_", "%x{40}")                                               \
    X(CIRCLECI, TOKEN, "CCIPAT_", "%a{20,24}_%x{40}")                                    \
    X(CIRCLECI, TOKEN, "CCIPRJ_", "%a{20,24}_%x{40}")                                    \
    X(CLOJARS, TOKEN, "CLOJARS_", "%l{60}")                                              \
    X(CLOUDFLARE, NAMED, "cloudflare", "%u{40}")                                         \
    X(CLOUDFLARE, NAMED, "cloudflare", "%x{37}")                                         \
    X(CLOUDFLARE, NAMED, "cf_api", "%u{40}")                                             \
    X(CLOUDFLARE, NAMED, "cf_api", "%x{37}")                                             \
    X(CLOUDFLARE, NAMED, "cf-api", "%u{40}")                                             \
    X(CLOUDFLARE, NAMED, "X-Auth-Key", "%x{37}")                                         \
    X(CLOUDFLARE, TOKEN, "v1.0-", "%x{24}-%x{146}")                                      \
    X(COHERE, NAMED, "cohere", "%a{40}")                                                 \
    X(COHERE, NAMED, "co_api_key", "%a{40}")                                             \
    X(CONTENTFUL, TOKEN, "CFPAT-", "%u{43}")                                             \
    X(CRATES, WEAK, "cio", "%a{32}")                                                     \
    X(DATABRICKS, TOKEN, "dapi", "%x{32}")                                               \
    X(DATABRICKS, TOKEN, "dapi", "%x{32}-%d{1}")                                         \
    X(DATABRICKS, TOKEN, "dose", "%x{32}")                                               \
    X(DATADOG, NAMED, "datadog", "%x{32}")                                               \
    X(DATADOG, NAMED, "datadog", "%x{40}")                                               \
    X(DATADOG, NAMED, "dd_api", "%x{32}")                                                \
    X(DATADOG, NAMED, "dd-api", "%x{32}")                                                \
    X(DATADOG, NAMED, "dd_app", "%x{40}")                                                \
    X(DATADOG, NAMED, "dd-app", "%x{40}")                                                \
    X(DATADOG, TOKEN, "ddapp_", "%a{34}")                                                \
    X(DIGITALOCEAN, TOKEN, "dop_v1_", "%x{64}")                                          \
    X(DIGITALOCEAN, TOKEN, "doo_v1_", "%x{64}")                                          \
    X(DIGITALOCEAN, TOKEN, "dor_v1_", "%x{64}")                                          \
    X(DINGTALK, TOKEN, "oapi.dingtalk.com", "/robot/send?access_token=|%x{64}")          \
    X(DISCORD, TOKEN, "discord.com", "/api/webhooks/|%d{17,20}/%u{60,80}")               \
    X(DISCORD, TOKEN, "discordapp.com", "/api/webhooks/|%d{17,20}/%u{60,80}")            \
    X(DISCORD, NAMED, "discord", "%u{32}")                                               \
    X(DOCKER_HUB, TOKEN, "dckr_pat_", "%u{24,64}")                                       \
    X(DOCKER_HUB, TOKEN, "dckr_oat_", "%u{24,64}")                                       \
    X(DOPPLER, TOKEN, "dp.pt.", "%a{40,44}")                                             \
    X(DOPPLER, TOKEN, "dp.ct.", "%a{40,44}")                                             \
    X(DOPPLER, TOKEN, "dp.sa.", "%a{40,44}")                                             \
    X(DOPPLER, TOKEN, "dp.st.", "%.{40,80}")                                             \
    X(DOPPLER, TOKEN, "dp.scim.", "%a{40,44}")                                           \
    X(DOPPLER, TOKEN, "dp.audit.", "%a{40,44}")                                          \
    X(DROPBOX, TOKEN, "sl.B", "%.{100,}")                                                \
    X(DROPBOX, TOKEN, "sl.u.", "%.{100,}")                                               \
    X(DROPBOX, WEAK, "sl.", "%.{60,}")                                                   \
    X(DROPBOX, NAMED, "dropbox", "%l{15}")                                               \
    X(DUFFEL, TOKEN, "duffel_test_", "%u{43}")                                           \
    X(DUFFEL, TOKEN, "duffel_live_", "%u{43}")                                           \
    X(DYNATRACE, TOKEN, "dt0c01.", "%U{24}.%U{64}")                                      \
    X(DYNATRACE, TOKEN, "dt0s01.", "%U{24}.%U{64}")                                      \
    X(EASYPOST, TOKEN, "EZAK", "%a{54}")                                                 \
    X(EASYPOST, TOKEN, "EZTK", "%a{54}")                                                 \
    X(FACEBOOK, WEAK, "EAA", "%a{90,255}")                                               \
    X(FACEBOOK, NAMED, "facebook", "%x{32}")                                             \
    X(FACEBOOK, NAMED, "fb_app_secret", "%x{32}")                                        \
    X(FASTLY, NAMED, "fastly", "%u{32}")                                                 \
    X(FIGMA, TOKEN, "figd_", "%u{40,64}")                                                \
    X(FIGMA, TOKEN, "figo_", "%u{40,64}")                                                \
    X(FLUTTERWAVE, TOKEN, "FLWSECK", "_TEST-%a{32}-X")                                   \
    X(FLUTTERWAVE, TOKEN, "FLWSECK-", "%a{32}-%w{1,20}")                                 \
    X(FLY, TOKEN, "fm2_", "%b{60,}")                                                     \
    X(FLY, TOKEN, "fo1_", "%u{43}")                                                      \
    X(GITHUB, TOKEN, "ghp_", "%a{30,255}")                                               \
    X(GITHUB, TOKEN, "gho_", "%a{30,255}")                                               \
    X(GITHUB, TOKEN, "ghu_", "%a{30,255}")                                               \
    X(GITHUB, TOKEN, "ghs_", "%a{30,255}")                                               \
    X(GITHUB, TOKEN, "ghr_", "%a{30,255}")                                               \
    X(GITHUB, TOKEN, "github_pat_", "%w{22,255}")                                        \
    X(GITLAB, TOKEN, "glpat-", "%.{20,255}")                                             \
    X(GITLAB, TOKEN, "gldt-", "%u{20,255}")                                              \
    X(GITLAB, TOKEN, "glrt-", "%.{20,255}")                                              \
    X(GITLAB, TOKEN, "glrtr-", "%.{20,255}")                                             \
    X(GITLAB, TOKEN, "glcbt-", "%u{20,255}")                                             \
    X(GITLAB, TOKEN, "glft-", "%u{20,255}")                                              \
    X(GITLAB, TOKEN, "glimt-", "%u{20,255}")                                             \
    X(GITLAB, TOKEN, "glagent-", "%u{40,255}")                                           \
    X(GITLAB, TOKEN, "gloas-", "%u{40,255}")                                             \
    X(GITLAB, TOKEN, "glsoat-", "%u{20,255}")                                            \
    X(GITLAB, TOKEN, "glffct-", "%u{20,255}")                                            \
    X(GITLAB, TOKEN, "glwt-", "%u{20,255}")                                              \
    X(GITLAB, TOKEN, "glptt-", "%x{40}")                                                 \
    X(GITLAB, TOKEN, "GR1348941", "%u{20,255}")                                          \
    X(GOOGLE_API, TOKEN, "AIza", "%u{35}")                                               \
    X(GOOGLE_OAUTH, TOKEN, "GOCSPX-", "%u{28}")                                          \
    X(GOOGLE_OAUTH, TOKEN, "ya29.", "%u{30,}")                                           \
    X(GOOGLE_OAUTH, TOKEN, "1//0", "%u{36,255}")                                         \
    X(GRAFANA, TOKEN, "glsa_", "%w{32,64}")                                              \
    X(GRAFANA, TOKEN, "glc_", "%b{32,400}")                                              \
    X(GRAFANA, TOKEN, "eyJrIjoi", "%b{70,400}")                                          \
    X(GROQ, TOKEN, "gsk_", "%a{40,64}")                                                  \
    X(HEROKU, NAMED, "heroku", SECRET_UUID)                                              \
    X(HEROKU, TOKEN, "HRKU-", "%u{36,64}")                                               \
    X(HUBSPOT, TOKEN, "pat-na1-", SECRET_UUID)                                           \
    X(HUBSPOT, TOKEN, "pat-eu1-", SECRET_UUID)                                           \
    X(HUGGINGFACE, TOKEN, "hf_", "%a{30,64}")                                            \
    X(HUGGINGFACE, TOKEN, "api_org_", "%a{34}")                                          \
    X(IBM, NAMED, "ibm", "%u{44}")                                                       \
    X(IBM, NAMED, "bluemix", "%u{44}")                                                   \
    X(IBM, NAMED, "watson", "%u{44}")                                                    \
    X(LAUNCHDARKLY, TOKEN, "api-", SECRET_UUID)                                          \
    X(LAUNCHDARKLY, TOKEN, "sdk-", SECRET_UUID)                                          \
    X(LINEAR, TOKEN, "lin_api_", "%a{40}")                                               \
    X(LINEAR, TOKEN, "lin_oauth_", "%a{40,64}")                                          \
    X(MAILGUN, WEAK_HEX, "key-", "%x{32}")                                               \
    X(MAILGUN, TOKEN, "pubkey-", "%x{32}")                                               \
    X(MAPBOX, TOKEN, "sk.eyJ", "%u{60,200}.%u{22}")                                      \
    X(NETLIFY, TOKEN, "nfp_", "%a{36,40}")                                               \
    X(NEW_RELIC, TOKEN, "NRAK-", "%U{27}")                                               \
    X(NEW_RELIC, TOKEN, "NRII-", "%u{32}")                                               \
    X(NEW_RELIC, TOKEN, "NRRA-", "%x{42}")                                               \
    X(NEW_RELIC, TOKEN, "NRJS-", "%x{19}")                                               \
    X(NOTION, TOKEN, "secret_", "%a{43}")                                                \
    X(NOTION, TOKEN, "ntn_", "%a{40,50}")                                                \
    X(NPM, TOKEN, "npm_", "%a{36}")                                                      \
    X(NUGET, TOKEN, "oy2", "%l{43}")                                                     \
    X(OKTA, NAMED, "okta", "00%u{40}")                                                   \
    X(OKTA, NAMED, "SSWS", "00%u{40}")                                                   \
    X(OPENAI, TOKEN, "sk-proj-", "%u{20,255}")                                           \
    X(OPENAI, TOKEN, "sk-svcacct-", "%u{20,255}")                                        \
    X(OPENAI, TOKEN, "sk-admin-", "%u{20,255}")                                          \
    X(OPENAI, TOKEN, "sk-None-", "%u{20,255}")                                           \
    X(OPENAI, TOKEN, "sk-or-v1-", "%x{64}")                                              \
    X(OPENAI, TOKEN, "T3BlbkFJ", "%u{20,100}")                                           \
    X(OPENAI, WEAK, "sk-", "%u{20,255}")                                                 \
    X(PERPLEXITY, TOKEN, "pplx-", "%a{40,64}")                                           \
    X(PLAID, TOKEN, "access-sandbox-", SECRET_UUID)                                      \
    X(PLAID, TOKEN, "access-development-", SECRET_UUID)                                  \
    X(PLAID, TOKEN, "access-production-", SECRET_UUID)                                   \
    X(PLAID, NAMED, "plaid", "%x{30}")                                                   \
    X(PLANETSCALE, TOKEN, "pscale_tkn_", "%.{32,64}")                                    \
    X(PLANETSCALE, TOKEN, "pscale_pw_", "%.{32,64}")                                     \
    X(PLANETSCALE, TOKEN, "pscale_oauth_", "%.{32,64}")                                  \
    X(POSTMAN, TOKEN, "PMAK-", "%x{24}-%x{34}")                                          \
    X(PREFECT, TOKEN, "pnu_", "%l{36}")                                                  \
    X(PULUMI, TOKEN, "pul-", "%x{40}")                                                   \
    X(PYPI, TOKEN, "pypi-", "%u{50,}")                                                   \
    X(RENDER, TOKEN, "rnd_", "%a{28,36}")                                                \
    X(REPLICATE, TOKEN, "r8_", "%a{37}")                                                 \
    X(RUBYGEMS, TOKEN, "rubygems_", "%x{48}")                                            \
    X(SENDGRID, TOKEN, "SG.", "%u{20,24}.%u{39,50}")                                     \
    X(SENTRY, TOKEN, "sntrys_", "%B{40,}")                                               \
    X(SENTRY, TOKEN, "sntryu_", "%x{64}")                                                \
    X(SENTRY, NAMED, "sentry", "%x{64}")                                                 \
    X(SHIPPO, TOKEN, "shippo_live_", "%x{40}")                                           \
    X(SHIPPO, TOKEN, "shippo_test_", "%x{40}")                                           \
    X(SHOPIFY, TOKEN, "shpat_", "%x{32}")                                                \
    X(SHOPIFY, TOKEN, "shpss_", "%x{32}")                                                \
    X(SHOPIFY, TOKEN, "shpca_", "%x{32}")                                                \
    X(SHOPIFY, TOKEN, "shppa_", "%x{32}")                                                \
    X(SLACK, TOKEN, "xoxb-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxp-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxa-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxr-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxs-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxo-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxc-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxd-", "%b{10,255}")                                               \
    X(SLACK, TOKEN, "xoxe-", "%u{10,255}")                                               \
    X(SLACK, TOKEN, "xoxe.xox", "%u{40,255}")                                            \
    X(SLACK, TOKEN, "xapp-", "%u{20,255}")                                               \
    X(SLACK, TOKEN, "hooks.slack.com", "/services/|%p{30,128}")                          \
    X(SLACK, TOKEN, "hooks.slack.com", "/workflows/|%p{30,128}")                         \
    X(SLACK, TOKEN, "hooks.slack.com", "/triggers/|%p{30,128}")                          \
    X(SNOWFLAKE, PASSWORD, "snowflake_password", "")                                     \
    X(SNOWFLAKE, PASSWORD, "snowflakepassword", "")                                      \
    X(SNOWFLAKE, PASSWORD, "snowsql_pwd", "")                                            \
    X(SNYK, NAMED, "snyk", SECRET_UUID)                                                  \
    X(SONARQUBE, TOKEN, "squ_", "%x{40}")                                                \
    X(SONARQUBE, TOKEN, "sqp_", "%x{40}")                                                \
    X(SONARQUBE, TOKEN, "sqa_", "%x{40}")                                                \
    X(SOURCEGRAPH, TOKEN, "sgp_", "%w{40,80}")                                           \
    X(SQUARE, TOKEN, "sq0atp-", "%u{22,43}")                                             \
    X(SQUARE, TOKEN, "sq0csp-", "%u{43}")                                                \
    X(SQUARE, TOKEN, "EAAA", "%u{60}")                                                   \
    X(STRIPE, TOKEN, "sk_live_", "%a{16,255}")                                           \
    X(STRIPE, TOKEN, "rk_live_", "%a{16,255}")                                           \
    X(STRIPE, TOKEN, "sk_test_", "%a{16,255}")                                           \
    X(STRIPE, TOKEN, "rk_test_", "%a{16,255}")                                           \
    X(STRIPE, TOKEN, "whsec_", "%b{24,128}")                                             \
    X(SUPABASE, TOKEN, "sbp_", "%x{40}")                                                 \
    X(SUPABASE, TOKEN, "sb_secret_", "%u{30,60}")                                        \
    X(TAILSCALE, TOKEN, "tskey-", "%u{20,128}")                                          \
    X(TEAMS, TOKEN, ".webhook.office.com",                                               \
      "/webhookb2/|" SECRET_UUID "@" SECRET_UUID "/IncomingWebhook/%x{32}/" SECRET_UUID) \
    X(TENCENT, TOKEN, "AKID", "%a{32}")                                                  \
    X(TENCENT, NAMED, "tencent", "%a{32}")                                               \
    X(TENCENT, NAMED, "qcloud", "%a{32}")                                                \
    X(TERRAFORM, TOKEN, ".atlasv1.", "%u{60,80}")                                        \
    X(TWILIO, NAMED, "twilio", "%x{32}")                                                 \
    X(TYPEFORM, TOKEN, "tfp_", "%.{40,70}")                                              \
    X(VAULT, TOKEN, "hvs.", "%u{24,}")                                                   \
    X(VAULT, TOKEN, "hvb.", "%u{60,}")                                                   \
    X(VAULT, TOKEN, "hvr.", "%u{24,}")                                                   \
    X(VAULT, NAMED, "vault", "s.%a{24}")                                                 \
    X(XAI, TOKEN, "xai-", "%a{60,128}")                                                  \
    X(YANDEX, TOKEN, "AQVN", "%u{35,38}")                                                \
    X(YANDEX, TOKEN, "y0_", "%u{50,80}")                                                 \
    X(YANDEX, TOKEN, "YCAJE", "%u{20}")                                                  \
    X(YANDEX, NAMED, "yandex", "YC%u{38}")                                               \
    X(ZAPIER, TOKEN, "hooks.zapier.com", "/hooks/catch/|%d{5,10}/%l{5,10}")              \
    X(ORACLE, NAMED, "oci_auth_token", "%s{20}")                                         \
    X(ORACLE, NAMED, "oracle_auth_token", "%s{20}")                                      \
    X(ASSIGNED, VALUE, "access_key", "")                                                 \
    X(ASSIGNED, VALUE, "access-key", "")                                                 \
    X(ASSIGNED, VALUE, "accesskey", "")                                                  \
    X(ASSIGNED, VALUE, "account_key", "")                                                \
    X(ASSIGNED, VALUE, "accountkey", "")                                                 \
    X(ASSIGNED, VALUE, "api_key", "")                                                    \
    X(ASSIGNED, VALUE, "api-key", "")                                                    \
    X(ASSIGNED, VALUE, "apikey", "")                                                     \
    X(ASSIGNED, VALUE, "app_key", "")                                                    \
    X(ASSIGNED, VALUE, "auth_key", "")                                                   \
    X(ASSIGNED, VALUE, "authkey", "")                                                    \
    X(ASSIGNED, VALUE, "bearer", "")                                                     \
    X(ASSIGNED, VALUE, "client-key-data", "")                                            \
    X(ASSIGNED, VALUE, "credential", "")                                                 \
    X(ASSIGNED, VALUE, "encryption_key", "")                                             \
    X(ASSIGNED, VALUE, "encryptionkey", "")                                              \
    X(ASSIGNED, VALUE, "master_key", "")                                                 \
    X(ASSIGNED, VALUE, "masterkey", "")                                                  \
    X(ASSIGNED, VALUE, "private_key", "")                                                \
    X(ASSIGNED, VALUE, "privatekey", "")                                                 \
    X(ASSIGNED, VALUE, "private-key", "")                                                \
    X(ASSIGNED, VALUE, "secret", "")                                                     \
    X(ASSIGNED, VALUE, "shared_key", "")                                                 \
    X(ASSIGNED, VALUE, "sharedkey", "")                                                  \
    X(ASSIGNED, VALUE, "signing_key", "")                                                \
    X(ASSIGNED, VALUE, "signingkey", "")                                                 \
    X(ASSIGNED, VALUE, "token", "")                                                      \
    X(PASSWORD, PASSWORD, "password", "")                                                \
    X(PASSWORD, PASSWORD, "passwd", "")                                                  \
    X(PASSWORD, PASSWORD, "passphrase", "")                                              \
    X(PASSWORD, PASSWORD, "_pwd", "")                                                    \
    X(PASSWORD, PASSWORD, "pwd", "")                                                     \
    X(PASSWORD, PASSWORD, "_pass", "")

#endif
