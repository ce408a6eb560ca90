// SPDX-License-Identifier: MIT
// A mark and a colour for each kind of symbol.
import { Box, Braces, Brackets, CircleDot, Component, Equal, FileText, Hash, Heading, Import, KeyRound, ListOrdered, Package, Parentheses, Shapes, SquareFunction, Type, Variable } from 'lucide-vue-next';
import type { Component as VueComponent } from 'vue';

const icons: Record<string, VueComponent> = {
  function: SquareFunction, method: Parentheses, constructor: Parentheses, class: Component, struct: Box, union: Box, interface: Shapes, trait: Shapes, protocol: Shapes,
  enum: ListOrdered, enum_member: CircleDot, enumerator: CircleDot, type: Type, type_alias: Type, typedef: Type, variable: Variable, field: Brackets, property: Brackets,
  constant: Equal, macro: Hash, module: Package, namespace: Package, package: Package, impl: Braces, heading: Heading, section: Heading, key: KeyRound, import: Import, document: FileText, file: FileText, external: CircleDot,
};
const colours: Record<string, string> = {
  function: 'var(--plot-1)', method: 'var(--plot-1)', constructor: 'var(--plot-1)', class: 'var(--plot-2)', struct: 'var(--plot-2)', union: 'var(--plot-2)', interface: 'var(--plot-3)',
  trait: 'var(--plot-3)', protocol: 'var(--plot-3)', enum: 'var(--plot-6)', type: 'var(--plot-6)', type_alias: 'var(--plot-6)', typedef: 'var(--plot-6)', variable: 'var(--plot-5)',
  field: 'var(--plot-5)', property: 'var(--plot-5)', constant: 'var(--plot-5)', macro: 'var(--plot-4)', module: 'var(--plot-1)', file: 'var(--dim)', namespace: 'var(--plot-4)', heading: 'var(--accent)',
};

export const kindIcon = (kind: string | undefined): VueComponent => icons[kind ?? ''] ?? Braces;
export const kindColour = (kind: string | undefined): string => colours[kind ?? ''] ?? 'var(--dim)';
export const kindName = (kind: string | undefined): string => (kind ?? 'code').replaceAll('_', ' ');
