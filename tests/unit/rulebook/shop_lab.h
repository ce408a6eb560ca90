// SPDX-License-Identifier: MIT
// shop_lab.h -- a small shop with rules of every kind, its index and its rulebook.
#ifndef KEN_TESTS_SHOP_LAB_H
#define KEN_TESTS_SHOP_LAB_H

#include "rulebook/rulebook.h"
#include "rulebook/rulebook_config.h"
#include "unit/query/sample_lab.h"

static ken_rulebook *book;

static inline void shop_make(void)
{
    lab_start(&l);
    snap = NULL;
    lab_write(&l, "package.json", "{\"name\": \"shop\", \"dependencies\": {\"express\": \"4\"}}\n");
    lab_write(&l, "src/db/orders.js",
              "const store = new Map();\n\n"
              "function saveOrder(order) {\n  store.set(order.id, order);\n  return order;\n}\n\n"
              "function findOrder(id) {\n  return store.get(id);\n}\n\n"
              "module.exports = { saveOrder, findOrder };\n");
    lab_write(&l, "src/routes/orders.js",
              "const express = require('express');\n"
              "const { saveOrder, findOrder } = require('../db/orders');\n"
              "const { requireAuth } = require('../auth');\n\n"
              "const router = express.Router();\n\n"
              "router.get('/orders/:id', requireAuth, (req, res) => {\n"
              "  res.json(findOrder(req.params.id));\n});\n\n"
              "router.post('/orders', requireAuth, (req, res) => {\n"
              "  res.json(saveOrder(req.body));\n});\n\n"
              "module.exports = router;\n");
    lab_write(&l, "src/auth.js",
              "export function requireAuth(req, res, next) {\n"
              "  if (!req.headers.authorization) return res.status(401).end();\n  next();\n}\n\n"
              "export const TOKEN_HOURS = 12;\n");
    lab_write(&l, "src/live.js",
              "const { Server } = require('socket.io');\nconst io = new Server();\n\n"
              "io.on('connection', (socket) => {\n"
              "  socket.on('order:watch', (id) => socket.join(id));\n});\n");
    lab_write(&l, "ARCHITECTURE.yml",
              "version: 1\nconstraints:\n"
              "  - id: data-not-web\n    rule: \"src/db MUST NOT import src/routes.\"\n"
              "    applies_to: [\"src/db/**\"]\n"
              "  - rule: ALL endpoints MUST call requireAuth first.\n");
    lab_write(&l, "CLAUDE.md",
              "# Shop\n\n- Amounts of money are integers in cents.\n"
              "- NEVER log the body of a payment request.\n");
    lab_write(&l, "src/db/AGENTS.md", "- Stores keep orders in memory only.\n");
    lab_write(&l, "docs/patterns/api-endpoints.md",
              "# API endpoints\n\nAn endpoint is a route of the router with requireAuth before "
              "its handler:\n\n```js\nrouter.get('/x', requireAuth, handler);\n```\n");
}

static inline void shop_index(void)
{
    sample_index();
    if (!book)
        ken_rulebook_new(l.store, snap, ken_str_c(l.root), &book);
}

static inline void shop_start(void)
{
    shop_make();
    shop_index();
}

static inline void shop_end(void)
{
    ken_rulebook_free(book);
    book = NULL;
    sample_end();
}

#endif
