import type { Sealed } from '../../../model/access/cipher.js';
import type { Database } from '../../database.js';
import type { AcmeCertificateRow } from '../../rows.js';

/** Which certificate: that of these names, in order with commas between, from this authority. */
export type CertificateId = Pick<AcmeCertificateRow, 'authority' | 'names'>;

type Issued = Record<'chain' | 'key', string> & Record<'notBefore' | 'notAfter' | 'renewAt', Date>;

/** A certificate that no process has asked for this long belongs to older settings. */
const WANTED = `interval '1 day'`;

/** Certificates from ACME authorities with their accounts and challenges. */
export class AcmeCertificates {
  constructor(private readonly db: Database) {}

  /** The certificates that the settings of running processes ask for. */
  list(at: Date): Promise<AcmeCertificateRow[]> {
    return this.db.query<AcmeCertificateRow>(
      `SELECT * FROM acme_certificates WHERE wanted_at > $1::timestamptz - ${WANTED} ORDER BY names`,
      [at],
    );
  }

  async get({ authority, names }: CertificateId): Promise<AcmeCertificateRow | null> {
    const [row] = await this.db.query<AcmeCertificateRow>(
      `SELECT * FROM acme_certificates WHERE authority = $1 AND names = $2`,
      [authority, names],
    );
    return row ?? null;
  }

  /** Notes that a process asks for it. */
  async want({ authority, names }: CertificateId, at: Date): Promise<void> {
    await this.db.query(
      `INSERT INTO acme_certificates (authority, names, wanted_at, next_attempt_at) VALUES ($1, $2, $3, $3)
       ON CONFLICT (authority, names) DO UPDATE SET wanted_at = excluded.wanted_at`,
      [authority, names, at],
    );
  }

  /**
   * Takes the certificate if an attempt is due. Nobody else gets it until `until`, also if the process ends before it has
   * a result.
   */
  async take({ authority, names }: CertificateId, at: Date, until: Date): Promise<AcmeCertificateRow | null> {
    const [row] = await this.db.query<AcmeCertificateRow>(
      `UPDATE acme_certificates SET next_attempt_at = $4
       WHERE authority = $1 AND names = $2 AND next_attempt_at <= $3 RETURNING *`,
      [authority, names, at, until],
    );
    return row ?? null;
  }

  /** Gives it back without a result: an attempt is due again. */
  async release({ authority, names }: CertificateId, at: Date): Promise<void> {
    await this.db.query(`UPDATE acme_certificates SET next_attempt_at = $3 WHERE authority = $1 AND names = $2`, [
      authority,
      names,
      at,
    ]);
  }

  async issued({ authority, names }: CertificateId, at: Date, issued: Issued): Promise<void> {
    const { chain, key, notBefore, notAfter, renewAt } = issued;
    await this.db.query(
      `UPDATE acme_certificates SET chain = $4, key = $5, not_before = $6, not_after = $7, issued_at = $3,
         next_attempt_at = $8, failures = 0, failure = NULL
       WHERE authority = $1 AND names = $2`,
      [authority, names, at, chain, key, notBefore, notAfter, renewAt],
    );
  }

  async failed({ authority, names }: CertificateId, failure: string, retryAt: Date): Promise<void> {
    await this.db.query(
      `UPDATE acme_certificates SET failures = failures + 1, failure = $3, next_attempt_at = $4
       WHERE authority = $1 AND names = $2`,
      [authority, names, failure, retryAt],
    );
  }

  /** Makes the next attempt of every failing certificate due. @returns how many there are */
  async retryNow(at: Date): Promise<number> {
    const rows = await this.db.query(
      `UPDATE acme_certificates SET next_attempt_at = $1
       WHERE failures > 0 AND next_attempt_at > $1 AND wanted_at > $1::timestamptz - ${WANTED} RETURNING names`,
      [at],
    );
    return rows.length;
  }

  /** The sealed key of the account; the first one that a process made stays. */
  async accountKey(authority: string, made: Sealed, at: Date): Promise<Sealed> {
    const [row] = await this.db.query<{ key: Sealed }>(
      `INSERT INTO acme_accounts (authority, key, created_at) VALUES ($1, $2, $3)
       ON CONFLICT (authority) DO UPDATE SET authority = excluded.authority RETURNING key`,
      [authority, made, at],
    );
    return row?.key ?? made;
  }

  async putChallenge(token: string, answer: string, expiresAt: Date): Promise<void> {
    await this.db.query(
      `INSERT INTO acme_challenges (token, answer, expires_at) VALUES ($1, $2, $3)
       ON CONFLICT (token) DO UPDATE SET answer = excluded.answer, expires_at = excluded.expires_at`,
      [token, answer, expiresAt],
    );
  }

  async challenge(token: string, at: Date): Promise<string | null> {
    const [row] = await this.db.query<{ answer: string }>(
      `SELECT answer FROM acme_challenges WHERE token = $1 AND expires_at > $2`,
      [token, at],
    );
    return row?.answer ?? null;
  }

  /** Removes it, and those that were left behind. */
  async removeChallenge(token: string, at: Date): Promise<void> {
    await this.db.query(`DELETE FROM acme_challenges WHERE token = $1 OR expires_at <= $2`, [token, at]);
  }
}
