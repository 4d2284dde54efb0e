import { expect } from 'chai';
import { migrations } from '../../../core/data/migrations/index.js';
import type { Migration } from '../../../core/data/migrations/migration.js';

const REFUSES = 'refuses rows that were taken';

/** During a handover of calls, the previous release runs on the new schema: a migration adds, and removes nothing. */
const TAKES_AWAY: readonly (readonly [string, RegExp])[] = [
  ['drops something', /\bDROP\s+(?:TABLE|COLUMN|VIEW|FUNCTION|TYPE)\b/i],
  ['renames something', /\bRENAME\b/i],
  ['tightens a column', /\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+NOT\s+NULL|(?:SET\s+DATA\s+)?TYPE)\b/i],
  [
    'adds a column that the release before does not fill',
    /\bADD\s+COLUMN\s+(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
  ],
  [REFUSES, /\bADD\s+(?:CONSTRAINT\s+\w+\s+)?(?:CHECK|UNIQUE|FOREIGN)\b/i],
];

/** Migrations that remove what the previous release no longer used, or did not have. */
const CONTRACTIONS: readonly string[] = [
  // No release had contacts before.
  '0102-consents',
];

/** Migrations that replace a constraint with one that accepts more rows. */
const WIDENINGS: readonly string[] = [
  '0018-supervisors',
  '0023-voicemail',
  '0024-numbers',
  '0048-payments',
  '0056-webhook-kinds',
  '0063-demo-numbers',
  '0065-sandbox-kinds',
  '0079-fraud-guard',
  '0088-account-mails',
  '0089-production-access',
  '0091-signups',
  '0141-chatapp',
  '0142-message-fallback',
  '0161-virtual-number-contacts',
];

/** The last migration of the first release, which had no predecessor. */
const FIRST_RELEASE = '0006';

async function sqlOf(migration: Migration): Promise<string> {
  const said: string[] = [];
  await migration.up({
    scope: {},
    query: (sql: string) => {
      said.push(sql.replace(/--.*$/gm, ''));
      return Promise.resolve([]);
    },
  });
  return said.join('\n');
}

describe('migrations while the previous release still runs', () => {
  it('are detected if they remove something', () => {
    const found = (sql: string): string[] => TAKES_AWAY.filter(([, form]) => form.test(sql)).map(([name]) => name);
    for (const sql of [
      'ALTER TABLE a DROP COLUMN b',
      'ALTER TABLE a RENAME b TO c',
      'ALTER TABLE a ALTER COLUMN b SET NOT NULL',
      'ALTER TABLE a ALTER COLUMN b TYPE text',
      'ALTER TABLE a ADD COLUMN b text NOT NULL',
      'ALTER TABLE a ADD COLUMN b text, ADD COLUMN c text NOT NULL, ADD COLUMN d int',
      'ALTER TABLE a ADD CONSTRAINT b CHECK (c > 0)',
    ]) {
      expect(found(sql), sql).to.have.length(1);
    }
    expect(found('ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT 1, ADD COLUMN c text')).to.deep.equal([]);
    expect(found('CREATE TABLE a (b text NOT NULL CHECK (b > 0), UNIQUE (b))')).to.deep.equal([]);
  });

  for (const migration of migrations.filter(({ name }) => name.slice(0, 4) > FIRST_RELEASE)) {
    if (CONTRACTIONS.includes(migration.name)) continue;
    it(`${migration.name} only adds`, async () => {
      const sql = await sqlOf(migration);
      const isWider = WIDENINGS.includes(migration.name);
      for (const [fault, form] of TAKES_AWAY) {
        if (!(isWider && fault === REFUSES)) expect(form.test(sql), fault).to.equal(false);
      }
    });
  }
});
