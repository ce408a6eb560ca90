// SPDX-License-Identifier: MIT
// cli_bundle_priv.h -- what export and import print alike.
#ifndef KEN_CLI_CLI_BUNDLE_PRIV_H
#define KEN_CLI_CLI_BUNDLE_PRIV_H

#include <jansson.h>

#include "app/bundles.h"

json_t *ken_cli__bundle_json(const ken_bundle_info *info);

#endif
