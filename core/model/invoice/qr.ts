import { formatSar, type MicroSar } from '../money.js';

/** The contents of a tax invoice's QR code. */
export interface InvoiceQr {
  readonly sellerName: string;
  readonly vatNumber: string;
  readonly issuedAt: Date;
  readonly gross: MicroSar;
  readonly vat: MicroSar;
}

const MAX_BYTES = 255;

/**
 * The text of the QR code: tags 1 to 5 in order, each as one tag byte, one length byte and its
 * value in UTF-8, all in Base64. Lengths count bytes, not characters. A name of more than 255 bytes
 * is cut between characters.
 *
 * Source: ZATCA, E-Invoicing Detailed Technical Guidelines, "QR code" (phase 1: seller's name, VAT
 * registration number, time stamp, invoice total with VAT, VAT total); Security Features
 * Implementation Standards §4.
 */
export function invoiceQr({ sellerName, vatNumber, issuedAt, gross, vat }: InvoiceQr): string {
  const time = `${issuedAt.toISOString().slice(0, 19)}Z`;
  const values = [sellerName, vatNumber, time, formatSar(gross), formatSar(vat)];
  return Buffer.concat(
    values.map((value, index) => {
      const bytes = truncateUtf8(value);
      return Buffer.concat([Buffer.from([index + 1, bytes.length]), bytes]);
    }),
  ).toString('base64');
}

function truncateUtf8(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  if (bytes.length <= MAX_BYTES) return bytes;
  let end = MAX_BYTES;
  // A byte 10xxxxxx continues a character (RFC 3629).
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
