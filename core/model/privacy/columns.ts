import { PERSONAL_DATA } from './personal-data.js';
import type { Erasing, TableRule } from './tables/table-rule.js';

/** The columns of a table with secrets: no archive has them. */
export function secretColumns(table: string): readonly string[] {
  return words(PERSONAL_DATA[table]?.secrets);
}

/** The columns of a table that the archive of a person leaves out. */
export function hiddenColumns(table: string): readonly string[] {
  const personal = Object.entries(PERSONAL_DATA[table]?.personal ?? {});
  const internal = personal.filter(([, handling]) => handling.startsWith('internal ')).map(([name]) => name);
  return [...secretColumns(table), ...internal];
}

/** Every column that the rule lists. */
export function listedColumns({ personal = {}, secrets, others }: TableRule): readonly string[] {
  return [...Object.keys(personal), ...words(secrets), ...words(others)];
}

/** What the erasure of a person does with a column; null for one without personal data. */
export function erasureOf(table: string, column: string): Erasing | null {
  const handling = PERSONAL_DATA[table]?.personal?.[column];
  return handling === undefined ? null : (handling.split(' ')[1] as Erasing);
}

function words(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(' ');
}
