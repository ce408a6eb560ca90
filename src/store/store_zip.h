// SPDX-License-Identifier: MIT
// store_zip.h -- memory that compressing and taking apart packed bytes needs, kept between calls.
//
// zstd makes it anew in ten microseconds, five times what most contents take. One thread at a time.
#ifndef KEN_STORE_STORE_ZIP_H
#define KEN_STORE_STORE_ZIP_H

#include "base/attr.h"

typedef struct ken_zip ken_zip;

ken_zip *ken_zip_new(void) KEN_MUST_USE; // allocates little before its first use
void ken_zip_free(ken_zip *z);

#endif
