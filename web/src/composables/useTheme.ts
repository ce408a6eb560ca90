// SPDX-License-Identifier: MIT
// Light, dark or as the system says; more contrast or as the system says. Kept in the browser: it is the eyes', not the project's.
import { ref, watchEffect } from 'vue';

export type Theme = 'system' | 'light' | 'dark';
export type Contrast = 'system' | 'more' | 'usual';

const isDark = matchMedia('(prefers-color-scheme: dark)');
const isHigh = matchMedia('(prefers-contrast: more)');
const systemIsDark = ref(isDark.matches);
const systemIsHigh = ref(isHigh.matches);
export const theme = ref<Theme>((localStorage.getItem('ken.theme') as Theme) || 'system');
export const contrast = ref<Contrast>((localStorage.getItem('ken.contrast') as Contrast) || 'system');

export function followTheme(): void {
  isDark.addEventListener('change', (e) => (systemIsDark.value = e.matches));
  isHigh.addEventListener('change', (e) => (systemIsHigh.value = e.matches));
  watchEffect(() => {
    const root = document.documentElement;
    root.dataset.theme = theme.value === 'system' ? (systemIsDark.value ? 'dark' : 'light') : theme.value;
    root.dataset.contrast = contrast.value === 'system' ? (systemIsHigh.value ? 'more' : 'usual') : contrast.value;
    localStorage.setItem('ken.theme', theme.value);
    localStorage.setItem('ken.contrast', contrast.value);
  });
}

export function isDarkNow(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

export function toggleTheme(): void {
  theme.value = isDarkNow() ? 'light' : 'dark';
}
