// SPDX-License-Identifier: MIT
// The access token, kept for as long as the tab is open.
import { ref } from 'vue';

const KEY = 'ken.token';

export const token = ref(sessionStorage.getItem(KEY) ?? '');
/** True once the server has refused a request for want of a token. */
export const needsToken = ref(false);

export function setToken(value: string): void {
  token.value = value.trim();
  if (token.value) sessionStorage.setItem(KEY, token.value);
  else sessionStorage.removeItem(KEY);
  needsToken.value = false;
}
