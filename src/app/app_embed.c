// SPDX-License-Identifier: MIT
// Settings to the options of an embedder.
#include "app/app.h"

// A variable of another program counts only for the provider it belongs to: what was set for
// Ollama or OpenAI must not send texts, or a key, elsewhere.
static const char *text_of(const ken_config *settings, ken_config_key key, ken_str provider)
{
    ken_str where = ken_config_where(settings, key);
    bool is_ollama = ken_str_starts(where, KEN_STR("environment OLLAMA_"));
    bool is_openai = ken_str_starts(where, KEN_STR("environment OPENAI_"));
    if ((is_ollama && !ken_str_eq_c(provider, "ollama")) ||
        (is_openai && !ken_str_eq_c(provider, "openai")))
        return "";
    return ken_config_str(settings, key).ptr;
}

ken_embed_opts ken_app_embed_opts(const ken_config *settings)
{
    ken_str provider = ken_config_str(settings, KEN_CFG_EMBED_PROVIDER);
    return (ken_embed_opts){
        .provider = provider.ptr,
        .model = text_of(settings, KEN_CFG_EMBED_MODEL, provider),
        .url = text_of(settings, KEN_CFG_EMBED_URL, provider),
        .api_key = text_of(settings, KEN_CFG_EMBED_API_KEY, provider),
        .dims = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_DIMS),
        .batch_size = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_BATCH_SIZE),
        .concurrency = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_CONCURRENCY),
        .timeout_ms = (int64_t)ken_config_u64(settings, KEN_CFG_EMBED_TIMEOUT) * 1000,
        .n_threads = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_THREADS),
        .runtime_path = text_of(settings, KEN_CFG_ONNX_RUNTIME, provider),
    };
}
