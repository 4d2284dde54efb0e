export interface IdempotencyRow {
  readonly key_id: string;
  readonly method: string;
  readonly path: string;
  readonly idempotency_key: string;
  readonly body_hmac: string;
  readonly state: 'running' | 'done';
  readonly status_code: number | null;
  /** The response body for retries; any JSON value. */
  readonly response: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly created_at: Date;
  /** When the running request last showed that it is alive; null if it has not yet. */
  readonly renewed_at: Date | null;
  readonly expires_at: Date;
}

export interface AuditRow {
  readonly id: string;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly key_id: string | null;
  /** The signed-in user. */
  readonly user_id: string | null;
  /** With a `user_id`: the administrator acts as this user. */
  readonly administrator_id: string | null;
  /** The name or e-mail address of the key, user or administrator at that time. */
  readonly actor: string | null;
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly route: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly ip: string;
  readonly details: object;
  readonly created_at: Date;
}

/** A row of the audit log as it is read: numbered and sealed, once the sealer has seen it. */
export interface SealedAuditRow extends AuditRow {
  readonly chain_sequence: number | null;
  readonly chain_hash: string | null;
}

/** The two ends of the chain of audit rows. */
export interface AuditChainRow {
  /** The newest sealed row; 0 before the first. */
  readonly head_sequence: number;
  readonly head_hash: string;
  /** The newest row that retention deleted; 0 before the first. */
  readonly pruned_sequence: number;
  readonly pruned_hash: string;
  readonly pruned_at: Date | null;
  /** Keyed hash of the other members. */
  readonly mac: string;
}
