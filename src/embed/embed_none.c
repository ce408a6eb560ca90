// SPDX-License-Identifier: MIT
// The twin of the built-in model.
#include "embed/embed_ops.h"

ken_status ken_embedder__builtin_open(const ken_embed_opts *o, ken_embedder_backend **out,
                                      ken_err *err)
{
    (void)o;
    (void)out;
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "this program was built without the built-in model");
}
