import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrachtioHost, findDrachtio } from '../test/support/platform/drachtio.js';
import { startApplication, type Application } from './lib/application.js';
import { Child } from './lib/child.js';
import { climbTogether, LATE_SECONDS, STEP_SECONDS, type Best, type Step } from './lib/climb.js';
import { CpuMeter } from './lib/cpu.js';
import { UNLIMITED } from './lib/engine.js';
import { freeUdpPort } from './lib/ports.js';
import { oursOf, say } from './lib/report.js';
import { register, routed, type SippResult } from './lib/sipp.js';
import { addSoftphones, PASSWORD, SECRET } from './lib/softphones.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';

const PHONES = 1_000;
const REGISTRATIONS_PER_SECOND = 100;
/** The work that registrations leave behind is done after this time. */
const SETTLE_MS = 2_000;
const KB = 1024;

interface Target {
  readonly name: string;
  readonly edge: DrachtioHost;
  readonly processes: Readonly<Record<string, number>>;
}

/**
 * Measures registrations, and calls that go through the edge to two engines in turn, beside a script on a drachtio-server
 * of its own that does the same with its own tables and no relay; and the memory of a registration. The engines are
 * programs that only answer, so that the edge is the limit.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const found = findDrachtio();
  if ('missing' in found) {
    console.log(`  not measured: ${found.missing}`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'hatif-bench-edge-'));
  const [edge, bareEdge, callees] = await Promise.all([
    DrachtioHost.start(),
    DrachtioHost.start(),
    Child.start('baselines/sip-callees.ts', {}),
  ]);
  const ports = callees.ready.ports as readonly [number, number];
  const callerPort = await freeUdpPort();
  const application = await startApplication(testBed, { environment: settingsOf(edge, callerPort) });
  const script = await Child.start('baselines/drachtio.ts', {
    ...{ DRACHTIO_PORT: bareEdge.settings.DRACHTIO_PORT!, DRACHTIO_SECRET: bareEdge.settings.DRACHTIO_SECRET! },
    ...{ CALLEES: ports.join(','), PASSWORD },
  });
  const ours: Target = {
    ...{ name: 'Hatif', edge },
    processes: { ...oursOf(testBed, application), engine: edge.pid },
  };
  const bare: Target = {
    ...{ name: 'bare script', edge: bareEdge },
    processes: { engine: bareEdge.pid, application: script.pid },
  };
  try {
    await addEngines(application, ports);
    await addSoftphones(testBed, application, names());
    const users = join(folder, 'users.csv');
    writeFileSync(users, ['SEQUENTIAL', ...names().map((name) => `${name};`), ''].join('\n'));
    const perRegistration = await memory(testBed, application, edge, users);
    const registrations = await climb([ours, bare], (target, rate) => registerStep(testBed, target, users, rate));
    const calls = await climb([ours, bare], (target, rate) => callStep(testBed, target, callerPort, rate));
    return rowsOf(perRegistration, registrations, calls);
  } finally {
    // The parts that follow have these tables, too.
    await application.db.query(`DELETE FROM engines WHERE owner = 'nobody'`);
    await application.db.query('DELETE FROM sip_contacts');
    await application.db.query('DELETE FROM agents WHERE agent = ANY ($1)', [names()]);
    await Promise.all([application.stop(), script.stop(), callees.stop()]);
    await Promise.all([edge.stop(), bareEdge.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function settingsOf(edge: DrachtioHost, callerPort: number): Readonly<Record<string, string>> {
  return {
    ...edge.settings,
    HATIF_SECRET: SECRET,
    SIP_TRUNK_URI: `sip:127.0.0.1:${callerPort}`,
    // The edge is measured, not what engines take.
    MAX_CALLS_PER_SECOND: String(UNLIMITED),
  };
}

function names(): string[] {
  return Array.from({ length: PHONES }, (_, at) => `p${at + 1}`);
}

/** Rows of two engines that nobody owns. They get all calls, because of their weight. */
async function addEngines({ db }: Application, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    await db.query(
      `INSERT INTO engines (id, name, kind, sip_host, sip_port, status, owner, lease_expires_at, weight)
       VALUES (gen_random_uuid(), $1, 'freeswitch', '127.0.0.1', $2, 'up', 'nobody', now() + interval '1 day', 100000)`,
      [`callee-${port}`, port],
    );
  }
}

