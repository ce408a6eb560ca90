// SPDX-License-Identifier: MIT
// Finding ONNX Runtime. It is never looked for below the working folder or a project: a repository
// could bring one, and loading a library runs it.
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/str.h"
#include "embed/embed.h"
#include "embed/embed_ort_priv.h"

#if defined(__aarch64__)
#define KEN_ORT_ARCH "arm64"
#else
#define KEN_ORT_ARCH "x64"
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards: all below
static const ort_api *loaded;
static const char *loaded_version = "";
static void *loaded_library; // never closed

// A library file that is one of ours; NULL otherwise, with the reason in `why`.
static const ort_api *try_file(const char *path, ken_buf *why)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const ort_api_base *(*get_base)(void) = NULL;
    if (!lib) {
        const char *reason = dlerror();
        if (ken_fs_exists(path))
            ken_buf_printf(why, "; %.200s", reason ? reason : path);
        return NULL;
    }
    void *symbol = dlsym(lib, "OrtGetApiBase");
    memcpy(&get_base, &symbol, sizeof symbol);
    const ort_api_base *base = symbol ? get_base() : NULL;
    const char *version = base ? base->get_version() : "";
    bool is_known = base && ken_str_starts(ken_str_c(version), KEN_STR("1."));
    const ort_api *api = is_known ? base->get_api(ORT_API_VERSION) : NULL;
    if (!api) {
        ken_buf_printf(why, "; '%.200s' is %s%.20s, not ONNX Runtime 1.%d or newer", path,
                       symbol ? "version " : "something else", version, ORT_API_VERSION);
        return NULL;
    }
    loaded_version = version;
    loaded_library = lib;
    return api;
}

static const ort_api *try_pattern(const char *pattern, ken_buf *why)
{
    glob_t found = { 0 };
    const ort_api *api = NULL;
    if (!glob(pattern, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc && !api; i++)
            api = try_file(found.gl_pathv[i], why);
    globfree(&found);
    return api;
}

static const ort_api *try_usual(ken_buf *why)
{
    static const char *const places[] = {
        "/usr/local/lib/libonnxruntime.so*",
        "/usr/lib/libonnxruntime.so*",
        "/usr/lib/*-linux-gnu/libonnxruntime.so*",
        "/opt/onnxruntime*/lib/libonnxruntime.so*",
        "/usr/local/lib/node_modules/onnxruntime-node/bin/napi-v*/linux/" KEN_ORT_ARCH
        "/libonnxruntime.so*",
        "/usr/lib/node_modules/onnxruntime-node/bin/napi-v*/linux/" KEN_ORT_ARCH
        "/libonnxruntime.so*",
    };
    const ort_api *api = try_file("libonnxruntime.so.1", why); // where the system looks
    if (!api)
        api = try_file("libonnxruntime.so", why);
    for (size_t i = 0; i < sizeof places / sizeof *places && !api; i++)
        api = try_pattern(places[i], why);
    return api;
}

static const ort_api *try_named(const char *path, ken_buf *why)
{
    ken_fs_info info = { 0 };
    ken_buf pattern = KEN_BUF_INIT(4096);
    const ort_api *api = NULL;
    ken_status st = ken_fs_stat(KEN_FS_CWD, path, &info, NULL);
    if (!st && info.kind == KEN_FS_DIR) {
        ken_buf_printf(&pattern, "%s/libonnxruntime.so*", path);
        api = pattern.is_over ? NULL : try_pattern(pattern.ptr, why);
    } else {
        api = try_file(path, why);
    }
    ken_buf_release(&pattern);
    return api;
}

ken_status ken_embed__ort(const char *path, const ort_api **out, ken_err *err)
{
    if (*path && path[0] != '/')
        return KEN_FAIL(err, KEN_EINVAL, "embedding.onnx_runtime '%.200s' must be an absolute path",
                        path);
    ken_buf why = KEN_BUF_INIT(512);
    pthread_mutex_lock(&lock);
    if (!loaded)
        loaded = *path ? try_named(path, &why) : try_usual(&why);
    *out = loaded;
    pthread_mutex_unlock(&lock);
    ken_status st = KEN_OK;
    if (!*out) {
        st = KEN_FAIL(err, KEN_EUNSUPPORTED,
                      "no ONNX Runtime %s%.150s%s; set embedding.onnx_runtime to libonnxruntime.so "
                      "or its folder (onnxruntime of PyPI or onnxruntime-node of npm bring "
                      "it)" KEN_STR_FMT,
                      *path ? "at '" : "in the usual places", path, *path ? "'" : "",
                      KEN_STR_ARG(ken_buf_str(&why)));
    }
    ken_buf_release(&why);
    return st;
}

const char *ken_embed__ort_version(void)
{
    pthread_mutex_lock(&lock);
    const char *version = loaded_version;
    pthread_mutex_unlock(&lock);
    return version;
}

ort_cuda_fn *ken_embed__ort_cuda(void)
{
    ort_cuda_fn *append = NULL;
    pthread_mutex_lock(&lock);
    void *symbol = loaded_library
                       ? dlsym(loaded_library, "OrtSessionOptionsAppendExecutionProvider_CUDA")
                       : NULL;
    pthread_mutex_unlock(&lock);
    memcpy(&append, &symbol, sizeof symbol);
    return append;
}

ken_status ken_embed_check_runtime(const char *path, ken_err *err)
{
    const ort_api *api = NULL;
    return ken_embed__ort(path ? path : "", &api, err);
}
