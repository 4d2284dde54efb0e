import type pg from 'pg';
import { AGENTS, WAITING } from './day.js';

/**
 * The baseline: the same work as SQL statements that change rows. An agent hangs up, the longest idle agent takes the
 * longest waiting caller, another caller enters. One strategy, one queue, no notifications, no log.
 */
export class PlainQueue {
  #hungUp = 0;

  constructor(private readonly client: pg.Client) {}

  async open(): Promise<void> {
    await this.client.query(`
      CREATE TABLE plain_agents (agent int PRIMARY KEY, call_id int, idle_since timestamptz NOT NULL);
      CREATE TABLE plain_callers (call_id serial PRIMARY KEY, entered_at timestamptz NOT NULL);
      CREATE INDEX ON plain_agents (idle_since) WHERE call_id IS NULL;
      CREATE INDEX ON plain_callers (entered_at);
      INSERT INTO plain_callers (entered_at) SELECT now() FROM generate_series(1, ${WAITING});
      INSERT INTO plain_agents SELECT number, 0, now() FROM generate_series(0, ${AGENTS - 1}) AS number;
      ANALYZE plain_agents; ANALYZE plain_callers;`);
  }

  async decide(): Promise<void> {
    const { client } = this;
    const agent = this.#hungUp++ % AGENTS;
    await client.query('BEGIN');
    await client.query('UPDATE plain_agents SET call_id = NULL, idle_since = clock_timestamp() WHERE agent = $1', [
      agent,
    ]);
    const caller = await client.query<{ call_id: number }>(
      'SELECT call_id FROM plain_callers ORDER BY entered_at, call_id LIMIT 1 FOR UPDATE SKIP LOCKED',
    );
    const callId = caller.rows[0]?.call_id;
    await client.query('DELETE FROM plain_callers WHERE call_id = $1', [callId]);
    await client.query(
      `UPDATE plain_agents SET call_id = $1 WHERE agent = (
         SELECT agent FROM plain_agents WHERE call_id IS NULL ORDER BY idle_since LIMIT 1 FOR UPDATE SKIP LOCKED)`,
      [callId],
    );
    await client.query('INSERT INTO plain_callers (entered_at) VALUES (clock_timestamp())');
    await client.query('COMMIT');
  }
}