/** Bytes of the heap for each registration. */
async function memory(testBed: TestBed, application: Application, edge: DrachtioHost, users: string): Promise<number> {
  const registered = (calls: number): Promise<SippResult> =>
    registering(testBed, edge, users, calls, REGISTRATIONS_PER_SECOND);
  // So that connections, compiled code and caches do not count.
  await registered(PHONES / 10);
  await application.db.query('DELETE FROM sip_contacts');
  const before = await heapUsed(application, 'without registrations');
  const { successful } = await registered(PHONES);
  if (successful < PHONES) throw new Error(`${PHONES - successful} of ${PHONES} phones could not register`);
  return ((await heapUsed(application, `with ${PHONES} registrations`)) - before) / PHONES;
}

async function heapUsed(application: Application, when: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const bytes = await application.heapUsed();
  console.log(`  heap ${when}: ${(bytes / KB / KB).toFixed(2)} MB`);
  return bytes;
}

function climb(targets: readonly Target[], run: (target: Target, rate: number) => Promise<Step>): Promise<Best[]> {
  return climbTogether(
    targets.map((target) => ({ name: target.name, firstRate: 100, run: (rate) => run(target, rate) })),
    say,
  );
}

async function registering(
  testBed: TestBed,
  edge: DrachtioHost,
  users: string,
  calls: number,
  callsPerSecond: number,
): Promise<SippResult> {
  return register(testBed.sipp, {
    ...{ port: await freeUdpPort(), remote: `127.0.0.1:${edge.sipPort}`, users, password: PASSWORD },
    ...{ calls, callsPerSecond, limitSeconds: calls / callsPerSecond + 4 },
  }).done;
}

function registerStep(testBed: TestBed, target: Target, users: string, rate: number): Promise<Step> {
  return measured(target, rate, (calls) => registering(testBed, target.edge, users, calls, rate));
}

function callStep(testBed: TestBed, target: Target, callerPort: number, rate: number): Promise<Step> {
  return measured(
    target,
    rate,
    (calls) =>
      routed(testBed.sipp, {
        ...{ port: callerPort, remote: `127.0.0.1:${target.edge.sipPort}`, number: '+966115550100' },
        ...{ calls, callsPerSecond: rate, limitSeconds: STEP_SECONDS + 4 },
      }).done,
  );
}

async function measured(
  { processes }: Target,
  rate: number,
  offer: (calls: number) => Promise<SippResult>,
): Promise<Step> {
  const calls = rate * STEP_SECONDS;
  const meter = new CpuMeter(processes);
  const { successful, retransmissions, seconds } = await offer(calls);
  const trouble = [];
  if (successful < calls) trouble.push(`${calls - successful} of ${calls} failed`);
  if (retransmissions > calls / 100) trouble.push(`${retransmissions} retransmissions`);
  if (seconds > STEP_SECONDS + LATE_SECONDS) trouble.push(`took ${seconds.toFixed(1)} s`);
  return { rate, calls, clean: trouble.length === 0, trouble: trouble.join(', '), cpu: meter.read() };
}

function rowsOf(perRegistration: number, registrations: readonly Best[], calls: readonly Best[]): Row[] {
  const rate = (bests: readonly Best[], of: 0 | 1): number | null => bests[of]?.rate ?? null;
  return [
    {
      what: 'registrations at the edge, stored  vs  a bare drachtio script',
      ...{ ours: rate(registrations, 0), baseline: rate(registrations, 1), unit: 'registrations/s' },
      goal: { ratio: 0.8, better: 'higher' },
    },
    {
      what: 'calls through the edge to two engines  vs  a bare drachtio script',
      ...{ ours: rate(calls, 0), baseline: rate(calls, 1), unit: 'calls/s' },
      goal: { ratio: 0.8, better: 'higher' },
    },
    {
      what: `heap of the edge per registration, at ${PHONES} registrations`,
      ...{ ours: perRegistration / KB, baseline: null, unit: 'KB/registration' },
    },
  ];
}
