// SPDX-License-Identifier: MIT
// chunk_priv.h -- what the files of this folder share.
#ifndef KEN_CHUNK_CHUNK_PRIV_H
#define KEN_CHUNK_CHUNK_PRIV_H

#include "chunk/chunk.h"

// The sizes with the defaults in place, and none that contradicts another. NULL = the defaults.
ken_chunk_opts ken_chunk__complete(const ken_chunk_opts *o);

#endif
