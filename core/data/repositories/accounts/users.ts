import type { Database, Queryable } from '../../database.js';
import { usersOf } from '../../models/tables.js';
import type { UserRow } from '../../rows.js';
import { Joined } from './joined.js';

/** `user` is a word of SQL. */
export const JOINED_USER = new Joined<UserRow>('owner', {
  id: true,
  organization_id: true,
  email: true,
  name: true,
  password_hash: true,
  locale: true,
  phone: true,
  phone_confirmed_at: true,
  email_confirmed_at: true,
  role: true,
  project_ids: true,
  agent: true,
  disabled_at: true,
  last_sign_in_at: true,
  created_at: true,
});

/** Which users to list; an absent member does not filter. */
export interface UserFilter {
  readonly organization_id?: string;
  /** A part of the e-mail address or of the name, in any case. */
  readonly text?: string;
}

export class Users {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = usersOf(db);
  }

  create(row: UserRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  get(id: string): Promise<UserRow | null> {
    return this.#table.findOne({ id });
  }

  /** @param email in lower case */
  findByEmail(email: string): Promise<UserRow | null> {
    return this.#table.findOne({ email });
  }

  /** Of all organizations, newest first. @param before the last one of the page before */
  page({ organization_id, text }: UserFilter, before: string | null, limit: number): Promise<UserRow[]> {
    return this.db.query<UserRow>(
      `SELECT * FROM users
       WHERE ($1::uuid IS NULL OR organization_id = $1) AND ($3::uuid IS NULL OR id < $3)
         AND ($2::text IS NULL OR position(lower($2) IN email) > 0 OR position(lower($2) IN lower(name)) > 0)
       ORDER BY id DESC LIMIT $4`,
      [organization_id ?? null, text ?? null, before, limit],
    );
  }

  async setDisabled(id: string, disabled_at: Date | null, on: Queryable): Promise<void> {
    await this.#table.update({ id }, { disabled_at }, on);
  }

  async confirmEmail(id: string, email_confirmed_at: Date, on: Queryable): Promise<void> {
    await this.#table.update({ id }, { email_confirmed_at }, on);
  }

  async signedIn(id: string, at: Date, on: Queryable): Promise<void> {
    await this.#table.update({ id }, { last_sign_in_at: at }, on);
  }
}
