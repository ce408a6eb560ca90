// SPDX-License-Identifier: MIT
// A small shop as a team would have it: Express below backend/, React below frontend/, 59 files that keep to
// a few conventions, and one route that does not.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { scratch } from './lab.mjs';

// name, one of it, its fields, and what only it can do
const resources = [
  ['users', 'user', ['email', 'name'], 'deactivate'],
  ['products', 'product', ['title', 'price'], 'publish'],
  ['orders', 'order', ['total', 'address'], 'cancel'],
  ['carts', 'cart', ['items', 'currency'], 'checkout'],
  ['reviews', 'review', ['stars', 'text'], 'approve'],
  ['invoices', 'invoice', ['number', 'amount'], 'send'],
  ['shipments', 'shipment', ['carrier', 'weight'], 'track'],
  ['coupons', 'coupon', ['code', 'percent'], 'redeem'],
];

// Routes that begin with requireAuth, and all there are.
export const guardedRoutes = resources.length * 5;
export const allRoutes = guardedRoutes + 1;

const capital = (word) => word[0].toUpperCase() + word.slice(1);

const route = ([many, one, , action]) => `const express = require('express');
const { requireAuth } = require('../middleware/auth');
const { validate } = require('../middleware/validate');
const ${many} = require('../services/${many}');

const router = express.Router();

// Everything that the customer's account owns, newest first.
router.get('/${many}', requireAuth, async (req, res, next) => {
  try {
    const found = await ${many}.list(req.user.id, req.query.page);
    res.json({ success: true, data: found });
  } catch (err) {
    next(err);
  }
});

router.get('/${many}/:id', requireAuth, async (req, res, next) => {
  try {
    const found = await ${many}.get(req.user.id, req.params.id);
    res.json({ success: true, data: found });
  } catch (err) {
    next(err);
  }
});

router.post('/${many}', requireAuth, validate('${one}'), async (req, res, next) => {
  try {
    const made = await ${many}.create(req.user.id, req.body);
    res.status(201).json({ success: true, data: made });
  } catch (err) {
    next(err);
  }
});

router.post('/${many}/:id/${action}', requireAuth, async (req, res, next) => {
  try {
    const changed = await ${many}.${action}(req.user.id, req.params.id);
    res.json({ success: true, data: changed });
  } catch (err) {
    next(err);
  }
});

router.delete('/${many}/:id', requireAuth, async (req, res, next) => {
  try {
    await ${many}.remove(req.user.id, req.params.id);
    res.json({ success: true, data: null });
  } catch (err) {
    next(err);
  }
});

module.exports = router;
`;

const service = ([many, one, fields, action]) => `const ${one}Model = require('../models/${one}');
const { AppError } = require('../lib/errors');
const { emit } = require('../sockets');

const PAGE_SIZE = 20;

async function list(userId, page = 0) {
  return ${one}Model.findByOwner(userId, PAGE_SIZE, Number(page) * PAGE_SIZE);
}

async function get(userId, id) {
  const found = await ${one}Model.findById(id);
  if (!found || found.owner !== userId)
    throw new AppError(404, '${one} not found');
  return found;
}

async function create(userId, body) {
  const made = await ${one}Model.insert({ owner: userId, ${fields.map((f) => `${f}: body.${f}`).join(', ')} });
  emit(userId, '${one}:created', made);
  return made;
}

async function ${action}(userId, id) {
  const found = await get(userId, id);
  const changed = await ${one}Model.update(found.id, { state: '${action}' });
  emit(userId, '${one}:${action}', changed);
  return changed;
}

async function remove(userId, id) {
  const found = await get(userId, id);
  await ${one}Model.remove(found.id);
}

module.exports = { list, get, create, ${action}, remove };
`;

const model = ([many, one, fields]) => `const db = require('../lib/db');

// The only place that knows the columns of ${many}.
const COLUMNS = ['id', 'owner', 'state', ${fields.map((f) => `'${f}'`).join(', ')}];

function findById(id) {
  return db.one('SELECT ' + COLUMNS.join(', ') + ' FROM ${many} WHERE id = $1', [id]);
}

function findByOwner(owner, limit, offset) {
  return db.many('SELECT ' + COLUMNS.join(', ') + ' FROM ${many} WHERE owner = $1 LIMIT $2 OFFSET $3',
    [owner, limit, offset]);
}

function insert(${one}) {
  return db.insert('${many}', ${one});
}

function update(id, change) {
  return db.update('${many}', id, change);
}

function remove(id) {
  return db.run('DELETE FROM ${many} WHERE id = $1', [id]);
}

module.exports = { findById, findByOwner, insert, update, remove };
`;

