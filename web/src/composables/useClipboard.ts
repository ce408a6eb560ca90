// SPDX-License-Identifier: MIT
// Browsers let pages of https and of this machine copy, and no others.
import { attempt, toast } from './useToasts';

/** Copies, and says `done`; or says why not. */
export async function copyText(text: string, done: string): Promise<boolean> {
  const isCopied = await attempt('It could not be copied', async () => {
    if (!navigator.clipboard) throw new Error('the browser allows that to pages of https and of this machine alone.');
    await navigator.clipboard.writeText(text);
    return true;
  });
  if (isCopied && done) toast(done, 'good');
  return isCopied === true;
}
