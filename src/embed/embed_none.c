// SPDX-License-Identifier: MIT
// The twin of providers that this program was built without.
#include "embed/embed_ops.h"

ken_status ken_embedder__builtin_open(const ken_embed_opts *o, ken_embedder_backend **out,
                                      ken_err *err)
{
    (void)o;
    (void)out;
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "this program was built without the built-in model");
}

ken_status ken_embedder__onnx_open(const ken_embed_opts *o, ken_embedder_backend **out,
                                   ken_err *err)
{
    (void)o;
    (void)out;
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "this program was built without ONNX models");
}
