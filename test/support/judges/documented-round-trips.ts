import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../docs/explanation/round-trips.md', import.meta.url);

/**
 * One column of a table in the document about round trips, by row.
 * @param of the head of the table's first column
 */
export function documentedRoundTrips(of: string, column: string): ReadonlyMap<string, number> {
  const rows = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const head = rows.findIndex(([, first]) => first === of);
  const at = rows[head]!.indexOf(column);
  const end = rows.findIndex((cells, index) => index > head && cells.length < 3);
  return new Map(rows.slice(head + 2, end).map((cells) => [cells[1]!, Number(cells[at]!.replaceAll(',', ''))]));
}
