/**
 * The application under test: the built product, all roles in one process as `npm start` runs it, on parts that the
 * benchmark started. The one difference: an inbound call is answered and hung up at once, or stays up
 * (BENCH_ANSWERED=stay), because no feature of the product does so little.
 */
import type * as BootstrapModule from '../main/install/bootstrap.js';
import type * as ClockModule from '../core/ports/clock.js';
import type * as LogModule from '../main/install/log.js';
import type * as PartsModule from '../main/install/parts.js';
import type * as PlatformModule from '../main/platform.js';
import type * as SecretModule from '../main/install/secret.js';
import type * as SettingsModule from '../config/read-settings.js';
import type { EngineView } from '../core/services/engines/manage.js';
import type { CallProgram } from '../core/services/call-state/program.js';

async function built(path: string): Promise<unknown> {
  return import(new URL(`../dist/${path}`, import.meta.url).href);
}

const { readSettings } = (await built('config/read-settings.js')) as typeof SettingsModule;
const { bootstrapOf, openDemo, writeBootstrap } = (await built('main/install/bootstrap.js')) as typeof BootstrapModule;
const { openLog } = (await built('main/install/log.js')) as typeof LogModule;
const { openParts } = (await built('main/install/parts.js')) as typeof PartsModule;
const { startPlatform } = (await built('main/platform.js')) as typeof PlatformModule;
const { openCipher } = (await built('main/install/secret.js')) as typeof SecretModule;
const { systemClock } = (await built('core/ports/clock.js')) as typeof ClockModule;

const stays = process.env.BENCH_ANSWERED === 'stay';
const answer: CallProgram = {
  start: async (call) => {
    const customer = call.leg('customer');
    if (customer) await call.answer(customer.legId);
  },
  resume: () => Promise.resolve(),
  onLegEvent: async (call, event) => {
    if (event.type === 'leg.answered' && !stays)
      await call.end({ q850: 16, status: 'missed', disposition: 'no_answer' });
  },
};

const settings = readSettings(process.env);
const { log } = openLog(settings);
const parts = await openParts(settings, () => undefined);
const cipher = await openCipher(settings);
const platform = await startPlatform({
  settings,
  parts,
  cipher,
  log,
  programs: (own) => (saved) => (saved.spec.type === 'echo' ? answer : own(saved)),
});
const { stores, management } = platform;
const demo = await openDemo(settings, stores.organizations, {
  accounts: {
    createOrganization: (row) => stores.organizations.create(row),
    createProject: (row) => stores.projects.create(row),
  },
  ...management,
  // The benchmarks call the same numbers again and again.
  flags: {},
  cipher,
  clock: systemClock,
});
const url = platform.api?.url ?? '';
// The next start reads the keys from this file.
if (demo) {
  const where = {
    baseUrl: url,
    sip: { ...parts.sip, transport: 'udp', tlsPort: null } as const,
    engine: { kind: 'asterisk', version: null },
  };
  await writeBootstrap(settings, bootstrapOf(demo, where, null));
}
await addEngine();
while (platform.engine?.isReady !== true) await new Promise((resolve) => setTimeout(resolve, 50));
const [project] = await stores.projects.list();
if (!project || !demo) throw new Error('the demo project is missing');
process.send?.({ url, key: demo.liveKey, line: demo.lineNumber, projectId: project.id });

/**
 * Adds the engine in `BENCH_ENGINE`, if set: an engine that no setting can name. Resolves when the engine takes calls.
 */
async function addEngine(): Promise<void> {
  const text = process.env.BENCH_ENGINE;
  if (text === undefined) return;
  const engine = JSON.parse(text) as Parameters<typeof management.engines.add>[0];
  const found = async (): Promise<EngineView | undefined> =>
    (await management.engines.list()).find(({ name }) => name === engine.name);
  if (!(await found())) await management.engines.add(engine);
  for (;;) {
    const row = await found();
    if (row?.takes_calls === true && row.sip_status === 'up') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

process.on('message', () => {
  // Twice: the first collection only finalizes some objects; the second frees them.
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    process.send?.({ heapUsed: process.memoryUsage().heapUsed });
  });
});
process.once('SIGTERM', () => {
  platform.stop(0, true).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
