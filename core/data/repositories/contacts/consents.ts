import { isOfEndUser } from '../../../model/contacts/consent.js';
import type { Database, Queryable } from '../../database.js';
import type { ConsentChangeRow, ConsentRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** A person opted out, and somebody else tried to undo it. Rolls the transaction back. */
export class ConsentLocked extends Error {
  override readonly name = 'ConsentLocked';
}

/**
 * `$1`: changes of one request. The row of a person's own opt-out stays as it is, unless the person changes it; then it
 * is not returned. An opt-out by others does not unlock it.
 */
const WRITE = `
  INSERT INTO consents AS known
  SELECT given.id, given.organization_id, given.project_id, given.sandbox, given.address, given.channel, given.class,
    given.status, given.source, $2::boolean AND given.status = 'opted_out', given.created_at
  FROM jsonb_populate_recordset(NULL::consent_changes, $1::jsonb) AS given
  ON CONFLICT (project_id, sandbox, address, channel, class) DO UPDATE SET
    status = excluded.status,
    changed_at = CASE WHEN known.is_locked AND NOT $2 THEN known.changed_at ELSE excluded.changed_at END,
    source = CASE WHEN known.is_locked AND NOT $2 THEN known.source ELSE excluded.source END,
    is_locked = excluded.is_locked OR (known.is_locked AND excluded.status = 'opted_out')
  WHERE $2 OR NOT known.is_locked OR excluded.status = 'opted_out'
  RETURNING 1`;

export class Consents {
  constructor(private readonly db: Database) {}

  /** The consents of these numbers and addresses. */
  of(
    { projectId, sandbox }: ProjectKind,
    addresses: readonly string[],
    on: Queryable = this.db,
  ): Promise<ConsentRow[]> {
    return on.query<ConsentRow>(
      `SELECT * FROM consents WHERE project_id = $1 AND sandbox = $2 AND address = ANY ($3::text[])`,
      [projectId, sandbox, addresses],
      { prepared: true },
    );
  }

  /** Until the end of the transaction nobody else locks this number or address. */
  async lockAddress(tx: Queryable, { projectId, sandbox }: ProjectKind, address: string): Promise<void> {
    const lock = `consents ${projectId} ${String(sandbox)} ${address}`;
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [lock]);
  }

  /**
   * Records changes from one source, all or none.
   * @throws ConsentLocked if somebody else than the person opts the person in again
   */
  async record(tx: Queryable, changes: readonly ConsentChangeRow[]): Promise<void> {
    const [first] = changes;
    if (!first) return;
    // In one order, so that two requests never wait for each other.
    const ordered = changes.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const json = JSON.stringify(ordered);
    const written = await tx.query(WRITE, [json, isOfEndUser(first.source)]);
    if (written.length < changes.length) throw new ConsentLocked('the person opted out');
    await tx.query(
      `INSERT INTO consent_changes SELECT * FROM jsonb_populate_recordset(NULL::consent_changes, $1::jsonb)`,
      [json],
    );
  }

  /** What was recorded for these numbers and addresses, the newest first, only before `beforeId`. */
  history(
    { projectId, sandbox }: ProjectKind,
    addresses: readonly string[],
    beforeId: string | null,
    limit: number,
  ): Promise<ConsentChangeRow[]> {
    return this.db.query<ConsentChangeRow>(
      `SELECT * FROM consent_changes WHERE project_id = $1 AND sandbox = $2 AND address = ANY ($3::text[])
         AND ($4::uuid IS NULL OR id < $4) ORDER BY id DESC LIMIT $5`,
      [projectId, sandbox, addresses, beforeId, limit],
    );
  }
}

function keyOf({ address, channel, class: messageClass }: ConsentChangeRow): string {
  return `${address} ${channel} ${messageClass}`;
}
