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

export class Users {
  readonly #table;

  constructor(db: Database) {
    this.#table = usersOf(db);
  }

  create(row: UserRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** @param email in lower case */
  findByEmail(email: string): Promise<UserRow | null> {
    return this.#table.findOne({ email });
  }

  async signedIn(id: string, at: Date, on: Queryable): Promise<void> {
    await this.#table.update({ id }, { last_sign_in_at: at }, on);
  }
}
