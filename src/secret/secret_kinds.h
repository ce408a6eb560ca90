// SPDX-License-Identifier: MIT
// secret_kinds.h -- the kinds of secrets: name, word, title.
#ifndef KEN_SECRET_SECRET_KINDS_H
#define KEN_SECRET_SECRET_KINDS_H

#define KEN_SECRET_KINDS(X)                                        \
    X(PRIVATE_KEY, "private-key", "private key")                   \
    X(AGE, "age-key", "age secret key")                            \
    X(PUTTY, "putty-key", "PuTTY private key")                     \
    X(JWT, "jwt", "JSON web token")                                \
    X(URL_PASSWORD, "url-password", "password in a URL")           \
    X(PASSWORD, "password", "password")                            \
    X(ASSIGNED, "assigned-secret", "value assigned to a secret")   \
    X(BASIC_AUTH, "basic-auth", "basic authentication")            \
    X(ADAFRUIT, "adafruit", "Adafruit key")                        \
    X(ADOBE, "adobe", "Adobe client secret")                       \
    X(AIRTABLE, "airtable", "Airtable token")                      \
    X(ALIBABA, "alibaba", "Alibaba Cloud key")                     \
    X(ANTHROPIC, "anthropic", "Anthropic key")                     \
    X(ARTIFACTORY, "artifactory", "Artifactory key")               \
    X(ASANA, "asana", "Asana token")                               \
    X(ATLASSIAN, "atlassian", "Atlassian token")                   \
    X(AWS_KEY_ID, "aws-key-id", "AWS access key id")               \
    X(AWS_SECRET, "aws-secret", "AWS secret key or session token") \
    X(AZURE, "azure", "Azure key")                                 \
    X(AZURE_AD, "azure-ad", "Azure AD client secret")              \
    X(BITBUCKET, "bitbucket", "Bitbucket token")                   \
    X(BRAINTREE, "braintree", "PayPal or Braintree token")         \
    X(BREVO, "brevo", "Brevo key")                                 \
    X(BUILDKITE, "buildkite", "Buildkite token")                   \
    X(CIRCLECI, "circleci", "CircleCI token")                      \
    X(CLOJARS, "clojars", "Clojars token")                         \
    X(CLOUDFLARE, "cloudflare", "Cloudflare key")                  \
    X(COHERE, "cohere", "Cohere key")                              \
    X(CONTENTFUL, "contentful", "Contentful token")                \
    X(CRATES, "crates-io", "crates.io token")                      \
    X(DATABRICKS, "databricks", "Databricks token")                \
    X(DATADOG, "datadog", "Datadog key")                           \
    X(DIGITALOCEAN, "digitalocean", "DigitalOcean token")          \
    X(DINGTALK, "dingtalk", "DingTalk webhook")                    \
    X(DISCORD, "discord", "Discord token or webhook")              \
    X(DOCKER_HUB, "docker-hub", "Docker Hub token")                \
    X(DOPPLER, "doppler", "Doppler token")                         \
    X(DROPBOX, "dropbox", "Dropbox token")                         \
    X(DUFFEL, "duffel", "Duffel token")                            \
    X(DYNATRACE, "dynatrace", "Dynatrace token")                   \
    X(EASYPOST, "easypost", "EasyPost key")                        \
    X(FACEBOOK, "facebook", "Facebook token")                      \
    X(FASTLY, "fastly", "Fastly key")                              \
    X(FIGMA, "figma", "Figma token")                               \
    X(FLUTTERWAVE, "flutterwave", "Flutterwave key")               \
    X(FLY, "fly-io", "Fly.io token")                               \
    X(GITHUB, "github", "GitHub token")                            \
    X(GITLAB, "gitlab", "GitLab token")                            \
    X(GOOGLE_API, "google-api", "Google API key")                  \
    X(GOOGLE_OAUTH, "google-oauth", "Google OAuth secret")         \
    X(GRAFANA, "grafana", "Grafana token")                         \
    X(GROQ, "groq", "Groq key")                                    \
    X(HEROKU, "heroku", "Heroku key")                              \
    X(HUBSPOT, "hubspot", "HubSpot token")                         \
    X(HUGGINGFACE, "hugging-face", "Hugging Face token")           \
    X(IBM, "ibm", "IBM Cloud key")                                 \
    X(LAUNCHDARKLY, "launchdarkly", "LaunchDarkly key")            \
    X(LINEAR, "linear", "Linear key")                              \
    X(MAILCHIMP, "mailchimp", "Mailchimp key")                     \
    X(MAILGUN, "mailgun", "Mailgun key")                           \
    X(MAPBOX, "mapbox", "Mapbox secret token")                     \
    X(NETLIFY, "netlify", "Netlify token")                         \
    X(NEW_RELIC, "new-relic", "New Relic key")                     \
    X(NOTION, "notion", "Notion token")                            \
    X(NPM, "npm", "npm token")                                     \
    X(NUGET, "nuget", "NuGet key")                                 \
    X(OKTA, "okta", "Okta token")                                  \
    X(OPENAI, "openai", "OpenAI key")                              \
    X(ORACLE, "oracle", "Oracle Cloud secret")                     \
    X(PERPLEXITY, "perplexity", "Perplexity key")                  \
    X(PLAID, "plaid", "Plaid token")                               \
    X(PLANETSCALE, "planetscale", "PlanetScale token")             \
    X(POSTMAN, "postman", "Postman key")                           \
    X(PREFECT, "prefect", "Prefect key")                           \
    X(PULUMI, "pulumi", "Pulumi token")                            \
    X(PYPI, "pypi", "PyPI token")                                  \
    X(RENDER, "render", "Render key")                              \
    X(REPLICATE, "replicate", "Replicate token")                   \
    X(RUBYGEMS, "rubygems", "RubyGems key")                        \
    X(SENDGRID, "sendgrid", "SendGrid key")                        \
    X(SENTRY, "sentry", "Sentry token")                            \
    X(SHIPPO, "shippo", "Shippo token")                            \
    X(SHOPIFY, "shopify", "Shopify token")                         \
    X(SLACK, "slack", "Slack token or webhook")                    \
    X(SNOWFLAKE, "snowflake", "Snowflake password or token")       \
    X(SNYK, "snyk", "Snyk token")                                  \
    X(SONARQUBE, "sonarqube", "SonarQube token")                   \
    X(SOURCEGRAPH, "sourcegraph", "Sourcegraph token")             \
    X(SQUARE, "square", "Square token")                            \
    X(STRIPE, "stripe", "Stripe key")                              \
    X(SUPABASE, "supabase", "Supabase key")                        \
    X(TAILSCALE, "tailscale", "Tailscale key")                     \
    X(TEAMS, "teams", "Microsoft Teams webhook")                   \
    X(TELEGRAM, "telegram", "Telegram bot token")                  \
    X(TENCENT, "tencent", "Tencent Cloud key")                     \
    X(TERRAFORM, "terraform", "Terraform Cloud token")             \
    X(TWILIO, "twilio", "Twilio key")                              \
    X(TYPEFORM, "typeform", "Typeform token")                      \
    X(VAULT, "vault", "Vault token")                               \
    X(XAI, "xai", "xAI key")                                       \
    X(YANDEX, "yandex", "Yandex key")                              \
    X(ZAPIER, "zapier", "Zapier webhook")

#endif
