import type { Queryable } from '../../database.js';
import type { AuditChainRow, SealedAuditRow } from '../../rows.js';

/** A row as the chain reads it: with the details as the text that PostgreSQL keeps. */
export interface ChainedRow extends Omit<SealedAuditRow, 'details'> {
  readonly details: string;
}

const COLUMNS = `id, organization_id, project_id, key_id, user_id, administrator_id, actor, request_id, method, path, route,
  status, error_code, ip, details::text AS details, created_at, chain_sequence, chain_hash`;

/** The ends of the chain; null before the first row is sealed. @param lock holds off every other change until the commit */
export async function findAuditChain(tx: Queryable, lock = false): Promise<AuditChainRow | null> {
  const [row] = await tx.query<AuditChainRow>(`SELECT * FROM audit_chain${lock ? ' FOR UPDATE' : ''}`);
  return row ?? null;
}

/** Stores the ends of a chain that has none yet, unless another process was faster. */
export async function createAuditChain(tx: Queryable, row: AuditChainRow): Promise<void> {
  await tx.query(
    `INSERT INTO audit_chain (head_sequence, head_hash, pruned_sequence, pruned_hash, pruned_at, mac)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
    valuesOf(row),
  );
}

export async function updateAuditChain(tx: Queryable, row: AuditChainRow): Promise<void> {
  await tx.query(
    `UPDATE audit_chain SET head_sequence = $1, head_hash = $2, pruned_sequence = $3, pruned_hash = $4, pruned_at = $5, mac = $6`,
    valuesOf(row),
  );
}

function valuesOf(row: AuditChainRow): unknown[] {
  return [row.head_sequence, row.head_hash, row.pruned_sequence, row.pruned_hash, row.pruned_at, row.mac];
}

/** Rows that are not sealed yet, in the order of their ids. */
export function unsealedAuditRows(tx: Queryable, limit: number): Promise<ChainedRow[]> {
  return tx.query<ChainedRow>(`SELECT ${COLUMNS} FROM audit_log WHERE chain_sequence IS NULL ORDER BY id LIMIT $1`, [
    limit,
  ]);
}

export async function countUnsealedAuditRows(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*) AS count FROM audit_log WHERE chain_sequence IS NULL',
  );
  return row?.count ?? 0;
}

/** The place and the hash of a row in the chain. */
export interface Seal {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
}

export async function sealAuditRows(tx: Queryable, seals: readonly Seal[]): Promise<void> {
  await tx.query(
    `UPDATE audit_log AS row SET chain_sequence = seal.sequence, chain_hash = seal.hash
     FROM jsonb_to_recordset($1::jsonb) AS seal (id uuid, sequence bigint, hash text) WHERE row.id = seal.id`,
    [JSON.stringify(seals)],
  );
}

/** Sealed rows after this place, in the order of the chain. */
export function sealedAuditRows(tx: Queryable, after: number, limit: number): Promise<ChainedRow[]> {
  return tx.query<ChainedRow>(
    `SELECT ${COLUMNS} FROM audit_log WHERE chain_sequence > $1 ORDER BY chain_sequence LIMIT $2`,
    [after, limit],
  );
}

/** The end of the part of the chain that may go: the rows after `after`, up to the first one that is not older. */
export async function lastAuditRowBefore(
  tx: Queryable,
  after: number,
  before: Date,
  limit: number,
): Promise<{ readonly sequence: number; readonly hash: string } | null> {
  const [row] = await tx.query<{ sequence: number; hash: string }>(
    `WITH first AS (
       SELECT chain_sequence AS sequence, chain_hash AS hash, created_at FROM audit_log
       WHERE chain_sequence > $1 ORDER BY chain_sequence LIMIT $3
     )
     SELECT sequence, hash FROM first
     WHERE sequence < (SELECT coalesce(min(sequence), 9223372036854775807) FROM first WHERE created_at >= $2)
     ORDER BY sequence DESC LIMIT 1`,
    [after, before, limit],
  );
  return row ?? null;
}

/** Deletes the beginning of the chain, which only retention may do. @returns the number of deleted rows */
export async function deleteAuditRowsUpTo(tx: Queryable, sequence: number): Promise<number> {
  await tx.query(`SELECT set_config('hatif.audit_retention', 'on', true)`);
  const rows = await tx.query('DELETE FROM audit_log WHERE chain_sequence <= $1 RETURNING 1', [sequence]);
  await tx.query(`SELECT set_config('hatif.audit_retention', 'off', true)`);
  return rows.length;
}
