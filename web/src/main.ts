// SPDX-License-Identifier: MIT
import './styles/base.css';

import { createApp } from 'vue';

import App from './app/App.vue';
import { router } from './app/router';
import { followTheme } from './composables/useTheme';

followTheme();
createApp(App).use(router).mount('#app');
