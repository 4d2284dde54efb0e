import { stripVTControlCharacters } from 'node:util';

export type Cell = string | number | boolean | null | readonly string[] | Date;

/** Output of a command: results go to `out`, everything else (progress, hints) to `note`. */
export interface Output {
  readonly json: boolean;
  readonly out: (text: string) => void;
  readonly note: (text: string) => void;
}

/** Prints a result as JSON (times in ISO 8601) or in its `human` form. */
export function result(output: Output, value: unknown, human: string): void {
  output.out(output.json ? JSON.stringify(value, null, 2) : human);
}

/** Formats rows as a table with a heading; returns `none` if there are no rows. */
export function table<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  none: string,
): string {
  if (rows.length === 0) return none;
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((of) => cell(of(row))))];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? '')))) ?? [];
  return lines
    .map((line) =>
      line
        .map((text, column) => padded(text, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats named values, one per line. */
export function fields(values: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${isolated(cell(value))}`)
    .join('\n');
}

/** Formats a value as in a table. */
export function cell(value: Cell): string {
  if (value === null) return '-';
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return value.length === 0 ? '-' : plain(value.join(','));
  return plain(String(value));
}

const GRAPHEMES = new Intl.Segmenter();
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** The number of columns that a text takes: marks above and below letters take none. */
function widthOf(text: string): number {
  return [...GRAPHEMES.segment(text)].length;
}

function padded(text: string, width: number): string {
  return `${isolated(text)}${' '.repeat(width - widthOf(text))}`;
}

/** Isolates a text that runs from right to left (FSI, PDI), so that it does not reorder the columns around it. */
function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Removes control sequences: foreign names and texts must not control the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ');
}
