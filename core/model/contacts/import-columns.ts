import { CUSTOM_NAME } from './custom-fields.js';

/** A column of a file of contacts. */
export type ImportColumn =
  | { readonly kind: 'field'; readonly name: ImportField }
  | { readonly kind: 'custom'; readonly name: string; readonly type: 'text' | 'number' | 'boolean' };

export const IMPORT_FIELDS = [
  ...(['phone', 'email', 'name_en', 'name_ar', 'language', 'time_zone', 'tags', 'marketing_opted_out'] as const),
];
export type ImportField = (typeof IMPORT_FIELDS)[number];

/** Names of columns as spreadsheets have them, besides the fields themselves. */
const ALIASES: Readonly<Record<string, ImportField>> = {
  mobile: 'phone',
  الجوال: 'phone',
  'رقم الجوال': 'phone',
  'رقم الهاتف': 'phone',
  'e-mail': 'email',
  'البريد الإلكتروني': 'email',
  name: 'name_en',
  'الاسم بالإنجليزية': 'name_en',
  الاسم: 'name_ar',
  'الاسم بالعربية': 'name_ar',
  اللغة: 'language',
  'المنطقة الزمنية': 'time_zone',
  الوسوم: 'tags',
};
const CUSTOM = /^custom\.([a-z0-9_]+)(?::(text|number|boolean))?$/;

/** The column with this name, in any case; null for an unknown one. */
export function importColumn(text: string): ImportColumn | null {
  const name = text.trim().toLowerCase();
  const field = IMPORT_FIELDS.find((known) => known === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : null);
  if (field) return { kind: 'field', name: field };
  const [, custom = '', type = 'text'] = CUSTOM.exec(name) ?? [];
  if (!CUSTOM_NAME.test(custom)) return null;
  return { kind: 'custom', name: custom, type: type as 'text' | 'number' | 'boolean' };
}

/** The name under which a column is stored and reported. */
export function columnName(column: ImportColumn): string {
  return column.kind === 'field' ? column.name : `custom.${column.name}:${column.type}`;
}

/** Names of columns that a file has twice. */
export function repeatedColumns(columns: readonly ImportColumn[]): string[] {
  const names = columns.map(({ kind, name }) => (kind === 'field' ? name : `custom.${name}`));
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
