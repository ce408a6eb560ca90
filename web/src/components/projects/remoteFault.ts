// SPDX-License-Identifier: MIT
// Why a remote repository could not be added: which field that is about, and what it means.
import type { ApiError } from '../../api/client';

const FIELDS = ['url', 'branch', 'name', 'sparse', 'depth', 'interval_seconds'] as const;
export type RemoteField = (typeof FIELDS)[number] | '';

const ABOUT_BRANCH = /couldn't find remote ref|has no branch/;
/** Of these the address is the cause, unless the message names a field. */
const ABOUT_ADDRESS: Record<string, string> = {
  EREMOTE: 'The server does not reach it, or it fails.',
  ENOTFOUND: 'There is no such repository.',
  EPERM: 'This server is refused there.',
  ETIMEOUT: 'It took too long.',
};

export interface RemoteFault {
  /** '' = it is about none. */
  field: RemoteField;
  text: string;
}

export function faultOf(e: ApiError): RemoteFault {
  const text = `${e.raw} ${e.hint}`.trim();
  const named = FIELDS.find((f) => new RegExp(`^args[:.] ?${f}\\b`).test(e.raw));
  if (named) return { field: named, text: text.replace(/^args[:.] ?/, '') };
  if (e.code === 'ENOTFOUND' && ABOUT_BRANCH.test(e.raw)) return { field: 'branch', text };
  const head = ABOUT_ADDRESS[e.code];
  return head ? { field: 'url', text: `${head} ${text}` } : { field: '', text };
}
