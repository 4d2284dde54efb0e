import pg from 'pg';
import { CDR_TABLE, openAsteriskAlone, type AsteriskAlone } from './alternatives/asterisk-alone.js';
import { startApplication } from './lib/application.js';
import { climbTogether, type Climber, type Step } from './lib/climb.js';
import { inDatabase } from './lib/database.js';
import type { SipPeer } from './lib/engine.js';
import { inboundStep } from './lib/inbound-step.js';
import { pinned } from './lib/pinning.js';
import { oursOf, say } from './lib/report.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';
import { measureLogged } from './queues.js';

const DATABASE = 'asterisk_alone';
const QUEUE_DATABASE = 'hatif_queues_beside';
const AT_ONCE = 32;
/** Asterisk writes the CDR after the caller's phone has been hung up. */
const CDRS_WITHIN_MS = 2_000;

/**
 * Measures what an operator would use instead: Asterisk's dialplan with CDRs in PostgreSQL (cdr_pgsql), and its queues
 * (app_queue). Every call of both sides must be found in PostgreSQL.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const logged = await inDatabase(testBed, QUEUE_DATABASE, (url) => measureLogged(url, AT_ONCE));
  return inDatabase(testBed, DATABASE, async (url) => {
    const db = new pg.Pool({ connectionString: url, max: 1 });
    try {
      await db.query(CDR_TABLE);
      const alone = await openAsteriskAlone(testBed.folder, url);
      // The pinning takes the engine's processes from its peers.
      const peers = { ...testBed.engine.peers, plain: alone.dialplan };
      const both = { ...testBed, engine: { ...testBed.engine, peers } };
      return await pinned(both, () => compare(both, alone, db, logged.perSecond)).finally(() => alone.stop());
    } finally {
      await db.end();
    }
  });
}

async function compare(testBed: TestBed, alone: AsteriskAlone, db: pg.Pool, decisions: number): Promise<Row[]> {
  const application = await startApplication(testBed);
  const { peers } = testBed.engine;
  const ours = { peer: peers.trunk, number: application.line, processes: oursOf(testBed, application), application };
  const [hatif = null, dialplan = null, queue = null] = await climbTogether(
    [
      { name: 'Hatif', firstRate: 100, run: (rate) => inboundStep(testBed, ours, rate) },
      climberOf('dialplan with CDRs in PostgreSQL', testBed, alone.dialplan, db),
      climberOf('app_queue', testBed, alone.queue, db),
    ],
    say,
  ).finally(() => application.stop());
  const cpuOf = (step: Step | null): number | null =>
    step && Object.values(step.cpu).reduce((sum, ms) => sum + ms, 0) / step.calls;
  return [
    {
      what: 'inbound calls, answered, hung up, recorded  vs  dialplan with CDRs in PostgreSQL',
      ours: hatif?.rate ?? null,
      baseline: dialplan?.rate ?? null,
      unit: 'calls/s',
    },
    {
      what: '    CPU of all processes for a call',
      ours: cpuOf(hatif),
      baseline: cpuOf(dialplan),
      unit: 'ms/call',
    },
    {
      what: `queue decisions, log in PostgreSQL, ${AT_ONCE} events at once  vs  calls through app_queue`,
      ours: decisions,
      baseline: queue?.rate ?? null,
      unit: 'decisions/s',
    },
    {
      what: '    CPU of all processes for a call through app_queue',
      ours: null,
      baseline: cpuOf(queue),
      unit: 'ms/call',
    },
  ];
}

/** A step is clean only if Asterisk wrote the CDR of each of its calls. */
function climberOf(name: string, testBed: TestBed, peer: SipPeer, db: pg.Pool): Climber {
  const processes = { engine: peer.pid, postgres: testBed.parts.postgres.pid };
  const target = { peer, number: '1', processes, application: null };
  return {
    name,
    firstRate: 100,
    async run(rate) {
      const before = await cdrs(db);
      const step = await inboundStep(testBed, target, rate);
      if (!step.clean) return step;
      const missing = await missingCdrs(db, before + step.calls);
      return missing === 0 ? step : { ...step, clean: false, trouble: `${missing} CDRs missing` };
    },
  };
}

async function missingCdrs(db: pg.Pool, wanted: number): Promise<number> {
  const deadline = performance.now() + CDRS_WITHIN_MS;
  for (;;) {
    const missing = Math.max(0, wanted - (await cdrs(db)));
    if (missing === 0 || performance.now() > deadline) return missing;
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function cdrs(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: string }>('SELECT count(*) FROM cdr');
  return Number(rows[0]?.count);
}
