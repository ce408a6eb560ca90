// SPDX-License-Identifier: MIT
// Numbers and times as people read them.

const number = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const count = (n: number | null | undefined): string => (n == null ? '–' : number.format(n));
export const shortCount = (n: number | null | undefined): string => (n == null ? '–' : compact.format(n));
export const plural = (n: number, one: string, many = `${one}s`): string => `${number.format(n)} ${n === 1 ? one : many}`;

export function bytes(n: number | null | undefined): string {
  if (n == null) return '–';
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']; // as the command line has them
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return i ? `${n.toFixed(1)} ${units[i]}` : `${n} ${n === 1 ? 'byte' : 'bytes'}`;
}

export function ms(n: number | null | undefined): string {
  if (n == null) return '–';
  if (n < 1) return `${n.toFixed(2)} ms`;
  return n < 1000 ? `${n < 10 ? n.toFixed(1) : Math.round(n)} ms` : seconds(n / 1000);
}

export function seconds(n: number | null | undefined): string {
  if (n == null) return '–';
  if (n < 60) return `${n < 10 ? n.toFixed(1) : Math.round(n)} s`;
  if (n < 3600) return `${Math.floor(n / 60)} min ${Math.round(n % 60)} s`;
  if (n < 86_400) return `${Math.floor(n / 3600)} h ${Math.round((n % 3600) / 60)} min`;
  return `${Math.floor(n / 86_400)} d ${Math.round((n % 86_400) / 3600)} h`;
}

/** "3 minutes ago" */
export function ago(time: string | number | null | undefined, now = Date.now()): string {
  if (!time) return 'never';
  const s = (new Date(time).getTime() - now) / 1000;
  for (const [unit, size] of [['year', 31_536_000], ['month', 2_592_000], ['day', 86_400], ['hour', 3600], ['minute', 60]] as const)
    if (Math.abs(s) >= size) return relative.format(Math.round(s / size), unit);
  return 'just now';
}

export function dateTime(time: string | number | null | undefined): string {
  return time ? new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '–';
}

/** With its seconds. */
export function exactTime(time: string | number | null | undefined): string {
  return time ? new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' }) : '–';
}

/** "14:05:09" */
export const clock = (time: string | number): string => new Date(time).toLocaleTimeString(undefined, { hourCycle: 'h23' });

export const percent = (share: number, digits = 0): string => `${(share * 100).toFixed(digits)} %`;
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
