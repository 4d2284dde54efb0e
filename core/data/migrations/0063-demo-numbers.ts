import { sqlMigration } from './migration.js';

/** Numbers of a fresh installation's demo, which no carrier delivers, have a source of their own. */
export const demoNumbers = sqlMigration(
  '0063-demo-numbers',
  `
  ALTER TABLE numbers
    DROP CONSTRAINT numbers_source_check,
    ADD CONSTRAINT numbers_source_check CHECK (source IN ('operator', 'provider', 'own', 'ported', 'demo'));
  `,
  `
  UPDATE numbers SET source = 'operator' WHERE source = 'demo';
  ALTER TABLE numbers
    DROP CONSTRAINT numbers_source_check,
    ADD CONSTRAINT numbers_source_check CHECK (source IN ('operator', 'provider', 'own', 'ported'));
  `,
);
