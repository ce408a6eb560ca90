// SPDX-License-Identifier: MIT
// Colours of the theme as a drawing on a canvas needs them.
import type { NodeDisplayData, PartialButFor } from 'sigma/types';

import { certaintyOf } from '../outline/certainty';
import { kindColour, kindName } from '../outline/kinds';
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

const OTHERS = 'var(--dim)';
/** The colour of each module that files are in: the first ones have one of their own, as they stand in the graph. */
export type Tints = Map<string, string>;
export function tintsOf(nodes: readonly GraphNode[]): Tints {
  const tints: Tints = new Map();
  for (const n of nodes) {
    const module = n.kind === 'file' && !n.isTest && !n.cycle ? n.module : undefined;
    if (module !== undefined && !tints.has(module)) tints.set(module, modules[tints.size] ?? OTHERS);
  }
  return tints;
}

/** Its colour, and what that says of it. What was asked for is larger, and has no colour of its own. */
function colourOf(n: GraphNode, tints: Tints): { colour: string; says: string } {
  if (n.isTest) return { colour: 'var(--line-strong)', says: 'test' };
  if (n.kind === 'external') return { colour: 'var(--dim)', says: 'outside of the project' };
  if (n.cycle) return { colour: 'var(--cycle)', says: 'in a cycle' };
  if (n.kind === 'file') {
    const colour = tints.get(n.module ?? '') ?? OTHERS;
    return { colour, says: colour === OTHERS ? 'other modules' : n.module || 'the top folder' };
  }
  return { colour: kindColour(n.kind), says: kindName(n.kind) };
}
export const nodeColour = (n: GraphNode, tints: Tints, p: Palette): string => p.value(colourOf(n, tints).colour);

const SAID_OF_ONE = 3; // of what has the same colour
export interface ColourSaid {
  colour: string;
  text: string;
}
/** What the colours of these nodes say; those that most have come first. */
export function coloursOf(nodes: readonly GraphNode[]): ColourSaid[] {
  const tints = tintsOf(nodes);
  const says = new Map<string, Map<string, number>>();
  for (const n of nodes) {
    const { colour, says: what } = colourOf(n, tints);
    const of = says.get(colour) ?? new Map<string, number>();
    says.set(colour, of.set(what, (of.get(what) ?? 0) + 1));
  }
  const byNumber = [...says].map(([colour, of]) => ({ colour, of: [...of].sort((a, b) => b[1] - a[1]), n: [...of.values()].reduce((sum, n) => sum + n, 0) })).sort((a, b) => b.n - a.n);
  return byNumber.map(({ colour, of }) => ({
    colour, text: of.slice(0, SAID_OF_ONE).map(([what]) => what).join(', ') + (of.length > SAID_OF_ONE ? ` and ${of.length - SAID_OF_ONE} more` : ''),
  }));
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
