// SPDX-License-Identifier: MIT
// The tests of the page, as ctest starts them.
//
//   node web/tests/run.mjs types|unit|views|actions|faults --ken KEN
//
// Exits with 77 where there is no browser, unless KEN_TEST_REQUIRE names it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const [what, , binary = 'build/dev/ken'] = process.argv.slice(2);
const ken = resolve(binary);

function run(program, ...words) {
  const { status, error } = spawnSync(program, words, { cwd: web, stdio: 'inherit', env: { ...process.env, KEN_BINARY: ken } });
  if (error) console.error(String(error));
  return status ?? 1;
}
const tool = (path, ...words) => run(process.execPath, join(web, 'node_modules', path), ...words);

/** The types of the API as this server describes it. */
async function makeTypes() {
  const box = mkdtempSync(join(tmpdir(), 'ken-types-'));
  const server = spawn(ken, ['serve', '--json', '--port', '0'], { env: { ...process.env, HOME: box, KEN_DATA_DIR: join(box, 'data'), XDG_CONFIG_HOME: box }, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const line = await new Promise((done, fail) => {
      createInterface({ input: server.stdout }).once('line', done);
      server.once('exit', () => fail(new Error('ken serve did not start')));
    });
    const document = join(box, 'openapi.json');
    writeFileSync(document, await (await fetch(`${JSON.parse(line).url}/api/v1/openapi.json`)).text());
    return tool('openapi-typescript/bin/cli.js', document, '-o', join(web, 'src', 'api', 'schema.d.ts'));
  } finally {
    const ended = new Promise((done) => server.once('exit', done));
    server.kill();
    await ended;
    rmSync(box, { recursive: true, force: true });
  }
}

async function main() {
  if (what === 'types') return (await makeTypes()) || tool('vue-tsc/bin/vue-tsc.js', '--noEmit');
  if (what === 'unit') return tool('vitest/vitest.mjs', 'run');
  if (!existsSync(process.env.KEN_CHROMIUM ?? '/usr/bin/chromium')) {
    const isWanted = (process.env.KEN_TEST_REQUIRE ?? '').split(',').includes('browser');
    console.log('there is no browser: install chromium, or name one in KEN_CHROMIUM');
    return isWanted ? 1 : 77;
  }
  return run(process.execPath, '--test', '--test-reporter=spec', join('tests', 'browser', `${what}.test.mjs`));
}

process.exitCode = await main();
