// SPDX-License-Identifier: MIT
// Settings to the options of an embedder.
#include "app/app_model_priv.h"

// A variable of another program counts only for the provider it belongs to: what was set for
// Ollama or OpenAI must not send texts, or a key, elsewhere. In the same way the model, server and
// key of the settings are those of the provider that they name.
static const char *text_of(const ken_config *settings, ken_config_key key, ken_str provider)
{
    ken_str where = ken_config_where(settings, key);
    bool is_ollama = ken_str_starts(where, KEN_STR("environment OLLAMA_"));
    bool is_openai = ken_str_starts(where, KEN_STR("environment OPENAI_"));
    bool is_named = ken_str_eq(provider, ken_config_str(settings, KEN_CFG_EMBED_PROVIDER));
    bool counts = is_ollama   ? ken_str_eq_c(provider, "ollama")
                  : is_openai ? ken_str_eq_c(provider, "openai")
                              : is_named;
    return counts ? ken_config_str(settings, key).ptr : "";
}

static ken_embed_device device_of(const ken_config *settings)
{
    ken_str word = ken_config_str(settings, KEN_CFG_EMBED_DEVICE);
    return ken_str_eq_c(word, "cuda")   ? KEN_EMBED_CUDA
           : ken_str_eq_c(word, "auto") ? KEN_EMBED_DEVICE_AUTO
                                        : KEN_EMBED_CPU;
}

ken_embed_opts ken_app__embed_opts_for(const ken_config *settings, ken_str provider)
{
    bool is_named = ken_str_eq(provider, ken_config_str(settings, KEN_CFG_EMBED_PROVIDER));
    return (ken_embed_opts){
        .provider = provider.ptr,
        .model = text_of(settings, KEN_CFG_EMBED_MODEL, provider),
        .url = text_of(settings, KEN_CFG_EMBED_URL, provider),
        .api_key = text_of(settings, KEN_CFG_EMBED_API_KEY, provider),
        .dims = is_named ? (size_t)ken_config_u64(settings, KEN_CFG_EMBED_DIMS) : 0,
        .batch_size = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_BATCH_SIZE),
        .concurrency = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_CONCURRENCY),
        .timeout_ms = (int64_t)ken_config_u64(settings, KEN_CFG_EMBED_TIMEOUT) * 1000,
        .n_threads = (size_t)ken_config_u64(settings, KEN_CFG_EMBED_THREADS),
        .device = device_of(settings),
        .runtime_path = ken_config_str(settings, KEN_CFG_ONNX_RUNTIME).ptr,
    };
}

ken_embed_opts ken_app_embed_opts(const ken_config *settings)
{
    return ken_app__embed_opts_for(settings, ken_config_str(settings, KEN_CFG_EMBED_PROVIDER));
}
