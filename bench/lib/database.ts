import pg from 'pg';
import { migrateUp } from '../../core/data/schema/migrate.js';
import type { TestBed } from './test-bed.js';

/** Runs the work in a separate database, which does not exist yet, with every table. */
export async function inDatabase<T>(testBed: TestBed, name: string, work: (url: string) => Promise<T>): Promise<T> {
  const url = new URL(testBed.parts.postgres.url);
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  url.pathname = `/${name}`;
  try {
    await admin.query(`CREATE DATABASE ${name}`);
    await migrateUp(url.href);
    return await work(url.href);
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
  }
}
