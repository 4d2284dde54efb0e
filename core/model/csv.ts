export type CsvField = string | number | boolean | null;

/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** Telephone numbers, masked ones too, and amounts begin like formulas and are none. */
const NUMBER = /^[+-]?\d[\d.\u2022]*$/;

/** One line of CSV (RFC 4180), with its end. Null is empty; text that a spreadsheet would calculate has an apostrophe before it. */
export function csvLine(fields: readonly CsvField[]): string {
  return `${fields.map(written).join(',')}\r\n`;
}

function written(field: CsvField): string {
  if (field === null) return '';
  if (typeof field !== 'string') return String(field);
  const text = FORMULA.test(field) && !NUMBER.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
