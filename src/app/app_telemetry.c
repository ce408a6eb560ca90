// SPDX-License-Identifier: MIT
// Metrics and traces of a process that stays.
#include "app/app_priv.h"
#include "obs/log.h"
#include "otel/otel.h"

enum {
    GRACE_MS = 1000
};

static bool is_sent(const ken_config *config, ken_config_key key)
{
    return ken_str_eq_c(ken_config_str(config, key), "otlp");
}

void ken_app_start_telemetry(const ken_app *app, const char *version)
{
    const ken_config *c = app->config;
    ken_err err = { 0 };
    const ken_otel_opts opts = {
        .endpoint = ken_config_str(c, KEN_CFG_OTEL_ENDPOINT).ptr,
        .headers = ken_config_str(c, KEN_CFG_OTEL_HEADERS),
        .service_name = ken_config_str(c, KEN_CFG_OTEL_SERVICE_NAME),
        .attributes = ken_config_str(c, KEN_CFG_OTEL_ATTRIBUTES),
        .version = version,
        .sampler = ken_config_str(c, KEN_CFG_OTEL_SAMPLER),
        .sampler_ratio = ken_config_str(c, KEN_CFG_OTEL_SAMPLER_RATIO),
        .has_traces = is_sent(c, KEN_CFG_OTEL_TRACES),
        .has_metrics = is_sent(c, KEN_CFG_OTEL_METRICS),
        .metrics_every_ms = (int64_t)ken_config_u64(c, KEN_CFG_OTEL_SECONDS) * 1000,
    };
    bool has_collector = ken_config_str(c, KEN_CFG_OTEL_ENDPOINT).len > 0;
    if (has_collector && opts.has_metrics)
        ken_metrics_start(version);
    if (has_collector && ken_otel_start(&opts, &err))
        KEN_LOG_WARNING("otel",
                        "nothing is sent: %s (otel.endpoint, otel.headers, otel.sampler_ratio)",
                        err.msg);
}

void ken_app_stop_telemetry(void)
{
    ken_otel_stop(GRACE_MS);
}
