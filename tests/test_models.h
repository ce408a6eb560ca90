// SPDX-License-Identifier: MIT
// test_models.h -- the model and the runtime that tools/fetch_model.py put under build/models/.
#ifndef KEN_TESTS_TEST_MODELS_H
#define KEN_TESTS_TEST_MODELS_H

#include <stdio.h>

#include "base/fs.h"
#include "ktest.h"

#define MODELS_DIR     KEN_TEST_SOURCE_DIR "/../build/models/"
#define MODELS_MINILM  MODELS_DIR "all-MiniLM-L6-v2/model.onnx"
#define MODELS_RUNTIME MODELS_DIR "runtime"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MODELS_UNUSABLE 1 // the runtime is not built for it: every hand-over looks like a race
#endif
#endif
#ifndef MODELS_UNUSABLE
#define MODELS_UNUSABLE 0
#endif

static inline bool models_are_there(void)
{
    return !MODELS_UNUSABLE && ken_fs_exists(MODELS_MINILM) && ken_fs_exists(MODELS_RUNTIME);
}

static inline void models_or_skip(void)
{
    if (MODELS_UNUSABLE)
        kt_skip("thread sanitizer", "ONNX Runtime is not built for the thread sanitizer");
    if (!models_are_there())
        kt_skip("model", "the model is not under build/models/; tools/fetch_model.py says why");
}

#endif
