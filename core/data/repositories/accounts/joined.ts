import type { OrganizationRow, ProjectRow } from '../../rows.js';

/** A table that a statement joins: its columns are selected under the alias and their own names. */
export class Joined<Row extends object> {
  readonly #names: readonly (keyof Row & string)[];

  /** @param columns the compiler checks that they are all there */
  constructor(
    private readonly alias: string,
    columns: Readonly<Record<keyof Row & string, true>>,
  ) {
    this.#names = Object.keys(columns) as (keyof Row & string)[];
  }

  /** The columns for the list of SELECT. */
  get columns(): string {
    return this.#names.map((name) => `${this.alias}.${name} AS ${this.alias}_${name}`).join(', ');
  }

  /** The row of this table in a row of the statement. */
  rowIn(joined: object): Row {
    const values = joined as Readonly<Record<string, unknown>>;
    return Object.fromEntries(this.#names.map((name) => [name, values[`${this.alias}_${name}`]])) as Row;
  }
}

export const JOINED_ORGANIZATION = new Joined<OrganizationRow>('organization', {
  id: true,
  name: true,
  account_kind: true,
  flags: true,
  contact_email: true,
  suspended_at: true,
  ended_at: true,
  session_idle_minutes: true,
  second_factor_required: true,
  key_reveal: true,
  created_at: true,
});

export const JOINED_PROJECT = new Joined<ProjectRow>('project', {
  id: true,
  organization_id: true,
  name: true,
  main_number: true,
  default_destination: true,
  signing_secret: true,
  recording_retention_days: true,
  recording_announcement: true,
  destination_classes: true,
  max_calls: true,
  fraud_limits: true,
  allowed_origins: true,
  created_at: true,
});
