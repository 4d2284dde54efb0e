import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { callflowsOf, callflowVersionsOf } from '../../models/tables.js';
import type { CallflowRow, CallflowUses, CallflowVersionRow } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

/** Limits flows to a project, and optionally to those that a sandbox key may see. */
export interface CallflowScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
}

/** A flow with the numbers bound to it, in E.164. */
export type BoundCallflow = CallflowRow & { readonly bound_numbers: readonly string[] };

/** The contents of a new version. */
export type CallflowChange = Pick<CallflowVersionRow, 'name' | 'definition' | 'created_at' | 'created_by_key'> & {
  readonly uses: CallflowUses;
};

const BOUND = `coalesce((SELECT json_agg(e164 ORDER BY e164) FROM numbers
  WHERE numbers.project_id = callflows.project_id AND numbers.sandbox = callflows.sandbox AND binding->>'type' = 'callflow'
    AND binding->>'target' = callflows.id::text), '[]') AS bound_numbers`;

export class Callflows {
  readonly #flows;
  readonly #versions;

  constructor(private readonly db: Database) {
    this.#flows = callflowsOf(db);
    this.#versions = callflowVersionsOf(db);
  }

  /** Inserts the flow and its first version. @param on a transaction; by default, one of its own */
  create(row: CallflowRow, definition: object, keyId: string | null, on?: Queryable): Promise<void> {
    const insert = async (tx: Queryable): Promise<void> => {
      await this.#flows.insert(row, tx);
      const { name, created_at } = row;
      await this.#addVersion(row.id, row.version, { name, definition, created_at, created_by_key: keyId }, tx);
    };
    return on === undefined ? this.db.transaction(insert) : insert(on);
  }

  /** Null for a malformed id, a flow outside the scope, and a removed one. */
  async get({ projectId, sandboxOnly }: CallflowScope, id: string): Promise<BoundCallflow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<BoundCallflow>(
      `SELECT *, ${BOUND} FROM callflows
       WHERE id = $1 AND project_id = $2 AND (sandbox OR NOT $3) AND removed_at IS NULL`,
      [id, projectId, sandboxOnly],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page({ projectId, sandboxOnly }: CallflowScope, beforeId: string | null, limit: number): Promise<BoundCallflow[]> {
    return this.db.query<BoundCallflow>(
      `SELECT *, ${BOUND} FROM callflows
       WHERE project_id = $1 AND (sandbox OR NOT $2) AND removed_at IS NULL AND ($3::uuid IS NULL OR id < $3::uuid)
       ORDER BY id DESC LIMIT $4`,
      [projectId, sandboxOnly, beforeId, limit],
    );
  }

  /** All flows of the project, with the fields needed for checks. */
  list(projectId: string): Promise<Pick<CallflowRow, 'id' | 'name' | 'status' | 'uses' | 'sandbox'>[]> {
    return this.db.query(
      `SELECT id, name, status, uses, sandbox FROM callflows WHERE project_id = $1 AND removed_at IS NULL`,
      [projectId],
    );
  }

  /**
   * Finds a flow that calls can be sent to.
   * @param scope null searches all projects and both kinds
   */
  async findActive(
    scope: ProjectKind | null,
    id: string,
  ): Promise<Pick<CallflowRow, 'id' | 'project_id' | 'sandbox' | 'version'> | null> {
    const [row] = await this.db.query<Pick<CallflowRow, 'id' | 'project_id' | 'sandbox' | 'version'>>(
      `SELECT id, project_id, sandbox, version FROM callflows
       WHERE id = $1 AND ($2::uuid IS NULL OR (project_id = $2 AND sandbox = $3)) AND status = 'active'
         AND removed_at IS NULL`,
      [id, scope?.projectId ?? null, scope?.sandbox ?? false],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Whether calls of this kind may be bound to the flow; it need not be active now. */
  async has({ projectId, sandbox }: ProjectKind, id: string): Promise<boolean> {
    return (await this.get({ projectId, sandboxOnly: sandbox }, id))?.sandbox === sandbox;
  }

  /** Includes versions of removed flows, since calls may still run them. */
  async version(
    id: string,
    version: number,
  ): Promise<(CallflowVersionRow & Pick<CallflowRow, 'kind' | 'project_id' | 'sandbox'>) | null> {
    const [row] = await this.db.query<CallflowVersionRow & Pick<CallflowRow, 'kind' | 'project_id' | 'sandbox'>>(
      `SELECT callflow_versions.*, callflows.kind, callflows.project_id, callflows.sandbox
       FROM callflow_versions JOIN callflows ON callflows.id = callflow_id
       WHERE callflow_id = $1 AND callflow_versions.version = $2`,
      [id, version],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Newest first. */
  versions(id: string, belowVersion: number | null, limit: number): Promise<CallflowVersionRow[]> {
    return this.db.query<CallflowVersionRow>(
      `SELECT * FROM callflow_versions WHERE callflow_id = $1 AND ($2::int IS NULL OR version < $2)
       ORDER BY version DESC LIMIT $3`,
      [id, belowVersion, limit],
    );
  }

  /** @returns false, and changes nothing, if the version is no longer the newest */
  replace(id: string, version: number, change: CallflowChange): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const { name, uses, created_at } = change;
      const changed = await this.#flows.update(
        { id, version, removed_at: null },
        { version: version + 1, name, uses, updated_at: created_at },
        tx,
      );
      if (changed === 1) await this.#addVersion(id, version + 1, change, tx);
      return changed === 1;
    });
  }

  /** @returns false if the version is no longer the newest */
  async setStatus(id: string, version: number, status: CallflowRow['status'], at: Date): Promise<boolean> {
    return (await this.#flows.update({ id, version, removed_at: null }, { status, updated_at: at })) === 1;
  }

  async remove(id: string, at: Date): Promise<void> {
    await this.#flows.update({ id, removed_at: null }, { removed_at: at, updated_at: at });
  }

  /** The names of the flows that play this audio file. */
  async playing(projectId: string, audioId: string): Promise<string[]> {
    const rows = await this.db.query<{ name: string }>(
      `SELECT name FROM callflows
       WHERE project_id = $1 AND removed_at IS NULL AND uses->'audio' ? $2 ORDER BY id`,
      [projectId, audioId],
    );
    return rows.map(({ name }) => name);
  }

  async #addVersion(
    callflow_id: string,
    version: number,
    { name, definition, created_at, created_by_key }: Omit<CallflowVersionRow, 'callflow_id' | 'version'>,
    on: Queryable,
  ): Promise<void> {
    await this.#versions.insert({ callflow_id, version, name, definition, created_at, created_by_key }, on);
  }
}
