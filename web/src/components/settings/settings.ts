// SPDX-License-Identifier: MIT
// Settings of the server as its API gives them, and as people type them.
import { call, type Answer } from '../../api/client';

export type SettingList = Answer<'list_settings'>;
export type Setting = SettingList['settings'][number];
export type Change = Answer<'change_setting'>;

export const listSettings = (project: string | undefined, signal?: AbortSignal): Promise<SettingList> => call('list_settings', { project }, signal);
/** Without a value it is taken out of the file. */
export const changeSetting = (key: string, value: string | undefined, project?: string): Promise<Change> => call('change_setting', { key, value, project });

const units = [['TiB', 2 ** 40], ['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]] as const;
function size(bytes: number): string {
  const [unit, of] = units.find(([, n]) => bytes >= n && bytes % n === 0) ?? ['', 1];
  return `${bytes / of}${unit}`;
}

/** As one types it: a list has an element on each line. */
export function asText(s: Setting): string {
  if (s.type === 'secret' || s.value == null) return '';
  if (Array.isArray(s.value)) return s.value.join('\n');
  return s.type === 'size' && typeof s.value === 'number' ? size(s.value) : String(s.value);
}
/** As the API takes it. */
export const asValue = (s: Setting, typed: string): string => (s.type === 'list' ? typed.split('\n').map((l) => l.trim()).filter(Boolean).join(',') : typed.trim());

export function shown(s: Setting): string {
  if (s.type === 'secret') return s.value ? 'is set, and not shown' : 'not set';
  if (typeof s.value === 'boolean') return s.value ? 'on' : 'off';
  return asText(s).replaceAll('\n', ', ') || 'empty';
}
export const isSame = (a: Setting, b: Setting): boolean => JSON.stringify(a.value) === JSON.stringify(b.value);
export const groupOf = (key: string): string => key.slice(0, key.indexOf('.'));
