// SPDX-License-Identifier: MIT
// app_health_priv.h -- a checkup while it goes on.
#ifndef KEN_APP_APP_HEALTH_PRIV_H
#define KEN_APP_APP_HEALTH_PRIV_H

#include "app/app_priv.h"

typedef struct checkup {
    ken_app *app;
    const ken_cancel *cancel;
    ken_arena *arena;
    bool is_deep;
    KEN_VEC(ken_health_check) checks;
} checkup;

// `text` lives in the checkup's arena.
void ken_app__add_health(checkup *c, const char *name, ken_health health, ken_str text);

// ---- app_health_frameworks.c -------------------------------------------------------------------
// A project's own frameworks, as they are on the disk; says nothing when there is none.
void ken_app__check_frameworks(checkup *c, const ken_project_info *p);

#endif
