import type { Sealed } from '../../model/access/cipher.js';

/** A certificate from an ACME authority, or the wish for one. */
export interface AcmeCertificateRow {
  /** The URL of its directory. */
  readonly authority: string;
  /** In order, with commas between. */
  readonly names: string;
  readonly wanted_at: Date;
  /** PEM; null before the first certificate, like the key and the times. */
  readonly chain: string | null;
  readonly key: Sealed | null;
  readonly not_before: Date | null;
  readonly not_after: Date | null;
  readonly issued_at: Date | null;
  readonly next_attempt_at: Date;
  /** Since the last success. */
  readonly failures: number;
  readonly failure: string | null;
}
