// SPDX-License-Identifier: MIT
// The server's policy lets no text become a script's address, but through this.

const policy = window.trustedTypes?.createPolicy('ken', {
  createScriptURL(url: string): string {
    if (new URL(url, location.href).origin !== location.origin) throw new TypeError(`${url} is of another site`);
    return url;
  },
});

/** A worker from a file of this page. */
export function startWorker(url: string): Worker {
  const trusted = policy ? policy.createScriptURL(url) : url;
  return new Worker(trusted as string, { type: 'module' });
}

declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown };
    };
  }
}