const hook = ([many, one, , action]) => `import { useCallback, useEffect, useState } from 'react';

import { apiFetch } from '../api/client';

export function use${capital(many)}() {
  const [${many}, set${capital(many)}] = useState([]);
  const [error, setError] = useState(null);

  useEffect(() => {
    apiFetch('/${many}').then(set${capital(many)}, setError);
  }, []);

  const ${action} = useCallback(async (id) => {
    const changed = await apiFetch('/${many}/' + id + '/${action}', { method: 'POST' });
    set${capital(many)}((all) => all.map((${one}) => (${one}.id === id ? changed : ${one})));
  }, []);

  return { ${many}, error, ${action} };
}
`;

const page = ([many, one, fields, action]) => `import { ErrorNotice } from '../components/ErrorNotice';
import { Table } from '../components/Table';
import { use${capital(many)} } from '../hooks/use${capital(many)}';

export function ${capital(many)}Page() {
  const { ${many}, error, ${action} } = use${capital(many)}();

  if (error)
    return <ErrorNotice error={error} />;
  return (
    <section>
      <h1>${capital(many)}</h1>
      <Table
        columns={[${fields.map((f) => `'${f}'`).join(', ')}]}
        rows={${many}}
        onSelect={(${one}) => ${action}(${one}.id)}
      />
    </section>
  );
}
`;

