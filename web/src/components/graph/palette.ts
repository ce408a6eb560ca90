// SPDX-License-Identifier: MIT
// Colours of the theme as a drawing on a canvas needs them.
import type { NodeDisplayData, PartialButFor } from 'sigma/types';

import { certaintyOf } from '../outline/certainty';
import { kindColour } from '../outline/kinds';
import type { GraphNode } from './model';

export interface Palette {
  text: string;
  page: string;
  raised: string;
  line: string;
  font: string;
  value: (css: string) => string;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (css: string) => (css.startsWith('var(') ? style.getPropertyValue(css.slice(4, -1)).trim() : css);
  return { text: value('var(--text)'), page: value('var(--page)'), raised: value('var(--raised)'), line: value('var(--line)'), font: getComputedStyle(document.body).fontFamily, value };
}

export const LABEL_GAP = 3; // between a node and its label

const modules = ['var(--plot-1)', 'var(--plot-3)', 'var(--plot-5)', 'var(--plot-4)', 'var(--plot-6)', 'var(--plot-2)'];
function hash(text: string): number {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) | 0;
  return Math.abs(h);
}

export function nodeColour(n: GraphNode, p: Palette): string {
  if (n.isRoot) return p.value('var(--accent)');
  if (n.isTest) return p.value('var(--line-strong)');
  if (n.kind === 'external') return p.value('var(--dim)');
  if (n.cycle) return p.value('var(--cycle)');
  if (n.kind === 'file' || n.kind === 'module') return p.value(modules[hash(n.module ?? '') % modules.length]!);
  return p.value(kindColour(n.kind));
}

export function edgeColour(resolution: string, p: Palette): string {
  const how = certaintyOf(resolution);
  return p.value(how === 'sure' ? 'var(--line-strong)' : how === 'likely' ? 'var(--warn)' : 'var(--bad)');
}

interface LabelLook {
  labelWeight: string;
  labelSize: number;
  labelFont: string;
}
type Drawn = PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'> & { name?: string };
/** On the page's colour, so that no edge runs through the text. */
export function drawLabel(p: () => Palette) {
  return (context: CanvasRenderingContext2D, data: Drawn, settings: LabelLook): void => {
    if (!data.label) return;
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const x = data.x + data.size + LABEL_GAP;
    context.globalAlpha = 0.85;
    context.fillStyle = p().page;
    context.fillRect(x - 1, data.y - settings.labelSize / 2 - 1, context.measureText(data.label).width + 2, settings.labelSize + 3);
    context.globalAlpha = 1;
    context.fillStyle = p().text;
    context.fillText(data.label, x, data.y + settings.labelSize / 3);
  };
}
/** With its whole name, also where the label is cut. */
export function drawHover(p: () => Palette) {
  return (context: CanvasRenderingContext2D, node: Drawn, settings: LabelLook): void => {
    const data = { ...node, label: node.label && (node.name ?? node.label) };
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const width = data.label ? context.measureText(data.label).width + data.size + 10 : data.size * 2;
    context.fillStyle = p().raised;
    context.strokeStyle = p().value('var(--accent)');
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(data.x - data.size - 4, data.y - Math.max(data.size, 8) - 3, width + data.size + 4, Math.max(data.size, 8) * 2 + 6, 5);
    context.fill();
    context.stroke();
    context.beginPath();
    context.arc(data.x, data.y, data.size, 0, Math.PI * 2);
    context.fillStyle = data.color;
    context.fill();
    if (!data.label) return;
    context.fillStyle = p().text;
    context.fillText(data.label, data.x + data.size + LABEL_GAP, data.y + settings.labelSize / 3);
  };
}
