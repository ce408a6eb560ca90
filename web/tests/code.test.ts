// SPDX-License-Identifier: MIT
// Graphs joined and in columns, diffs as they are pasted, names that would seem others.
import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';

import { diskPath, hasDirectionMarks, visible } from '../src/components/files/places';
import { parseDiff } from '../src/components/graph/diff';
import { layered } from '../src/components/graph/layered';
import { emptyGraph, join, linksOf, nodeOfPlace, type Graph, type GraphNode } from '../src/components/graph/model';
import { coloursOf } from '../src/components/graph/palette';
import { boxWithLabels, fitText } from '../src/components/graph/room';
import { certaintyOf, certaintyText } from '../src/components/outline/certainty';
import { mergeTwins } from '../src/components/outline/useOutline';
import { plainLines } from '../src/composables/useHighlight';
import VirtualTree from '../src/components/VirtualTree.vue';

const node = (id: string, depth = 0, more: Partial<GraphNode> = {}): GraphNode => ({ id, name: id, kind: 'function', depth, notes: [], ...more });
const edge = (from: string, to: string) => ({ from, to, kind: 'call', resolution: 'exact', sites: 1 });
const graph = (nodes: GraphNode[], ...pairs: [string, string][]): Graph => ({ ...emptyGraph(), nodes, edges: pairs.map(([a, b]) => edge(a, b)) });

describe('colours of a graph', () => {
  it('say what they stand for, most first', () => {
    const kinds = coloursOf([node('a', 0, { isRoot: true }), node('b'), node('c', 1, { kind: 'method' }), node('d', 1, { kind: 'class' }), node('e', 1, { isTest: true }), node('f')]);
    expect(kinds.map((c) => c.text)).toEqual(['function, method', 'class', 'test']);
  });
  it('tell modules of files apart while there are colours', () => {
    const files = Array.from({ length: 9 }, (_, i) => node(`f${i}`, 1, { kind: 'file', module: i ? `src/m${i}` : '' }));
    const said = coloursOf([...files, node('x', 1, { kind: 'file', module: 'src/m1' })]);
    expect(said).toHaveLength(7);
    expect(said[0]!.text).toBe('other modules');
    expect(said.map((c) => c.text).slice(1)).toEqual(['src/m1', 'the top folder', 'src/m2', 'src/m3', 'src/m4', 'src/m5']);
    expect(new Set(said.map((c) => c.colour)).size).toBe(7);
  });
});

describe('two graphs', () => {
  it('are joined with each node and edge once, and one beginning', () => {
    const all = join(graph([node('a', 0, { isRoot: true }), node('b', 1)], ['a', 'b']), graph([node('b', 0, { isRoot: true }), node('c', 1)], ['b', 'c'], ['a', 'b']));
    expect(all.nodes.map((n) => n.id)).toEqual(['a', 'b', 'c']);
    expect(all.nodes.filter((n) => n.isRoot).map((n) => n.id)).toEqual(['a']);
    expect(all.edges).toHaveLength(2);
    expect(linksOf(all).get('b')).toMatchObject({ in: [{ from: 'a' }], out: [{ to: 'c' }] });
  });

  it('have an impact\'s use once, as what it is when that is known', () => {
    const used = { ...graph([node('a'), node('b')]), edges: [{ ...edge('a', 'b'), kind: 'use' }] };
    expect(join(used, graph([node('a'), node('b')], ['a', 'b'])).edges).toEqual([edge('a', 'b')]);
  });

  it('name a definition by its place, one without a place by its name', () => {
    expect(nodeOfPlace({ name: 'f', kind: 'function', at: 'a b/c.py:12' }, 1)).toMatchObject({ id: 'a b/c.py:12', file: 'a b/c.py', line: 12 });
    expect(nodeOfPlace({ name: 'printf', at: '' }, 1).id).toBe('? printf');
  });
});

describe('the outline', () => {
  it('has a type and the struct that it names once, with what is in it', () => {
    const field = { id: 'f', name: 'task', kind: 'field', start_line: 2, end_line: 2 };
    const struct = { id: 's', name: 'Reader', kind: 'struct', start_line: 1, end_line: 3, children: [field] };
    const [one, ...others] = mergeTwins([{ ...struct, id: 't', kind: 'type', children: [struct] }] as never);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ id: 't', kind: 'struct', children: [field] });
    // Of a class and its constructor both are told.
    const made = { ...struct, kind: 'class', children: [{ ...struct, kind: 'method', start_line: 2, end_line: 2, children: [] }] };
    expect(mergeTwins([made] as never)[0]!.children).toHaveLength(1);
  });
});