const fixed = {
  'README.md': '# Shop\n\nExpress in `backend/`, React in `frontend/`.\n',
  'backend/package.json': JSON.stringify({
    name: 'shop-backend', private: true, main: 'app.js',
    dependencies: { express: '^4.19.0', jsonwebtoken: '^9.0.0', pg: '^8.11.0', 'socket.io': '^4.7.0' },
  }, null, 2) + '\n',
  'backend/app.js': `const express = require('express');
const http = require('http');

const { errorHandler } = require('./middleware/errors');
const sockets = require('./sockets');
${resources.map(([many]) => `const ${many}Router = require('./routes/${many}');`).join('\n')}
const healthRouter = require('./routes/health');

const app = express();
app.use(express.json({ limit: '100kb' }));
app.use('/api', healthRouter);
${resources.map(([many]) => `app.use('/api', ${many}Router);`).join('\n')}
app.use(errorHandler);

const server = http.createServer(app);
sockets.attach(server);

module.exports = { app, server };
`,
  'backend/routes/health.js': `const express = require('express');

const router = express.Router();

// For the load balancer, which has no account.
router.get('/health', (req, res) => {
  res.json({ success: true, data: { up: true } });
});

module.exports = router;
`,
  'backend/middleware/auth.js': `const jwt = require('jsonwebtoken');

const { AppError } = require('../lib/errors');

// Puts the user of the bearer token into req.user, or ends the request with 401.
function requireAuth(req, res, next) {
  const header = req.get('authorization') || '';
  try {
    req.user = jwt.verify(header.replace(/^Bearer /, ''), process.env.JWT_SECRET);
    next();
  } catch (err) {
    next(new AppError(401, 'sign in first'));
  }
}

module.exports = { requireAuth };
`,
  'backend/middleware/validate.js': `const { AppError } = require('../lib/errors');
const schemas = require('../lib/schemas');

// Refuses a body that lacks a field which the schema of that name demands.
function validate(name) {
  return (req, res, next) => {
    const missing = schemas[name].filter((field) => req.body[field] === undefined);
    next(missing.length ? new AppError(400, 'missing: ' + missing.join(', ')) : undefined);
  };
}

module.exports = { validate };
`,
  'backend/middleware/errors.js': `const logger = require('../lib/logger');

function errorHandler(err, req, res, next) {
  logger.warn(err.message, { path: req.path });
  res.status(err.status || 500).json({ success: false, error: err.message });
}

module.exports = { errorHandler };
`,
  'backend/lib/errors.js': `class AppError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

module.exports = { AppError };
`,
  'backend/lib/schemas.js': `module.exports = {
${resources.map(([, one, fields]) => `  ${one}: [${fields.map((f) => `'${f}'`).join(', ')}],`).join('\n')}
};
`,
  'backend/lib/logger.js': `function write(level, message, fields) {
  process.stderr.write(JSON.stringify({ level, message, ...fields }) + '\\n');
}

module.exports = {
  info: (message, fields) => write('info', message, fields),
  warn: (message, fields) => write('warn', message, fields),
};
`,
  'backend/lib/db.js': `const { Pool } = require('pg');

const pool = new Pool({ connectionString: process.env.DATABASE_URL });

async function many(sql, values) {
  return (await pool.query(sql, values)).rows;
}

async function one(sql, values) {
  return (await many(sql, values))[0];
}

function run(sql, values) {
  return pool.query(sql, values);
}

function insert(table, row) {
  const names = Object.keys(row);
  const places = names.map((_, i) => '$' + (i + 1));
  return one('INSERT INTO ' + table + ' (' + names.join(', ') + ') VALUES (' + places.join(', ') + ') RETURNING *',
    Object.values(row));
}

function update(table, id, change) {
  const sets = Object.keys(change).map((name, i) => name + ' = $' + (i + 2));
  return one('UPDATE ' + table + ' SET ' + sets.join(', ') + ' WHERE id = $1 RETURNING *',
    [id, ...Object.values(change)]);
}

module.exports = { many, one, run, insert, update };
`,
  'backend/sockets.js': `const { Server } = require('socket.io');

let io;

function attach(server) {
  io = new Server(server);
  io.on('connection', (socket) => {
    socket.on('cart:watch', (cartId) => socket.join('cart:' + cartId));
    socket.on('cart:leave', (cartId) => socket.leave('cart:' + cartId));
    socket.emit('shop:welcome', { at: Date.now() });
  });
}

function emit(userId, event, data) {
  if (io)
    io.to('user:' + userId).emit(event, data);
}

module.exports = { attach, emit };
`,
  'frontend/package.json': JSON.stringify({
    name: 'shop-frontend', private: true,
    dependencies: { react: '^18.3.0', 'react-dom': '^18.3.0' }, devDependencies: { vite: '^5.4.0' },
  }, null, 2) + '\n',
  'frontend/src/main.jsx': `import { createRoot } from 'react-dom/client';

import { App } from './App';

createRoot(document.getElementById('root')).render(<App />);
`,
  'frontend/src/App.jsx': `import { useState } from 'react';

import { Menu } from './components/Menu';
${resources.map(([many]) => `import { ${capital(many)}Page } from './pages/${capital(many)}Page';`).join('\n')}

const pages = {
${resources.map(([many]) => `  ${many}: ${capital(many)}Page,`).join('\n')}
};

export function App() {
  const [name, setName] = useState('products');
  const Page = pages[name];
  return (
    <main>
      <Menu names={Object.keys(pages)} onSelect={setName} />
      <Page />
    </main>
  );
}
`,
  'frontend/src/api/client.js': `// Every request of the pages goes through here: it adds the token and opens the envelope.
export async function apiFetch(path, options = {}) {
  const response = await fetch('/api' + path, {
    ...options,
    headers: { authorization: 'Bearer ' + localStorage.getItem('token'), ...options.headers },
  });
  const body = await response.json();
  if (!body.success)
    throw new Error(body.error);
  return body.data;
}
`,
  'frontend/src/components/Menu.jsx': `export function Menu({ names, onSelect }) {
  return (
    <nav>
      {names.map((name) => (
        <button key={name} onClick={() => onSelect(name)}>{name}</button>
      ))}
    </nav>
  );
}
`,
  'frontend/src/components/Table.jsx': `export function Table({ columns, rows, onSelect }) {
  return (
    <table>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} onClick={() => onSelect(row)}>
            {columns.map((column) => <td key={column}>{row[column]}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
`,
  'frontend/src/components/ErrorNotice.jsx': `export function ErrorNotice({ error }) {
  return <p role="alert">{error.message}</p>;
}
`,
};

// Writes the shop into a git work tree of its own; its root.
export function makeShop(name) {
  const files = { ...fixed };
  for (const r of resources) {
    const [many, one] = r;
    files[`backend/routes/${many}.js`] = route(r);
    files[`backend/services/${many}.js`] = service(r);
    files[`backend/models/${one}.js`] = model(r);
    files[`frontend/src/hooks/use${capital(many)}.js`] = hook(r);
    files[`frontend/src/pages/${capital(many)}Page.jsx`] = page(r);
  }
  const dir = path.join(scratch, name);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    fs.writeFileSync(path.join(dir, file), text);
  }
  const git = (...args) => execFileSync('git',
    ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'shop');
  return fs.realpathSync(dir);
}
