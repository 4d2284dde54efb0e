import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import { brandsOf } from '../../models/tables.js';
import type { BrandRow, BrandStatus } from '../../rows.js';
import type { Position } from '../calls/calls.js';

/** Limits brands to a project, and optionally to those of its sandbox keys. */
export interface BrandScope {
  readonly projectId: string;
  readonly sandboxOnly: boolean;
}

/** A change of status or names; absent members stay unchanged. */
export type BrandStep = Partial<
  Pick<BrandRow, 'status' | 'name_en' | 'name_ar' | 'submitted_at' | 'decided_at' | 'rejection_reason' | 'deleted_at'>
>;

export class BrandTable {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = brandsOf(db);
  }

  /** @throws a unique violation of `voice_auth_brands_name_en` or `voice_auth_brands_name_ar`. */
  create(row: BrandRow): Promise<void> {
    return this.#table.insert(row);
  }

  /** Null for a malformed id, for a brand outside the scope and for a deleted one. */
  async get({ projectId, sandboxOnly }: BrandScope, id: string): Promise<BrandRow | null> {
    if (!isId(id)) return null;
    return this.#table.findOne({
      id,
      project_id: projectId,
      deleted_at: null,
      ...(sandboxOnly && { sandbox: true }),
    });
  }

  /** Any brand, without a scope, also a deleted one. */
  async find(id: string): Promise<BrandRow | null> {
    return isId(id) ? this.#table.findOne({ id }) : null;
  }

  /** The brand created by a request of this key, or null. */
  createdBy(projectId: string, keyId: string, requestId: string): Promise<BrandRow | null> {
    return this.#table.findOne({ project_id: projectId, created_by_key: keyId, request_id: requestId });
  }

  /** Up to `limit` brands after a position, newest first. */
  list(
    { projectId, sandboxOnly }: BrandScope,
    status: BrandStatus | undefined,
    { limit, after }: { readonly limit: number; readonly after: Position | null },
  ): Promise<BrandRow[]> {
    return this.db.query<BrandRow>(
      `SELECT * FROM voice_auth_brands
       WHERE project_id = $1 AND deleted_at IS NULL AND (sandbox OR NOT $2) AND status = coalesce($3, status)
         AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5::uuid))
       ORDER BY created_at DESC, id DESC LIMIT $6`,
      [projectId, sandboxOnly, status ?? null, after?.createdAt ?? null, after?.id ?? null, limit],
    );
  }

  /** Live brands of all organizations, newest first. @param before the last one of the page before */
  page(status: BrandStatus | null, before: string | null, limit: number): Promise<BrandRow[]> {
    return this.db.query<BrandRow>(
      `SELECT * FROM voice_auth_brands
       WHERE NOT sandbox AND deleted_at IS NULL AND ($1::text IS NULL OR status = $1) AND ($2::uuid IS NULL OR id < $2)
       ORDER BY id DESC LIMIT $3`,
      [status, before, limit],
    );
  }

  /** Pending brands of all organizations, in order of submission. */
  waiting(): Promise<BrandRow[]> {
    return this.#table.find({ status: 'pending', deleted_at: null }, ['submitted_at', 'id']);
  }

  /** @returns false if the brand was in no status of `from`, or is deleted. @throws as {@link create} does */
  async step(id: string, from: readonly BrandStatus[], step: BrandStep): Promise<boolean> {
    if (!isId(id)) return false;
    return (await this.#table.update({ id, status: [...from], deleted_at: null }, step)) === 1;
  }
}
