import type { Database, Queryable } from '../../database.js';
import { organizationsOf } from '../../models/tables.js';
import type { OrganizationRow } from '../../rows.js';

/** Which organizations to list; an absent member does not filter. */
export interface OrganizationFilter {
  readonly tier?: OrganizationRow['account_kind'];
  readonly suspended?: boolean;
  /** A part of the name, in any case. */
  readonly name?: string;
}

/** Absent members stay unchanged. */
export interface OrganizationChange extends Partial<
  Pick<OrganizationRow, 'name' | 'account_kind' | 'contact_email' | 'suspended_at'>
> {
  /** Null: as in the environment. */
  readonly flags?: Readonly<Record<string, boolean | null>>;
}

/** Those that are being deleted, or are but for what the law keeps: a few, which an index has. */
export const ENDED_ORGANIZATIONS = `SELECT id FROM organizations WHERE ended_at IS NOT NULL`;

export class Organizations {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = organizationsOf(db);
  }

  create(row: OrganizationRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  get(id: string): Promise<OrganizationRow | null> {
    return this.#table.findOne({ id });
  }

  /** @returns false if there is no such organization. */
  async setContact(id: string, contact_email: string | null): Promise<boolean> {
    return (await this.#table.update({ id }, { contact_email })) === 1;
  }

  /** Sets a flag of an organization. @param on null: as in the environment. @returns null for an unknown one */
  async setFlag(id: string, flag: string, on: boolean | null): Promise<OrganizationRow | null> {
    const [row] = await this.db.query<OrganizationRow>(
      `UPDATE organizations SET flags = CASE
         WHEN $3::boolean IS NULL THEN flags - $2::text ELSE flags || jsonb_build_object($2::text, $3::boolean) END
       WHERE id = $1 RETURNING *`,
      [id, flag, on],
    );
    return row ?? null;
  }

  /** At most `limit`, newest first. @param before the last one of the page before */
  page(
    { tier, suspended, name }: OrganizationFilter,
    before: string | null,
    limit: number,
  ): Promise<OrganizationRow[]> {
    return this.db.query<OrganizationRow>(
      `SELECT * FROM organizations
       WHERE ($1::text IS NULL OR account_kind = $1) AND ($2::boolean IS NULL OR (suspended_at IS NOT NULL) = $2)
         AND ($3::text IS NULL OR position(lower($3) IN lower(name)) > 0) AND ($4::uuid IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $5`,
      [tier ?? null, suspended ?? null, name ?? null, before, limit],
    );
  }

  /**
   * Changes an organization. One that is suspended already keeps its time.
   * @returns null for an unknown one; `ended` for one that is being deleted
   */
  async change(
    id: string,
    { flags = {}, suspended_at, ...change }: OrganizationChange,
  ): Promise<{ readonly before: OrganizationRow; readonly after: OrganizationRow } | 'ended' | null> {
    return this.db.transaction(async (tx) => {
      const [before] = await tx.query<OrganizationRow>('SELECT * FROM organizations WHERE id = $1 FOR UPDATE', [id]);
      if (!before) return null;
      if (before.ended_at !== null) return 'ended';
      const known = Object.entries({ ...before.flags, ...flags }).filter(
        (entry): entry is [string, boolean] => entry[1] !== null,
      );
      const after: OrganizationRow = {
        ...before,
        ...change,
        flags: Object.fromEntries(known),
        suspended_at:
          suspended_at === undefined ? before.suspended_at : suspended_at && (before.suspended_at ?? suspended_at),
      };
      const { name, account_kind, contact_email } = after;
      const changed = { name, account_kind, contact_email, flags: after.flags, suspended_at: after.suspended_at };
      await this.#table.update({ id }, changed, tx);
      return { before, after };
    });
  }

  /** All organizations, oldest first. */
  list(): Promise<OrganizationRow[]> {
    return this.#table.find({}, ['id']);
  }
}