describe('columns', () => {
  it('have callers left of where it begins, callees right of it', () => {
    const at = layered(graph([node('f', 0, { isRoot: true }), node('caller', 1), node('callee', 1), node('other', 2)], ['caller', 'f'], ['f', 'callee'], ['other', 'callee']), 1.5);
    expect(at.get('caller')!.x).toBeLessThan(at.get('f')!.x);
    expect(at.get('callee')!.x).toBeGreaterThan(at.get('f')!.x);
    expect(at.get('other')!.x).toBe(at.get('f')!.x);
  });

  it('lead no edge through a node that it is not of', () => {
    const layer = (n: number) => ({ kind: 'module', layer: n });
    // As of a server: two libraries in a cycle with what uses them, tools beside them, and what nothing is linked with.
    const g = graph(
      [...['tests', 'utils', 'modules'].map((id) => node(id, 0, layer(2))), ...['src', 'hiredis', 'lua'].map((id) => node(id, 0, layer(1))), ...['float', 'fpconv', 'histogram', 'linenoise', 'alone', 'graphs'].map((id) => node(id, 0, layer(0)))],
      ['tests', 'src'], ['utils', 'src'], ['modules', 'src'], ['src', 'hiredis'], ['hiredis', 'src'], ['src', 'lua'], ['lua', 'src'], ['src', 'float'], ['src', 'fpconv'], ['src', 'histogram'], ['utils', 'linenoise'], ['tests', 'float'],
    );
    const at = layered(g, 1);
    const column = Math.max(...[...at.values()].map((p) => p.x)) / 2;
    for (const { from, to } of g.edges)
      for (const [id, v] of at) {
        if (id === from || id === to) continue;
        const [a, b] = [from, to].map((e) => ({ x: (7 * (at.get(e)!.x - v.x)) / column, y: at.get(e)!.y - v.y })) as [{ x: number; y: number }, { x: number; y: number }];
        const t = Math.min(1, Math.max(0, -(a.x * (b.x - a.x) + a.y * (b.y - a.y)) / ((b.x - a.x) ** 2 + (b.y - a.y) ** 2)));
        expect(Math.hypot(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)), `${from} → ${to} at ${id}`).toBeGreaterThan(0.3);
      }
  });

  it('have the layer that uses none of the others at the right', () => {
    const at = layered(graph([node('base', 0, { layer: 0 }), node('app', 0, { layer: 2 }), node('store', 0, { layer: 1 })], ['app', 'base'], ['app', 'store']), 1);
    expect([...at].sort((a, b) => a[1].x - b[1].x).map(([id]) => id)).toEqual(['app', 'store', 'base']);
  });

  it('take a cycle and a graph of one node', () => {
    expect(layered(graph([node('a', 0, { isRoot: true }), node('b', 1)], ['a', 'b'], ['b', 'a'], ['a', 'a']), 1).size).toBe(2);
    expect(layered(graph([node('a')]), 1).get('a')).toEqual({ x: 0, y: -0, column: 0 });
  });
});

describe('labels', () => {
  const size = { width: 1060, height: 730 };
  const widthOf = (text: string) => text.length * 6;

  it('at the right are within the picture', () => {
    const points = [{ x: 0, y: 0, label: 40 }, { x: 100, y: 60, label: 200 }, { x: 60, y: -10, label: 60 }];
    const box = boxWithLabels(points, size, 40, 1.08)!;
    const scale = Math.min((size.width - 80) / (box.x[1] - box.x[0]), (size.height - 80) / (box.y[1] - box.y[0])) / 1.08;
    for (const p of points) expect(size.width / 2 + (p.x - (box.x[0] + box.x[1]) / 2) * scale + p.label).toBeLessThan(size.width);
    expect([box.x[0], box.y]).toEqual([0, [-10, 60]]);
  });

  it('leave a point in the middle, and nodes most of the width', () => {
    expect(boxWithLabels([{ x: 3, y: 3, label: 100 }], size, 40, 1.08)).toBeNull();
    expect(boxWithLabels([], size, 40, 1.08)).toBeNull();
    const box = boxWithLabels([{ x: 0, y: 0, label: 0 }, { x: 1, y: 1, label: 5000 }], size, 40, 1.08)!;
    expect(box.x[1]).toBeLessThan(2);
  });

  it('are cut to their column, with a mark', () => {
    expect(fitText('ken_scan', 60, widthOf)).toBe('ken_scan');
    expect(fitText('scan_refuses_roots_that_are_none', 60, widthOf)).toBe('scan_refu…');
    expect(fitText('ab', 0, widthOf)).toBe('a…');
  });
});

