// SPDX-License-Identifier: MIT
import { createRouter, createWebHistory } from 'vue-router';

import { routes } from './views';

export const router = createRouter({
  history: createWebHistory(),
  routes,
  scrollBehavior: (to, from, saved) => saved ?? (to.name === from.name ? undefined : { top: 0 }),
});

router.afterEach((to) => {
  document.title = to.meta.title ? `${String(to.meta.title)} – ken` : 'ken';
});

// After an update of the server the scripts that this page knows are gone: it is loaded again, once.
router.onError((e, to) => {
  const key = `ken.reloaded ${to.fullPath}`;
  if (!/dynamically imported module|Importing a module|preload CSS/i.test(String(e)) || sessionStorage.getItem(key)) return;
  sessionStorage.setItem(key, '1');
  location.assign(to.fullPath);
});
