// SPDX-License-Identifier: MIT
// A client that openapi-typescript made types for: what somebody writes who uses the API. It is compiled with
// --strict before it runs, so every member it touches has a type. Arguments: the address of a server, and a folder.
import createClient from 'openapi-fetch';
import type { components, paths } from './api';

declare const process: { argv: string[] };

const [baseUrl, folder] = process.argv.slice(2) as [string, string];
const ken = createClient<paths>({ baseUrl });

function check(fact: boolean, what: string): asserts fact {
  if (!fact)
    throw new Error(what);
}

// Of an error all members are known, too.
function said(error: components['schemas']['Problem'] | undefined): string {
  return error ? `${error.status} ${error.code}: ${error.detail}` : 'no answer';
}

// Until it ends, and then the last that its stream told.
async function endOf(id: string): Promise<components['schemas']['Job']> {
  const { data, error } = await ken.GET('/api/v1/jobs/{id}/events', { params: { path: { id } }, parseAs: 'text' });
  check(data !== undefined, said(error));
  const told = data.split('\n').filter((line) => line.startsWith('data: '));
  check(told.length > 0, 'the stream told nothing');
  return JSON.parse(told[told.length - 1]!.slice('data: '.length));
}

// A job, with its stream.
const { data: job, error: noJob } = await ken.POST('/api/v1/index_repository', { body: { repo_path: folder } });
check(job !== undefined, said(noJob));
const project: string = job.project!.id;
const { data: queued, error: notQueued } = await ken.POST('/api/v1/jobs', { body: { kind: 'index', project, force: true } });
check(queued !== undefined, said(notQueued));
const done = await endOf(queued.id);
check(done.state === 'done' && done.progress.done > 0 && done.error === null, JSON.stringify(done));

// Questions.
const { data: found, error: notFound } = await ken.POST('/api/v1/search_code', {
  body: { query: 'retry after a connection error', project, search_type: 'hybrid', limit: 3 },
});
check(found !== undefined, said(notFound));
const first = found.results[0];
check(first !== undefined && first.file_path === 'src/retry.py' && first.start_line >= 1, JSON.stringify(first));
check(first.similarity_score > 0 && first.content.includes('ConnectionError'), first.content);

const { data: uses, error: noUses } = await ken.GET('/api/v1/find_usages', {
  params: { query: { symbol_name: 'parse_number', project, limit: 10 } },
});
check(uses !== undefined, said(noUses));
check(uses.definitions[0]?.file_path === 'src/parse.c' && uses.total === 1, JSON.stringify(uses));
check(uses.files.flatMap((file) => file.calls ?? []).some((use) => use.line === 3), JSON.stringify(uses.files));

const { data: parts, error: noParts } = await ken.POST('/api/v1/get_architecture', { body: { project } });
check(parts !== undefined, said(noParts));
check(parts.languages.some((language) => language.language === 'python' && language.files === 1), JSON.stringify(parts));

// A task, and back.
const { data: made, error: notMade } = await ken.POST('/api/v1/create_task', {
  body: { title: 'Retry uploads', description: 'Users on trains lose files.', planning_references: ['README.md'], project },
});
check(made !== undefined, said(notMade));
const { data: task, error: noTask } = await ken.GET('/api/v1/get_task', { params: { query: { task_id: made.id } } });
check(task !== undefined, said(noTask));
check(task.title === 'Retry uploads' && task.planning_references[0] === 'README.md', JSON.stringify(task));
check(task.project?.id === project && task.history?.[0]?.event === 'status', JSON.stringify(task));

// An error.
const { data: nothing, error, response } = await ken.POST('/api/v1/get_task', {
  body: { task_id: '3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b' },
});
check(nothing === undefined && error !== undefined, 'an unknown task is an error');
check(error.code === 'ENOTFOUND' && error.status === 404 && response.status === 404, said(error));
check(response.headers.get('content-type') === 'application/problem+json', 'its type');
console.log('ok');
