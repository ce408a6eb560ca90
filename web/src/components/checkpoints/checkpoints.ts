// SPDX-License-Identifier: MIT
import type { Answer } from '../../api/client';

export type Checkpoint = Answer<'checkpoint_list'>['checkpoints'][number];

/** A checkpoint as text for an agent, or a person, who goes on from there. */
export function asContext(c: Answer<'checkpoint_get'>, description: string): string {
  const parts = [`# ${c.summary}`, description];
  if (c.tags?.length) parts.push(`Tags: ${c.tags.join(', ')}`);
  if (c.git) parts.push(`Git: ${c.git.branch ?? 'no branch'} at ${c.git.commit ?? 'no commit'}`);
  if (c.context) parts.push(`\`\`\`json\n${JSON.stringify(c.context, null, 2)}\n\`\`\``);
  return parts.filter(Boolean).join('\n\n') + '\n';
}
