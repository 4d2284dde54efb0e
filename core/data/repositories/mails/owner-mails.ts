import type { FraudRule } from '../../../model/fraud/limits.js';
import { newId } from '../../../model/ids.js';
import type { Queryable } from '../../database.js';

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
    /** Whether live calls end; absent from a process of the previous release. */
    readonly ends_calls?: boolean;
    /** ISO 8601. */
    readonly blocked_at: string;
  };
}

interface OfKind<K extends keyof OwnerMailData> {
  readonly kind: K;
  readonly data: OwnerMailData[K];
}

/** Writes a mail to be sent, if the organization has an address; runs in the transaction of the change that it reports. */
export async function addOwnerMail<K extends keyof OwnerMailData>(
  tx: Queryable,
  owner: { readonly organization_id: string; readonly project_id: string },
  { kind, data }: OfKind<K>,
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO owner_mails (id, organization_id, project_id, kind, data, due_at, created_at)
     SELECT $1, id, $3, $4, $5::jsonb, $6, $6 FROM organizations WHERE id = $2 AND contact_email IS NOT NULL`,
    [newId(), owner.organization_id, owner.project_id, kind, JSON.stringify(data), at],
  );
}
