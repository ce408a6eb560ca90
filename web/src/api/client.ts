// SPDX-License-Identifier: MIT
// The API of the server, with types made from its OpenAPI document (`./dev web types`).
import createClient from 'openapi-fetch';

import type { components, paths } from './schema';
import { needsToken, token } from './token';
import { inWords, withWords } from './words';

/** What went wrong, in the server's words (RFC 9457), or that it was not reached. */
export class ApiError extends Error {
  /** The message as the server gave it, which names arguments. */
  readonly raw: string;
  readonly hint: string;
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    hint = '',
  ) {
    super(inWords(message));
    this.name = 'ApiError';
    this.raw = message;
    this.hint = inWords(hint);
  }

  /** The server was not reached: the same again may help. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

export type Schemas = components['schemas'];
type Operations = {
  [P in keyof paths as P extends `/api/v1/${infer Name}` ? (paths[P] extends { post: object } ? Name : never) : never]: paths[P];
};
export type Operation = keyof Operations & string;
type Content<T> = T extends { content: { 'application/json': infer C } } ? C : never;
export type Arguments<N extends Operation> = Operations[N] extends { post: { requestBody?: infer B } } ? Content<NonNullable<B>> : never;
export type Answer<N extends Operation> = Operations[N] extends { post: { responses: { 200: infer R } } } ? Content<R> : never;

export const raw = createClient<paths>({ baseUrl: location.origin, fetch: send });

async function send(request: Request): Promise<Response> {
  if (token.value) request.headers.set('Authorization', `Bearer ${token.value}`);
  let answer: Response;
  try {
    answer = await fetch(request);
  } catch (e) {
    if (e instanceof DOMException && e.name === 'AbortError') throw e;
    throw new ApiError(0, 'EOFFLINE', 'The server does not answer.', 'Is `ken serve` running? The page goes on by itself once it is.');
  }
  if (answer.status === 401) needsToken.value = true;
  return answer;
}

interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  hint?: string;
}

export function errorOf(status: number, problem: unknown): ApiError {
  const p = (typeof problem === 'object' && problem ? problem : {}) as Problem;
  const text = p.detail ?? p.title ?? (typeof problem === 'string' && problem ? problem.slice(0, 300) : `The server answered ${status}.`);
  return new ApiError(status, p.code ?? 'EHTTP', text, p.hint);
}

/** Calls an operation. Fails with ApiError, or with AbortError once `signal` says so. */
export async function call<N extends Operation>(name: N, args: Arguments<N>, signal?: AbortSignal): Promise<Answer<N>> {
  const { data, error, response } = await (raw.POST as unknown as LooseCall)(`/api/v1/${name}`, { body: args, signal });
  if (error !== undefined || !response.ok) throw errorOf(response.status, error);
  return withWords(data as Answer<N>);
}

type LooseCall = (path: string, init: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** A path that is no operation: `/api/v1/jobs/ID`. */
export async function request<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await send(
    new Request(location.origin + path, {
      method,
      signal: signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    }),
  );
  const text = await answer.text();
  let value: unknown = text;
  try {
    value = text ? JSON.parse(text) : undefined;
  } catch {
    // a proxy's page, perhaps: its text is told
  }
  if (!answer.ok) throw errorOf(answer.status, value);
  return value as T;
}
