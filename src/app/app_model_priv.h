// SPDX-License-Identifier: MIT
// app_model_priv.h -- what the files about models share.
#ifndef KEN_APP_APP_MODEL_PRIV_H
#define KEN_APP_APP_MODEL_PRIV_H

#include "app/app_priv.h"

#define KEN_APP_MODEL_KEY "embed.model" // of the choice, in the project's index

// Settings of that provider, whatever provider the settings name.
ken_embed_opts ken_app__embed_opts_for(const ken_config *settings, ken_str provider);
ken_status ken_app__put_model(ken_app *app, const ken_model_record *m, ken_err *err);

// A record as a project keeps it; reading it looks for its files on this machine, parsing it does not.
void ken_app__write_model(const ken_model_record *m, ken_buf *out);
ken_status ken_app__parse_model(ken_str text, ken_arena *arena, ken_model_record *out,
                                ken_err *err);
ken_status ken_app__read_model(ken_app *app, ken_str text, ken_arena *arena, ken_model_record *out,
                               ken_err *err);

// ---- app_model_check.c ----
// KEN_EINVAL unless it says where its files come from, and what of its checksum and pooling is known.
ken_status ken_app__check_model(const ken_model_record *m, ken_err *err);
// The same of what people are told of it: texts, dimensions, sizes.
ken_status ken_app__check_described(const ken_model_record *m, ken_err *err);
ken_status ken_app__parse_pooling(ken_str word, ken_embed_pooling *out, ken_err *err);
// Of a server's model; empty = not known. Static.
ken_str ken_app__license_of(ken_str provider, ken_str name);

// ---- app_download.c ----
// KEN_EINVAL unless it is an https:, http: or file: URI, or an absolute path. `field` is what it is called.
ken_status ken_app__check_source(const char *field, ken_str source, ken_err *err);
// Removes the model's files and its folder. KEN_EBUSY while it is downloaded.
ken_status ken_app__remove_files(const ken_model_record *m, ken_arena *arena, ken_err *err);

#endif
