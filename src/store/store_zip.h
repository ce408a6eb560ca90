// SPDX-License-Identifier: MIT
// store_zip.h -- memory that compressing and taking apart packed bytes needs, kept between calls.
//
// zstd makes it anew in ten microseconds, five times what most contents take. One thread at a time.
#ifndef KEN_STORE_STORE_ZIP_H
#define KEN_STORE_STORE_ZIP_H

#include "base/attr.h"
#include "base/buf.h"

typedef struct ken_zip ken_zip;

enum {
    KEN_ZIP_MAX_RATIO = 8 // of a frame: bounds the memory that a small blob takes
};

ken_zip *ken_zip_new(void) KEN_MUST_USE; // allocates little before its first use
void ken_zip_free(ken_zip *z);

// Appends `plain` as a frame. False, and nothing appended, when that gains nothing, or more than
// KEN_ZIP_MAX_RATIO.
bool ken_zip_squeeze(ken_zip *z, ken_str plain, ken_buf *out);
// The same for a block of a segment, in the place of what `out` holds. Posting lists lose half, names a third,
// vectors a fifth. What loses less than an eighth is kept as it is: taking it apart would cost more than its
// pages do.
bool ken_zip_block(ken_zip *z, ken_str plain, ken_buf *out);
// Takes a frame apart; false unless that gives exactly `n` bytes.
bool ken_zip_take(ken_zip *z, ken_str frame, void *into, size_t n);

#endif