describe('a pasted diff', () => {
  it('gives the lines that change on either side', () => {
    const [file] = parseDiff('diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -10,3 +10,4 @@ int f()\n a\n-b\n+c\n+d\n e\n');
    expect(file).toMatchObject({ path: 'src/a.c', hunks: [{ oldLines: [11, 12, 12], newLines: [11, 11, 12], added: ['c', 'd'] }] });
  });

  it('is not misled by lines that look like heads, carriage returns, or a missing count', () => {
    const files = parseDiff('--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n--- a/no\r\n+++ b/no\r\n same\r\n--- a/y\n+++ b/y\n@@ -3 +3 @@\n-1\n\\ No newline at end of file\n+2\n');
    expect(files.map((f) => f.path)).toEqual(['x', 'y']);
    expect(files[0]!.hunks[0]!.added).toEqual(['++ b/no']);
    expect(files[1]!.hunks[0]).toMatchObject({ newStart: 3, added: ['2'] });
  });

  it('of a file that is gone keeps its name; what is none gives nothing', () => {
    expect(parseDiff('--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n')[0]).toMatchObject({ path: '/dev/null', oldPath: 'gone.c' });
    expect(parseDiff('hello\n@@ -1 +1 @@\n')).toEqual([]);
  });
});

describe('text of others', () => {
  it('shows its marks of direction', () => {
    expect(visible('\u202Egnp.c')).toBe('[U+202E]gnp.c');
    expect(hasDirectionMarks('int x; // \u2066')).toBe(true);
    expect(hasDirectionMarks('grüße 𝒜')).toBe(false);
  });

  it('is cut into lines as it stands', () => {
    expect(plainLines('a\n\nb')).toEqual([[['a']], [], [['b']]]);
  });
});

describe('places', () => {
  it('on disk are below the folder that they name', () => {
    expect(diskPath('src/a.c', { root: '/r' })).toBe('/r/src/a.c');
    expect(diskPath('@lib/b.c', { root: '/r', roots: { lib: '/other' } })).toBe('/other/b.c');
    expect(diskPath('src/a.c', {})).toBeNull();
  });

  it('say how sure they are in words', () => {
    expect(certaintyOf('imported')).toBe('sure');
    expect(certaintyOf('inferred')).toBe('likely');
    expect(certaintyOf('something new')).toBe('likely');
    expect(certaintyText('unresolved')).toBe('not resolved');
  });
});

describe('a tree', () => {
  const rows = [
    { id: 'src', depth: 0, isFolder: true, isOpen: true },
    { id: 'src/a.c', depth: 1, isFolder: false },
    { id: 'web', depth: 0, isFolder: true, isOpen: false },
  ];

  it('is walked, opened and chosen from by keys', async () => {
    const view = mount(VirtualTree, { props: { rows, label: 'Files' } });
    const keys = async (...list: string[]) => {
      for (const key of list) await view.trigger('keydown', { key });
    };
    await keys('ArrowDown', 'Enter');
    expect(view.emitted('choose')).toEqual([[rows[1], 'key']]);
    await keys('ArrowLeft', 'ArrowLeft');
    expect(view.emitted('toggle')).toEqual([[rows[0]]]);
    await keys('End', 'ArrowRight', ' ');
    expect(view.emitted('toggle')).toEqual([[rows[0]], [rows[2]], [rows[2]]]);
    expect(view.emitted('move')!.map(([row]) => (row as { id: string }).id)).toEqual(['src/a.c', 'src', 'web']);
  });
});
