// SPDX-License-Identifier: MIT
// store_zip_priv.h -- compressed bytes inside packed forms: their size (varint), then a zstd frame.
#ifndef KEN_STORE_STORE_ZIP_PRIV_H
#define KEN_STORE_STORE_ZIP_PRIV_H

#include "store/store_reader_priv.h"
#include "store/store_zip.h"

enum {
    KEN_ZIP_SHARED_MAX = 4096
};

// The common parts of small blobs of one kind, so that they are not stored in each blob. A dictionary
// never changes: a better one has another name, and the form that is packed with it another number.
// Blobs of more than KEN_ZIP_SHARED_MAX bytes have most of it themselves, and are compressed alone.
typedef enum ken_zip_dictionary {
    KEN_ZIP_NONE = 0,
    KEN_ZIP_FACTS_1,
    KEN_ZIP_REFS_1,
    KEN_ZIP_DICTIONARIES
} ken_zip_dictionary;

// Appends `plain` with its size. False, and nothing appended, when that gains nothing.
bool ken_zip__put(ken_zip *z, ken_zip_dictionary d, ken_str plain, ken_buf *out);
// Reads the size, which is at most `max` and what the frame behind it may grow to; spoils `r`.
size_t ken_zip__size(ken_reader *r, size_t max);
// Takes the frame, which is all that is left, apart: exactly `n` bytes, or `r` is spoilt.
void ken_zip__get(ken_zip *z, ken_zip_dictionary d, ken_reader *r, void *into, size_t n);
// The same into memory of `z`, until its next use.
ken_str ken_zip__borrow(ken_zip *z, ken_zip_dictionary d, ken_reader *r, size_t max);

#endif
