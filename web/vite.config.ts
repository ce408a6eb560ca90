// SPDX-License-Identifier: MIT
// One entry, a script for each view, names with a hash of what is in them: the server lets browsers keep those for ever.
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const server = process.env.KEN_SERVER ?? 'http://127.0.0.1:7420';

export default defineConfig({
  plugins: [vue()],
  build: {
    outDir: process.env.KEN_PAGE_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the policy of the server allows no data: scripts, and files are cached
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  // The server takes no requests from pages of others: `npm run dev` is one, and says that it is not.
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } } },
  test: { environment: 'jsdom', include: ['tests/**/*.test.ts'], css: { include: /base\.css/ } },
} as never);
