const NUMBER_DIGITS = 6;

/** The number of an invoice or a credit note: `INV-2026-000001`. @param series with its year, `INV-2026-` */
export function documentNumber(series: string, sequence: number): string {
  return `${series}${String(sequence).padStart(NUMBER_DIGITS, '0')}`;
}
