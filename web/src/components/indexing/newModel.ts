// SPDX-License-Identifier: MIT
// The form of a model of one's own: its fields, what each may hold, and what add_model is sent. The server checks the same
// again, and its refusals begin with the name of a field.
import type { Arguments } from '../../api/client';

export type NewModel = Arguments<'add_model'>;
export type FieldName = Exclude<keyof NewModel, 'format'>;

export interface Field {
  name: FieldName;
  label: string;
  /** Beside the label, in few words. */
  hint?: string;
  placeholder?: string;
  isRequired?: boolean;
  isWide?: boolean;
  maxLength?: number;
  words?: readonly string[];
  /** A number, which is typed in units of `unit`; the least and the most that it may be, in those. */
  number?: { least: number; most: number; unit: number };
  /** Lines may be in it, written as \n. */
  hasLines?: boolean;
}

const MIB = 1024 * 1024;
const MOST_MIB = 16_000_000;
const whole = (least: number, most: number) => ({ least, most, unit: 1 });
const mebibytes = { least: 0.001, most: MOST_MIB, unit: MIB };

export const FIELDS: readonly Field[] = [
  { name: 'id', label: 'Name', hint: 'letters, digits, - _ .', placeholder: 'my-model', isRequired: true, maxLength: 64 },
  { name: 'license', label: 'Licence', hint: 'empty: not known', placeholder: 'Apache-2.0', maxLength: 200 },
  { name: 'source', label: 'model.onnx', hint: 'https://, file:/// or a path of the server', placeholder: 'https://host/model.onnx', isRequired: true, isWide: true, maxLength: 4096 },
  { name: 'tokenizer_source', label: 'Tokenizer', hint: 'tokenizer.json or vocab.txt, likewise', placeholder: 'https://host/tokenizer.json', isRequired: true, isWide: true, maxLength: 4096 },
  { name: 'label', label: 'What it is', hint: 'a few words', isWide: true, maxLength: 200 },
  { name: 'languages', label: 'Languages', hint: 'en, or many', maxLength: 200 },
  { name: 'code_quality', label: 'Knows code', words: ['low', 'medium', 'good'] },
  { name: 'dims', label: 'Dimensions', hint: 'empty: as the model gives', placeholder: '384', number: whole(1, 4096) },
  { name: 'max_tokens', label: 'Tokens of a text', hint: 'the rest is cut off', placeholder: '512', number: whole(8, 1_000_000) },
  { name: 'size_bytes', label: 'Size', hint: 'MiB', number: mebibytes },
  { name: 'ram_bytes', label: 'Memory', hint: 'MiB, about', number: mebibytes },
  { name: 'latency_ms', label: 'Time of a text', hint: 'ms on one core, about', number: whole(1, 3_600_000) },
  { name: 'pooling', label: 'Pooling', hint: 'empty: as its name tells', words: ['mean', 'cls'] },
  { name: 'document_prefix', label: 'Before code', hint: '\\n is a line end', placeholder: 'search_document: ', maxLength: 1000, hasLines: true },
  { name: 'query_prefix', label: 'Before questions', hint: '\\n is a line end', placeholder: 'search_query: ', maxLength: 1000, hasLines: true },
  { name: 'sha256', label: 'SHA-256 of model.onnx', hint: 'empty: the first download keeps it', isWide: true, maxLength: 64 },
];

export type Typed = Record<FieldName, string>;

const SOURCE: [RegExp, string] = [/^(https?:\/\/[^\s/@]+(\/[^\s]*)?|(file:\/\/)?\/.*)$/, 'An https:// or file:/// address without a password, or a path that begins with /.'];
const patterns: Partial<Record<FieldName, [RegExp, string]>> = {
  id: [/^[\w-][\w.-]{0,63}$/, 'Letters, digits, - _ and . alone, not first a dot; 64 at most.'],
  source: SOURCE,
  tokenizer_source: SOURCE,
  sha256: [/^[0-9a-f]{64}$/i, '64 digits, 0 to 9 and a to f.'],
};

/** What is wrong with a field; '' = nothing. */
export function faultOf(field: Field, typed: string): string {
  const text = typed.trim();
  if (!text) return field.isRequired ? 'It is needed.' : '';
  if (field.number) {
    const { least, most, unit } = field.number;
    const n = Number(text);
    if (!Number.isFinite(n) || n < least || n > most || (unit === 1 && !Number.isInteger(n))) return `${unit === 1 ? 'A whole number' : 'A number'} from ${least} to ${most}.`;
  }
  const [pattern, fault] = patterns[field.name] ?? [];
  return pattern && !pattern.test(text) ? fault! : '';
}

export function faultsOf(typed: Typed): Partial<Record<FieldName, string>> {
  const faults: Partial<Record<FieldName, string>> = {};
  for (const field of FIELDS) {
    const fault = faultOf(field, typed[field.name]);
    if (fault) faults[field.name] = fault;
  }
  return faults;
}

/** As add_model takes it: what is empty is left out. */
export function asArguments(typed: Typed): NewModel {
  const given: Record<string, string | number> = {};
  for (const field of FIELDS) {
    const text = typed[field.name];
    if (!text.trim()) continue;
    // Blanks at the end of what stands before a text belong to it.
    if (field.number) given[field.name] = Math.round(Number(text) * field.number.unit);
    else given[field.name] = field.hasLines ? text.replaceAll('\\n', '\n') : text.trim();
  }
  return given as unknown as NewModel;
}

/** "args.dims: 5000 is over 4096": which field that is of, and what is said of it. */
export function refusalOf(message: string): { name: FieldName; text: string } | undefined {
  const found = /^(?:args\.)?([a-z0-9_]+)(?::\s*|\s+)(.+)$/s.exec(message);
  const field = FIELDS.find((f) => f.name === found?.[1]);
  return field ? { name: field.name, text: found![2]! } : undefined;
}
