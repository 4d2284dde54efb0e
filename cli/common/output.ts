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
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => show(cell(row))))];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats named values, one per line. */
export function fields(values: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`)
    .join('\n');
}

function show(cell: Cell): string {
  if (cell === null) return '-';
  if (cell instanceof Date) return `${cell.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell === 'object') return cell.length === 0 ? '-' : cell.join(',');
  return plain(String(cell));
}

/** Removes control sequences: foreign names and texts must not control the terminal. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ');
}
