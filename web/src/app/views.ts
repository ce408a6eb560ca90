// SPDX-License-Identifier: MIT
// The views: their place in the navigation, the key that leads there, the script that draws them.
import {
  Activity, Boxes, ChartLine, CheckSquare, Flag, FolderGit2, ListTree, RefreshCw, Scale, Search, Settings, Waypoints,
} from 'lucide-vue-next';
import type { Component } from 'vue';
import type { RouteRecordRaw } from 'vue-router';

export interface View {
  name: string;
  title: string;
  key: string; // after g
  icon: Component;
  needsProject: boolean;
  isOfProject?: boolean; // without needing one
  load: () => Promise<unknown>;
}

export const views: View[] = [
{ name: 'projects', title: 'Projects', key: 'p', icon: FolderGit2, needsProject: false, load: () => import('../views/ProjectsView.vue') },
{ name: 'indexing', title: 'Indexing', key: 'i', icon: RefreshCw, needsProject: true, load: () => import('../views/IndexingView.vue') },
  { name: 'search', title: 'Search', key: 's', icon: Search, needsProject: true, load: () => import('../views/SearchView.vue') },
{ name: 'outline', title: 'Outline', key: 'o', icon: ListTree, needsProject: true, load: () => import('../views/OutlineView.vue') },
{ name: 'chunks', title: 'Chunks', key: 'c', icon: Boxes, needsProject: true, load: () => import('../views/ChunksView.vue') },
{ name: 'graph', title: 'Graph', key: 'g', icon: Waypoints, needsProject: true, load: () => import('../views/GraphView.vue') },
{ name: 'rules', title: 'Rules', key: 'r', icon: Scale, needsProject: true, load: () => import('../views/RulesView.vue') },
{ name: 'tasks', title: 'Tasks', key: 't', icon: CheckSquare, needsProject: false, load: () => import('../views/TasksView.vue') },
{ name: 'checkpoints', title: 'Checkpoints', key: 'k', icon: Flag, needsProject: true, load: () => import('../views/CheckpointsView.vue') },
{ name: 'stats', title: 'Stats', key: 'a', icon: ChartLine, needsProject: false, isOfProject: true, load: () => import('../views/StatsView.vue') },
{ name: 'agents', title: 'MCP', key: 'm', icon: Activity, needsProject: false, load: () => import('../views/AgentsView.vue') },
{ name: 'settings', title: 'Settings', key: ',', icon: Settings, needsProject: false, load: () => import('../views/SettingsView.vue') },
];

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: (to) => ({ name: to.query.project ? 'search' : 'projects', query: to.query }) },
  ...views.map((v) => ({ path: `/${v.name}`, name: v.name, component: v.load, meta: { title: v.title, needsProject: v.needsProject, isOfProject: v.needsProject || v.isOfProject } }) as RouteRecordRaw),
  { path: '/:rest(.*)*', name: 'nowhere', component: () => import('../views/NowhereView.vue'), meta: { title: 'Not found' } },
];
