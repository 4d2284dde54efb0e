import type { Queryable } from '../../database.js';
import type { IdempotencyRow } from '../../rows.js';

/** Identifies the request of a key that a row belongs to. */
export interface IdempotencyIdentity {
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string;
}

export interface IdempotencyClaim extends IdempotencyIdentity {
  readonly bodyHmac: string;
  readonly requestId: string;
  /** The process that runs the request, if known. */
  readonly process: string | null;
  /** When the claim was made; also distinguishes one claim from a later one. */
  readonly claimedAt: Date;
  readonly expiresAt: Date;
}

const ROW = 'key_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4';
/**
 * While a request runs, its row stores the request's id and process in the column for response
 * headers.
 */
const [REQUEST_ID, PROCESS] = ['x-request-id', 'process'];

function identity(of: IdempotencyIdentity): string[] {
  return [of.keyId, of.method, of.path, of.idempotencyKey];
}

/** Claims the key for this request if it is new or expired. @returns whether the claim was made. */
export async function claimIdempotencyKey(db: Queryable, claim: IdempotencyClaim): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO idempotency_keys AS kept
       (key_id, method, path, idempotency_key, body_hmac, state, headers, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, 'running', jsonb_build_object('${REQUEST_ID}', $6::text, '${PROCESS}', $9::text), $7, $8)
     ON CONFLICT (key_id, method, path, idempotency_key) DO UPDATE
       SET body_hmac = excluded.body_hmac, state = 'running', status_code = NULL, response = NULL,
           headers = excluded.headers, created_at = excluded.created_at, renewed_at = NULL, expires_at = excluded.expires_at
       WHERE kept.expires_at <= excluded.created_at
     RETURNING 1 AS claimed`,
    [...identity(claim), claim.bodyHmac, claim.requestId, claim.claimedAt, claim.expiresAt, claim.process],
    { prepared: true },
  );
  return rows.length === 1;
}

/** The row stored for the key; null if it was just released. */
export async function findIdempotencyKey(db: Queryable, of: IdempotencyIdentity): Promise<IdempotencyRow | null> {
  const rows = await db.query<IdempotencyRow>(`SELECT * FROM idempotency_keys WHERE ${ROW}`, identity(of), {
    prepared: true,
  });
  return rows[0] ?? null;
}

/** The id of the request that runs, or ran, under a claim without a response. */
export function requestIdOf(row: IdempotencyRow): string {
  return row.headers[REQUEST_ID] ?? '';
}

/** The process that runs, or ran, a request without a response; null if it was not recorded. */
export function processOf(row: IdempotencyRow): string | null {
  return row.headers[PROCESS] ?? null;
}

/** When the request that runs, or ran, under a claim last showed that it was alive. */
export function aliveAt(row: IdempotencyRow): Date {
  return row.renewed_at ?? row.created_at;
}

/** Shows that the request of the claim still runs. @returns false if the claim was taken over. */
export async function renewIdempotencyKey(db: Queryable, claim: IdempotencyClaim, at: Date): Promise<boolean> {
  const rows = await db.query(
    `UPDATE idempotency_keys SET renewed_at = $6 WHERE ${ROW} AND state = 'running' AND created_at = $5
     RETURNING 1 AS renewed`,
    [...identity(claim), claim.claimedAt, at],
  );
  return rows.length === 1;
}

/** Takes over the claim of a request that died. @returns whether this process got it. */
export async function takeOverIdempotencyKey(
  db: Queryable,
  claim: IdempotencyClaim,
  dead: IdempotencyRow,
): Promise<boolean> {
  const rows = await db.query(
    `UPDATE idempotency_keys
     SET headers = jsonb_build_object('${REQUEST_ID}', $5::text, '${PROCESS}', $9::text), created_at = $6, renewed_at = NULL, expires_at = $7
     WHERE ${ROW} AND state = 'running' AND created_at = $8 AND renewed_at IS NOT DISTINCT FROM $10
     RETURNING 1 AS claimed`,
    [
      ...identity(claim),
      claim.requestId,
      claim.claimedAt,
      claim.expiresAt,
      dead.created_at,
      claim.process,
      dead.renewed_at,
    ],
  );
  return rows.length === 1;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Stores the response for retries, unless the claim was taken over in the meantime. */
export async function storeIdempotentResponse(
  db: Queryable,
  claim: IdempotencyClaim,
  answer: StoredResponse,
): Promise<void> {
  await db.query(
    `UPDATE idempotency_keys SET state = 'done', status_code = $6, response = $7::jsonb, headers = $8::jsonb
     WHERE ${ROW} AND state = 'running' AND created_at = $5`,
    [
      ...identity(claim),
      claim.claimedAt,
      answer.status,
      JSON.stringify(answer.body ?? null),
      JSON.stringify(answer.headers),
    ],
    { prepared: true },
  );
}

/** Deletes the claim, so that a retry runs like a first request. */
export async function releaseIdempotencyKey(db: Queryable, claim: IdempotencyClaim): Promise<void> {
  await db.query(`DELETE FROM idempotency_keys WHERE ${ROW} AND state = 'running' AND created_at = $5`, [
    ...identity(claim),
    claim.claimedAt,
  ]);
}

/** Deletes rows that expired before `now`, at most `limit`. @returns the number of deleted rows. */
export async function purgeIdempotencyKeys(db: Queryable, now: Date, limit = 1000): Promise<number> {
  const rows = await db.query(
    `DELETE FROM idempotency_keys WHERE (key_id, method, path, idempotency_key) IN
       (SELECT key_id, method, path, idempotency_key FROM idempotency_keys WHERE expires_at <= $1
        ORDER BY expires_at LIMIT $2)
     RETURNING 1 AS deleted`,
    [now, limit],
  );
  return rows.length;
}
