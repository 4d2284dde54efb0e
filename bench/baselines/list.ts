/** Bare Express and pg: the queries and the JSON of the platform's list of calls, without API key, limits and log. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import type * as PresentModule from '../../core/services/call-state/presenting/call.js';
import type { CallRow, LegRow } from '../../core/data/rows.js';

const { presentCall } = (await import(
  new URL('../../dist/core/services/call-state/presenting/call.js', import.meta.url).href
)) as typeof PresentModule;
const { DATABASE_URL: connectionString = '', PROJECT_ID: projectId = '', POOL_SIZE: poolSize = '10' } = process.env;
const pool = new pg.Pool({ connectionString, max: Number(poolSize) });
const LIMIT = 20;

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/v1/calls', async (_req, res) => {
  const calls = await pool.query<CallRow>({
    name: 'calls',
    text: 'SELECT * FROM calls WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2',
    values: [projectId, LIMIT + 1],
  });
  const rows = calls.rows.slice(0, LIMIT);
  const legs = await pool.query<LegRow>({
    name: 'legs',
    text: 'SELECT * FROM legs WHERE call_id = ANY ($1::uuid[]) ORDER BY call_id, id',
    values: [rows.map((row) => row.id)],
  });
  const legsOf = new Map<string, LegRow[]>();
  for (const leg of legs.rows) {
    const known = legsOf.get(leg.call_id);
    if (known) known.push(leg);
    else legsOf.set(leg.call_id, [leg]);
  }
  const data = rows.map((row) => presentCall(row, legsOf.get(row.id) ?? []));
  res.json({ data, next_cursor: calls.rows.length > LIMIT ? 'more' : null, limit: LIMIT });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
