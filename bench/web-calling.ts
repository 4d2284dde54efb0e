import { readFileSync } from 'node:fs';
import { openApi } from './lib/api.js';
import { startApplication, type Application } from './lib/application.js';
import { climbTogether, type Best, type Step } from './lib/climb.js';
import { UNLIMITED } from './lib/engine.js';
import { oursOf, say } from './lib/report.js';
import { addSoftphones, PASSWORD, SECRET } from './lib/softphones.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';
import { Fleet } from './web-calling/fleet.js';
import type { PhoneAccount } from './web-calling/phone.js';

/** Of each kind. */
const PHONES = 300;
const WARM_UP_PHONES = 30;
/** The work that registrations leave behind is done after this time. */
const SETTLE_MS = 2_000;
const KB = 1024;

interface Memory {
  readonly application: number;
  readonly engine: number;
}

/**
 * Measures browsers over WebSocket, through the application's port, beside softphones over UDP at the same Asterisk: the
 * same program plays both, once for each kind. It sends no audio.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const application = await startApplication(testBed, {
    environment: {
      HATIF_SECRET: SECRET,
      MAX_CALLS_PER_SECOND: String(UNLIMITED),
      WEB_SESSIONS_PER_PROJECT: '100000',
      WEB_SESSIONS_PER_IDENTITY: '100000',
    },
  });
  const processes = oursOf(testBed, application);
  const [browsers, phones] = [await Fleet.start('over WebSocket', processes), await Fleet.start('over UDP', processes)];
  const names = Array.from({ length: PHONES }, (_, at) => `w${at + 1}`);
  try {
    const { sip } = testBed.engine.peers.trunk;
    // So that connections, compiled code and caches do not count.
    await browsers.open(await connected(application, WARM_UP_PHONES));
    await browsers.registerAll(WARM_UP_PHONES);
    const empty = await memoryOf(testBed, application, 'without phones');
    await addSoftphones(testBed, application, names);
    await phones.open(names.map((user) => ({ user, password: PASSWORD, at: sip })));
    await phones.registerAll(PHONES);
    const withPhones = await memoryOf(testBed, application, `with ${PHONES} registered softphones`);
    await browsers.open(await connected(application, PHONES));
    await browsers.registerAll(PHONES);
    const withBoth = await memoryOf(testBed, application, `with ${PHONES} registered browsers, too`);
    const both = [browsers, phones];
    const calls = await climb(both, 10, async (fleet, rate) => {
      const step = await fleet.calls(application.line, rate);
      await testBed.quiet();
      return step;
    });
    // Last: too many registrations at once close WebSockets.
    const registrations = await climb(both, 100, (fleet, rate) => fleet.registrations(rate));
    return [
      ...rowsOf(registrations, calls),
      ...memoryRows(difference(withBoth, withPhones), difference(withPhones, empty)),
    ];
  } finally {
    await Promise.all([browsers.stop(), phones.stop()]);
    // The parts that follow have these tables, too.
    await application.db.query('DELETE FROM web_calling_sessions');
    await application.db.query('DELETE FROM agents WHERE agent = ANY ($1)', [names]);
    await application.stop();
  }
}

function climb(
  fleets: readonly Fleet[],
  firstRate: number,
  run: (fleet: Fleet, rate: number) => Promise<Step>,
): Promise<Best[]> {
  const climbers = fleets.map((fleet) => ({ name: fleet.name, firstRate, run: (rate: number) => run(fleet, rate) }));
  return climbTogether(climbers, say);
}

/** New sessions. */
async function sessions(application: Application, count: number): Promise<{ token: string }[]> {
  const api = openApi(application, 8);
  try {
    return await Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const wanted = { identity: `person-${at}`, allow: { outgoing: ['number'] }, ttl_seconds: 86_400 };
        return (await api.post('/v1/web-calling/sessions', wanted)) as { token: string };
      }),
    );
  } finally {
    await api.close();
  }
}

/** The accounts of sessions whose browsers connected. */
async function connected(application: Application, count: number): Promise<PhoneAccount[]> {
  const made = await sessions(application, count);
  const api = openApi(application, 8);
  try {
    return await Promise.all(
      made.map(async ({ token }) => {
        const { sip, ws_url: at } = (await api.post('/v1/web-calling/connect', { token })) as {
          readonly sip: { readonly username: string; readonly password: string };
          readonly ws_url: string;
        };
        return { user: sip.username, password: sip.password, at };
      }),
    );
  } finally {
    await api.close();
  }
}

async function memoryOf({ engine }: TestBed, application: Application, when: string): Promise<Memory> {
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const memory = { application: await application.heapUsed(), engine: residentBytes(engine.peers.trunk.pid) };
  const shown = Object.entries(memory).map(([name, bytes]) => `${name} ${(bytes / KB / KB).toFixed(1)} MB`);
  console.log(`  memory ${when}: ${shown.join(', ')}`);
  return memory;
}

/** Of a process (proc(5), VmRSS). */
function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * KB;
}

function difference(after: Memory, before: Memory): Memory {
  const each = (name: keyof Memory): number => (after[name] - before[name]) / PHONES / KB;
  return { application: each('application'), engine: each('engine') };
}

function rowsOf([webRegistrations, registrations]: readonly Best[], [webCalls, calls]: readonly Best[]): Row[] {
  const perCall = (best: Best | undefined, process: string): number | null =>
    best ? (best.cpu[process] ?? 0) / best.calls : null;
  const cpu = (of: string, web: Best | undefined, plain: Best | undefined): Row[] =>
    (['engine', 'application'] as const).map((process) => ({
      what: `    CPU of the ${process} for each ${of}`,
      ...{ ours: perCall(web, process), baseline: perCall(plain, process), unit: `ms/${of}` },
    }));
  return [
    {
      what: 'registrations of browsers over WebSocket  vs  of softphones over UDP',
      ...{ ours: webRegistrations?.rate ?? null, baseline: registrations?.rate ?? null, unit: 'registrations/s' },
    },
    ...cpu('registration', webRegistrations, registrations),
    {
      what: 'calls of browsers over WebSocket  vs  of softphones over UDP',
      ...{ ours: webCalls?.rate ?? null, baseline: calls?.rate ?? null, unit: 'calls/s' },
    },
    ...cpu('call', webCalls, calls),
  ];
}

function memoryRows(browser: Memory, softphone: Memory): Row[] {
  return [
    {
      what: 'heap of the application per idle browser  vs  per idle softphone',
      ...{ ours: browser.application, baseline: softphone.application, unit: 'KB' },
    },
    {
      what: 'memory of the engine per idle browser  vs  per idle softphone',
      ...{ ours: browser.engine, baseline: softphone.engine, unit: 'KB' },
    },
  ];
}
