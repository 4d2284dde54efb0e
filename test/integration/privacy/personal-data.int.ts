import { expect } from 'chai';
import {
  BILLING_TABLES,
  DELETED_AFTER_CALLS,
  DELETED_BEFORE_CALLS,
  DELETED_WITH_CALLS,
  DELETED_WITH_OWNERS,
  type OrganizationTable,
} from '../../../core/data/repositories/privacy/organization-tables.js';
import { FINDINGS } from '../../../core/data/repositories/privacy/findings.js';
import { MEMBER_TABLES } from '../../../core/data/repositories/privacy/member-data.js';
import { listedColumns } from '../../../core/model/privacy/columns.js';
import { PERSONAL_DATA } from '../../../core/model/privacy/personal-data.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

/** Columns of these types identify nobody by themselves, unless they refer to a user. */
const PLAIN = [
  'uuid',
  'timestamp with time zone',
  'boolean',
  'integer',
  'bigint',
  'smallint',
  'date',
  'double precision',
];
/** The list of applied migrations. */
const MIGRATIONS = 'migrations';

/** Tables whose records of calls are deleted with them when their years end. */
const CALL_RECORDS = ['calls', 'legs', 'charges', 'call_ratings', 'rating_corrections', 'unrated_calls', 'cdr_files'];

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly names_user: boolean;
}

describe('The table of personal data', () => {
  let database: TestDatabase;
  let columns: Column[];

  before(async () => {
    database = await testDatabase();
    columns = await database.db.query<Column>(
      `SELECT class.relname AS table, attribute.attname AS column, format_type(attribute.atttypid, NULL) AS type,
         attribute.attname = 'user_id' OR class.relname = 'users' AND attribute.attname = 'id' OR EXISTS (
           SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = class.oid AND confrelid = 'users'::regclass
             AND conkey = ARRAY[attribute.attnum]
         ) AS names_user
       FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
       WHERE class.relnamespace = 'public'::regnamespace AND class.relkind = 'r' AND attribute.attnum > 0
         AND NOT attribute.attisdropped`,
    );
  });
  after(() => database.close());

  const tables = (): string[] => [...new Set(columns.map(({ table }) => table))].filter((name) => name !== MIGRATIONS);
  const names = (list: readonly OrganizationTable[]): string[] => list.map(({ name }) => name);
  const endingWith = (...ends: readonly string[]): string[] =>
    Object.entries(PERSONAL_DATA)
      .filter(([, { end }]) => ends.includes(end))
      .map(([name]) => name);

  it('has every table of the database, and no other', () => {
    expect(Object.keys(PERSONAL_DATA)).to.have.members(tables());
  });

  it('has every column that can hold words, documents or a user', () => {
    const sought = columns.filter(({ table, type, names_user }) => {
      const isList = type === 'uuid[]';
      return table !== MIGRATIONS && !isList && (!PLAIN.includes(type) || names_user);
    });
    const listed = new Set(
      Object.entries(PERSONAL_DATA).flatMap(([table, rule]) =>
        listedColumns(rule).map((column) => `${table}.${column}`),
      ),
    );
    const missing = sought.map(({ table, column }) => `${table}.${column}`).filter((name) => !listed.has(name));
    expect(missing, 'say in core/model/privacy/personal-data.ts how these are handled').to.deep.equal([]);
  });

  it('names only columns that there are, each once', () => {
    const known = new Set(columns.map(({ table, column }) => `${table}.${column}`));
    for (const [table, rule] of Object.entries(PERSONAL_DATA)) {
      const own = listedColumns(rule).map((column) => `${table}.${column}`);
      expect(own.filter((name) => !known.has(name))).to.deep.equal([]);
      expect(new Set(own).size, table).to.equal(own.length);
    }
  });

  it('agrees with what the end of an organization deletes', () => {
    const deleted = [
      ...names(DELETED_BEFORE_CALLS),
      ...names(DELETED_AFTER_CALLS),
      ...DELETED_WITH_CALLS,
      ...DELETED_WITH_OWNERS,
    ];
    // Numbers of its sandbox exist nowhere else, and go with their history.
    const ofSandbox = ['numbers', 'number_changes'];
    expect(new Set(deleted.filter((name) => !ofSandbox.includes(name)))).to.deep.equal(new Set(endingWith('deleted')));
    const last = ['organizations', 'projects', 'number_changes'];
    expect([...names(BILLING_TABLES), ...last]).to.have.members(endingWith('billing'));
    expect(CALL_RECORDS).to.have.members(endingWith('cdr'));
  });

  it('covers every table that refers to an organization, a project or a call', async () => {
    const rows = await database.db.query<{ name: string }>(
      `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
       WHERE contype = 'f' AND confrelid IN ('organizations'::regclass, 'projects'::regclass, 'calls'::regclass)`,
    );
    const outside = endingWith('installation');
    expect(rows.map(({ name }) => name).filter((name) => outside.includes(name))).to.deep.equal([]);
  });

  it('marks as erased only what an erasure looks for', () => {
    const erased = Object.entries(PERSONAL_DATA).filter(([, { personal = {} }]) =>
      Object.values(personal).some((handling) => / (deleted|emptied|block|in_use)$/.test(handling)),
    );
    const sought = new Set([
      ...FINDINGS.flatMap(({ table, category }) => [table, category]),
      ...MEMBER_TABLES.map(({ category }) => category),
      ...DELETED_WITH_CALLS,
      ...DELETED_WITH_OWNERS,
      // With calls, documents and users, and this work itself.
      ...['calls', 'number_documents', 'owner_mails', 'api_keys', 'production_requests', 'privacy_jobs'],
    ]);
    expect(erased.map(([name]) => name).filter((name) => !sought.has(name))).to.deep.equal([]);
  });
});
