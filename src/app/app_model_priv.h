// SPDX-License-Identifier: MIT
// app_model_priv.h -- what app_model.c, app_download.c and app_embed.c share.
#ifndef KEN_APP_APP_MODEL_PRIV_H
#define KEN_APP_APP_MODEL_PRIV_H

#include "app/app_priv.h"

// Settings of that provider, whatever provider the settings name.
ken_embed_opts ken_app__embed_opts_for(const ken_config *settings, ken_str provider);
ken_status ken_app__parse_pooling(ken_str word, ken_embed_pooling *out, ken_err *err);
ken_status ken_app__put_model(ken_app *app, const ken_model_record *m, ken_err *err);

// A record as a project keeps it; reading it looks for its files on this machine.
void ken_app__write_model(const ken_model_record *m, ken_buf *out);
ken_status ken_app__read_model(ken_app *app, ken_str text, ken_arena *arena, ken_model_record *out,
                               ken_err *err);

// ---- app_download.c ----
// KEN_EINVAL unless it is an https:, http: or file: URI, or an absolute path.
ken_status ken_app__check_source(ken_str source, ken_err *err);
// Removes the model's files and its folder. KEN_EBUSY while it is downloaded.
ken_status ken_app__remove_files(const ken_model_record *m, ken_arena *arena, ken_err *err);

#endif
