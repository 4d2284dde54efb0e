import { readFile } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse/sync';
import { CliError, EXIT } from './failure.js';

/** A row of a file, with its values by the column names in the first line. */
export interface CsvRow {
  /** Line in the file, from 1; line 1 holds the names. */
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

/** A problem of a line. */
export interface CsvFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a CSV file (RFC 4180) whose first line names its columns. Missing optional columns are empty.
 * @throws CliError if the file cannot be read or is not CSV, and for unknown or missing columns
 */
export async function readCsv(file: string, columns: readonly string[], needed: readonly string[]): Promise<CsvRow[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const rows = parsed(file, text);
  const [names = []] = rows.map(({ record }) => record.map((name) => name.toLowerCase()));
  const unknown = names.filter((name) => !columns.includes(name));
  const missing = needed.filter((name) => !names.includes(name));
  if (unknown.length > 0 || missing.length > 0) {
    const problem =
      unknown.length > 0 ? `unknown columns ${unknown.join(', ')}` : `missing columns ${missing.join(', ')}`;
    throw new CliError(`${file}: ${problem}.`, EXIT.failed, `Columns: ${columns.join(', ')}`);
  }
  return rows.slice(1).map(({ record, line }) => {
    const values = Object.fromEntries(columns.map((name) => [name, record[names.indexOf(name)] ?? '']));
    return { line, values };
  });
}

function parsed(file: string, text: string): { readonly record: readonly string[]; readonly line: number }[] {
  try {
    const rows: unknown = parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count_less: true,
      info: true,
    });
    return (rows as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => {
      return { record, line: info.lines };
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CliError(`${file} is not CSV: ${error.message}`);
  }
}

/** @throws CliError listing the faults, if there are any */
export function refuseFaults(file: string, faults: readonly CsvFault[]): void {
  if (faults.length === 0) return;
  const listed = faults.slice(0, 20).map(({ line, message }) => `  line ${line}: ${message}`);
  const more = faults.length > listed.length ? [`  and ${faults.length - listed.length} more`] : [];
  throw new CliError([`${file} was not imported:`, ...listed, ...more].join('\n'));
}

/** The same text; `onRecords` receives how many records (RFC 4180) end in each piece of it. */
export async function* countingRecords(
  csv: AsyncIterable<string>,
  onRecords: (count: number) => void,
): AsyncGenerator<string> {
  let isQuoted = false;
  for await (const text of csv) {
    let count = 0;
    for (const character of text) {
      if (character === '"') isQuoted = !isQuoted;
      else if (character === '\n' && !isQuoted) count += 1;
    }
    onRecords(count);
    yield text;
  }
}
