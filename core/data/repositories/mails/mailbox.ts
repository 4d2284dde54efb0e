import type { Database } from '../../database.js';
import type { AccountMailData } from './account-mails.js';
import type { OwnerMailData } from './owner-mails.js';

type AnyOf<Data> = { [K in keyof Data]: { readonly kind: K; readonly data: Data[K] } }[keyof Data];

interface Due {
  readonly id: string;
  readonly attempts: number;
}

export type DueOwnerMail = Due &
  AnyOf<OwnerMailData> & {
    readonly recipient: null;
    readonly project: string;
    /** The owner's current address; null: none. */
    readonly contact_email: string | null;
  };

export type DueAccountMail = Due &
  AnyOf<AccountMailData> & { readonly recipient: string; readonly locale: 'ar' | 'en' };

export type DueMail = DueOwnerMail | DueAccountMail;

/** Older mails are no news any more. */
const KEPT = `interval '2 days'`;

/** Mails to the owners of organizations and to people that wait to be sent. */
export class Mailbox {
  constructor(private readonly db: Database) {}

  /**
   * Takes due mails. Each is due again after a while that doubles with every attempt, unless {@link done} removes it.
   */
  take(limit: number, retrySeconds: number, now: Date): Promise<DueMail[]> {
    return this.db.query<DueMail>(
      `UPDATE owner_mails AS mail SET attempts = attempts + 1,
         due_at = $3::timestamptz + make_interval(secs => $2 * power(2, least(attempts, 10)))
       FROM (
         SELECT waiting.id, project.name AS project, organization.contact_email FROM owner_mails AS waiting
         LEFT JOIN organizations AS organization ON organization.id = waiting.organization_id
         LEFT JOIN projects AS project ON project.id = waiting.project_id
         WHERE waiting.due_at <= $3 ORDER BY waiting.due_at LIMIT $1 FOR UPDATE OF waiting SKIP LOCKED
       ) AS due
       WHERE mail.id = due.id
       RETURNING mail.id, mail.kind, mail.data, mail.attempts, mail.recipient, mail.locale, due.project, due.contact_email`,
      [limit, retrySeconds, now],
    );
  }

  /** The mail was sent or given up. */
  async done(id: string): Promise<void> {
    await this.db.query(`DELETE FROM owner_mails WHERE id = $1`, [id]);
  }

  /** Deletes mails that were never sent. */
  async removeOld(now: Date): Promise<void> {
    await this.db.query(`DELETE FROM owner_mails WHERE created_at < $1::timestamptz - ${KEPT}`, [now]);
  }
}
