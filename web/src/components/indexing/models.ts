// SPDX-License-Identifier: MIT
// Models that make vectors of code: which there are, and which one a project uses.
import { call, type Answer, type Arguments } from '../../api/client';

export type ModelList = Answer<'list_models'>;
export type Model = ModelList['models'][number];

export const listModels = (project: string, signal?: AbortSignal): Promise<ModelList> => call('list_models', { project }, signal);
export const useModel = (project: string, model: string, url?: string): Promise<Answer<'use_model'>> => call('use_model', { project, model, url });
export const addModel = (model: Arguments<'add_model'>): Promise<Answer<'add_model'>> => call('add_model', model);
export const removeModel = (model: string): Promise<Answer<'remove_model'>> => call('remove_model', { model, confirm: true });

/** Its files are not there, and a download brings them. */
export const needsDownload = (m: Model): boolean => m.provider === 'onnx' && !['ready', 'no runtime', 'downloading'].includes(m.status);
/** As use_model takes it. */
export const referenceOf = (m: Model): string => (['ollama', 'openai', 'tei'].includes(m.provider) && !m.id.startsWith(`${m.provider}:`) ? `${m.provider}:${m.id}` : m.id);
/** There is something of it to remove: what was added, or files of what came with ken. */
export const canRemove = (m: Model): boolean => m.provider === 'onnx' && (!m.is_preloaded || ['ready', 'no runtime', 'error', 'missing'].includes(m.status));
