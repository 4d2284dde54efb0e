/** Letters count from A = 10 in the checksum. */
const LETTER_OFFSET = 55;

/**
 * Normalizes an IBAN to capitals without blanks: 15 to 34 characters with a valid checksum (ISO 13616, by ISO 7064 MOD
 * 97-10). Saudi IBANs are `SA` and 22 digits or letters.
 * @returns null if the text is not an IBAN
 */
export function readIban(text: string): string | null {
  const iban = text.replace(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(iban)) return null;
  if (iban.startsWith('SA') && iban.length !== 24) return null;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - LETTER_OFFSET),
  );
  return BigInt(digits) % 97n === 1n ? iban : null;
}
