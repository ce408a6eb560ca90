// SPDX-License-Identifier: MIT
// Why a file is not in the index, as the server names it and as people read it.

export const reasons: Record<string, string> = {
  ignored: 'excluded by an ignore file or a pattern',
  folder: 'in a folder that is left out by default',
  secret: 'may hold secrets',
  binary: 'binary',
  too_large: 'larger than the limit',
  generated: 'generated or minified',
  vendored: 'code of others, vendored',
  encoding: 'not UTF-8 text',
  symlink: 'a symbolic link',
  special: 'not a regular file',
  unreadable: 'could not be read',
  empty: 'empty',
  name: 'its name is not UTF-8, or holds a control character',
  submodule: 'a repository of its own inside this one',
};
/** What a person should look at: the others are as they should be. */
export const troubles = new Set(['unreadable', 'encoding', 'name', 'special']);
export const reasonText = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ');
