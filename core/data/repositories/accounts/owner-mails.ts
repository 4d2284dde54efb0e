import type { FraudRule } from '../../../model/fraud/limits.js';
import { newId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';

/** What a mail to the owner says, by kind. */
export interface OwnerMailData {
  readonly webhook_disabled: {
    readonly webhook_id: string;
    readonly url: string;
    readonly sandbox: boolean;
    readonly reason: 'failing' | 'gone';
    /** ISO 8601. */
    readonly disabled_at: string;
  };
  readonly fraud_blocked: {
    readonly block_id: string;
    /** Null: the whole project. */
    readonly agent: string | null;
    readonly rule: FraudRule;
    readonly at_most: number;
    readonly number_masked: string;
    /** ISO 8601. */
    readonly blocked_at: string;
  };
}

interface OfKind<K extends keyof OwnerMailData> {
  readonly kind: K;
  readonly data: OwnerMailData[K];
}

type AnyKind = { [K in keyof OwnerMailData]: OfKind<K> }[keyof OwnerMailData];

export type DueOwnerMail = AnyKind & {
  readonly id: string;
  readonly attempts: number;
  readonly project: string;
  /** The owner's current address; null: none. */
  readonly contact_email: string | null;
};

/** Older mails are no news any more. */
const KEPT = `interval '2 days'`;

/** Writes a mail to be sent, if the organization has an address; runs in the transaction of the change that it reports. */
export async function addOwnerMail<K extends keyof OwnerMailData>(
  tx: Queryable,
  owner: { readonly organization_id: string; readonly project_id: string },
  { kind, data }: OfKind<K>,
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO mails (id, organization_id, project_id, kind, data, due_at, created_at)
     SELECT $1, id, $3, $4, $5::jsonb, $6, $6 FROM organizations WHERE id = $2 AND contact_email IS NOT NULL`,
    [newId(), owner.organization_id, owner.project_id, kind, JSON.stringify(data), at],
  );
}

/** Mails to the owners of organizations that wait to be sent. */
export class OwnerMailbox {
  constructor(private readonly db: Database) {}

  /**
   * Takes due mails. Each is due again after a while that doubles with every attempt, unless {@link done} removes it.
   */
  take(limit: number, retrySeconds: number, now: Date): Promise<DueOwnerMail[]> {
    return this.db.query<DueOwnerMail>(
      `UPDATE mails AS mail SET attempts = attempts + 1,
         due_at = $3::timestamptz + make_interval(secs => $2 * power(2, least(attempts, 10)))
       FROM organizations AS organization, projects AS project
       WHERE mail.id IN (SELECT id FROM mails WHERE recipient IS NULL AND due_at <= $3 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
         AND organization.id = mail.organization_id AND project.id = mail.project_id
       RETURNING mail.id, mail.kind, mail.data, mail.attempts, project.name AS project, organization.contact_email`,
      [limit, retrySeconds, now],
    );
  }

  /** The mail was sent or given up. */
  async done(id: string): Promise<void> {
    await this.db.query(`DELETE FROM mails WHERE id = $1`, [id]);
  }

  /** Deletes mails that were never sent. */
  async removeOld(now: Date): Promise<void> {
    await this.db.query(`DELETE FROM mails WHERE created_at < $1::timestamptz - ${KEPT}`, [now]);
  }
}
