import { readFile } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import type { ImportLine } from '../../../data/rows.js';
import {
  columnName,
  importColumn,
  repeatedColumns,
  type ImportColumn,
} from '../../../model/contacts/import-columns.js';
import { invalidField, type Phrase } from '../../../model/errors/index.js';
import { arabic } from '../../../model/wording/wording.js';

export const MAX_IMPORT_LINES = 100_000;
export const MAX_IMPORT_COLUMNS = 100;

/** A file of contacts. */
export interface ImportFile {
  readonly columns: readonly string[];
  readonly lines: readonly ImportLine[];
}

/** Some lines of a file of contacts, with its columns. */
export interface ImportFilePiece {
  readonly columns: readonly ImportColumn[];
  readonly lines: readonly ImportLine[];
}

/** The parser works on this much text at a time, so that other requests are not delayed. */
const SLICE = 64 * 1024;
const DELIMITERS = [',', ';', '\t'];
const FIELD = 'file';

const PHRASES = {
  encoding: { en: 'must be UTF-8: save it as CSV UTF-8', ar: 'يجب أن يكون بترميز `UTF-8`؛ احفظه بصيغة `CSV UTF-8`' },
  empty: { en: 'has no lines below the names of the columns', ar: 'لا يحتوي على أسطر بعد أسماء الأعمدة' },
  lines: {
    en: `must have at most ${MAX_IMPORT_LINES} lines`,
    ar: arabic`يجب ألا يزيد عدد الأسطر على ${MAX_IMPORT_LINES}`,
  },
  columns: {
    en: `must have at most ${MAX_IMPORT_COLUMNS} columns`,
    ar: arabic`يجب ألا يزيد عدد الأعمدة على ${MAX_IMPORT_COLUMNS}`,
  },
  address: { en: 'needs a column phone or email', ar: 'يحتاج إلى العمود `phone` أو `email`' },
} as const satisfies Record<string, Phrase>;

/**
 * Reads a CSV file (RFC 4180, UTF-8) whose first line names its columns; semicolons and tabs may be in place of commas.
 * @throws HatifError VALIDATION_ERROR if it is not CSV, too long, or has unknown columns
 */
export async function readImportFile(path: string): Promise<ImportFile> {
  let columns: readonly ImportColumn[] = [];
  const lines: ImportLine[] = [];
  for await (const piece of importFilePieces(path, MAX_IMPORT_LINES)) {
    columns = piece.columns;
    lines.push(...piece.lines);
  }
  return { columns: columns.map(columnName), lines };
}

/**
 * The lines of such a file, up to `size` at a time; none of the pieces is empty.
 * @throws HatifError as {@link readImportFile} does, also after some pieces
 */
export async function* importFilePieces(path: string, size: number): AsyncGenerator<ImportFilePiece> {
  const text = decoded(await readFile(path));
  const records = parse({
    delimiter: delimiterOf(text),
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    info: true,
    max_record_size: 64 * 1024,
  });
  let columns: readonly ImportColumn[] | null = null;
  let lines: ImportLine[] = [];
  let count = 0;
  try {
    const feeding = feed(records, text);
    for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns === null) {
        columns = readColumns(record);
        continue;
      }
      // A line of separators only is what spreadsheets leave below the last row.
      if (record.every((value) => value === '')) continue;
      if (++count > MAX_IMPORT_LINES) throw invalidField(FIELD, PHRASES.lines);
      lines.push([firstLine(record, info.lines), record]);
      if (lines.length < size) continue;
      yield { columns, lines };
      lines = [];
    }
    await feeding;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidField(FIELD, { en: `is not CSV: ${error.message}`, ar: arabic`ليس ملف CSV صالحًا: ${error.message}` });
  } finally {
    records.destroy();
  }
  if (columns === null || count === 0) throw invalidField(FIELD, PHRASES.empty);
  if (lines.length > 0) yield { columns, lines };
}

function decoded(bytes: Buffer): string {
  try {
    // Drops the byte order mark. The parser would count other line ends within a value twice.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
  } catch {
    throw invalidField(FIELD, PHRASES.encoding);
  }
}

/** The separator that the first line has most often. */
function delimiterOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Writes the text as fast as the parser takes it, other work of the process in between. */
async function feed(records: ReturnType<typeof parse>, text: string): Promise<void> {
  for (let at = 0; at < text.length && !records.destroyed; at += SLICE) {
    await new Promise<void>((resolve) => {
      records.write(text.slice(at, at + SLICE), () => setImmediate(resolve));
    });
  }
  records.end();
}

function readColumns(names: readonly string[]): readonly ImportColumn[] {
  if (names.length > MAX_IMPORT_COLUMNS) throw invalidField(FIELD, PHRASES.columns);
  const columns = names.map((name) => ({ name, column: importColumn(name) }));
  const unknown = columns.filter(({ column }) => column === null).map(({ name }) => name);
  if (unknown.length > 0) {
    throw invalidField(FIELD, {
      en: `has unknown columns: ${unknown.join(', ')}. Begin the name of a column of your own with custom.`,
      ar: arabic`فيه أعمدة غير معروفة: ${unknown}. ابدأ اسم العمود الخاص بك بالبادئة ${'custom.'}`,
    });
  }
  const known = columns.flatMap(({ column }) => (column === null ? [] : [column]));
  const repeated = repeatedColumns(known);
  if (repeated.length > 0) {
    throw invalidField(FIELD, {
      en: `has columns twice: ${repeated.join(', ')}`,
      ar: arabic`فيه أعمدة مكررة: ${repeated}`,
    });
  }
  const hasAddress = known.some(({ kind, name }) => kind === 'field' && (name === 'phone' || name === 'email'));
  if (!hasAddress) throw invalidField(FIELD, PHRASES.address);
  return known;
}

/** The number of the line in which a record begins: the parser says where it ends. */
function firstLine(record: readonly string[], last: number): number {
  return last - record.reduce((breaks, value) => breaks + value.split('\n').length - 1, 0);
}
