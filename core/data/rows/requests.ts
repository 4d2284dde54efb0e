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
