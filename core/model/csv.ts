export type CsvField = string | number | boolean | null;

/** Text that a spreadsheet would take for the start of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** Telephone numbers, including masked ones, and amounts start like formulas but are harmless. */
const NUMBER = /^[+-]?\d[\d.\u2022]*$/;

/**
 * One line of CSV (RFC 4180) with its line end. Null is empty; text that a spreadsheet would
 * evaluate gets an apostrophe prefix.
 */
export function csvLine(fields: readonly CsvField[]): string {
  return `${fields.map(escapeField).join(',')}\r\n`;
}

function escapeField(field: CsvField): string {
  if (field === null) return '';
  if (typeof field !== 'string') return String(field);
  const text = FORMULA.test(field) && !NUMBER.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
