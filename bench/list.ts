import { startApplication, type Application } from './lib/application.js';
import { Child } from './lib/child.js';
import { inTurns, type Server } from './lib/page-rate.js';
import type { TestBed } from './lib/test-bed.js';
import { median } from './lib/median.js';
import type { Row } from './lib/table.js';

const CALLS = 100_000;

/**
 * Measures requests per second for the first page of a long list of calls. The servers take turns; the median round
 * counts.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed);
  const bare = await Child.start('baselines/list.ts', {
    DATABASE_URL: testBed.parts.postgres.url,
    PROJECT_ID: application.projectId,
    NODE_ENV: 'production',
  });
  try {
    await makeCalls(application);
    const servers: readonly Server[] = [
      {
        name: 'Hatif',
        pid: application.pid,
        url: application.url,
        headers: { authorization: `Bearer ${application.key}` },
      },
      { name: 'Express + pg', pid: bare.pid, url: String(bare.ready.url), headers: {} },
    ];
    const [ours = [], theirs = []] = await inTurns(servers);
    return [
      {
        what: `GET /v1/calls, newest of ${CALLS} calls  vs  bare Express + pg`,
        ours: median(ours.map(({ rate }) => rate)),
        baseline: median(theirs.map(({ rate }) => rate)),
        unit: 'requests/s',
        goal: { ratio: 0.7, better: 'higher' },
      },
      {
        what: '    CPU of the server process',
        ours: median(ours.map(({ cpuMs }) => cpuMs)),
        baseline: median(theirs.map(({ cpuMs }) => cpuMs)),
        unit: 'ms/request',
      },
    ];
  } finally {
    await Promise.all([application.stop(), bare.stop()]);
  }
}

/** Inserts ended calls of the last days with one leg each, as the platform stores them. */
async function makeCalls({ db, projectId }: Application): Promise<void> {
  await db.query(
    `INSERT INTO calls (id, organization_id, project_id, engine_id, epoch, sandbox, kind, direction, status,
       customer_number, line_number, caller_id_number, on_hold, muted, recording, recording_available, disposition,
       hangup_q850, hangup_text, metadata, program, options, last_sequence,
       created_at, ringing_at, answered_at, ended_at)
     SELECT uuid_v7(), project.organization_id, project.id, engine.id, 1, false, 'inbound', 'inbound', 'ended',
       '+966501234517', '+966115550100', '+966501234517', false, false, false, false, 'answered',
       16, 'Normal call clearing', '{"order": "42"}', '{"spec": {"type": "echo"}, "state": null}',
       '{"ring_timeout_seconds": 45, "max_duration_seconds": 14400, "record": false, "send_digits": null}',
       4, at, at, at + interval '2 seconds', at + interval '90 seconds'
     FROM projects AS project
     CROSS JOIN (SELECT id FROM engines LIMIT 1) AS engine
     CROSS JOIN generate_series(
       now() - $2::int * interval '10 seconds', now() - interval '10 seconds', interval '10 seconds') AS at
     WHERE project.id = $1`,
    [projectId, CALLS],
  );
  await db.query(
    `INSERT INTO legs (id, call_id, role, endpoint, number, billable, status, on_hold, muted,
       created_at, ringing_at, answered_at, ended_at, hangup_q850, hangup_text)
     SELECT uuid_v7(), id, 'customer', '{"type": "trunk"}', customer_number, true, 'ended', false, false,
       created_at, ringing_at, answered_at, ended_at, hangup_q850, hangup_text
     FROM calls WHERE project_id = $1 AND metadata = '{"order": "42"}'`,
    [projectId],
  );
  await db.query('VACUUM ANALYZE calls, legs');
}
