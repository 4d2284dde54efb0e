/**
 * The platform's messaging in a separate process, as the role `jobs` runs it. A request makes a broadcast and starts it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../config/read-settings.js';
import { Cipher } from '../../core/model/access/cipher.js';
import { newId } from '../../core/model/ids.js';
import { systemClock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import { openBilling } from '../../main/wiring/billing.js';
import { openMessaging } from '../../main/wiring/messaging.js';
import { openStorages } from '../../main/wiring/storages.js';
import { openStores } from '../../main/wiring/stores.js';

const { BENCH_ORGANIZATION = '', BENCH_PROJECT: projectId = '' } = process.env;
const nothing = (): void => undefined;
const log: Logger = { debug: nothing, info: nothing, warn: console.warn, error: console.error, child: () => log };
const settings = readSettings(process.env);
const stores = openStores(settings.DATABASE_URL ?? '', 10);
const { credit } = openBilling(stores, systemClock, nothing);
const cipher = new Cipher('a secret of the benchmark, thirty-two characters');
const audio = { pathOf: (id: string) => id };
const messaging = openMessaging({
  settings,
  stores,
  storages: openStorages(settings),
  audio,
  mailer: null,
  chatSignals: { send: nothing, follow: () => nothing },
  softphones: { send: () => Promise.resolve({ result: 'not_registered' }) },
  cipher,
  credit,
  clock: systemClock,
  log,
  wake: nothing,
});
const stop = messaging.start();
const organization = await stores.organizations.get(BENCH_ORGANIZATION);
if (!organization) throw new Error('the organization is missing');
const kind = { projectId, sandbox: false, organization, organizationId: organization.id, keyId: newId() };

async function start(count: number): Promise<void> {
  const { create, upload, control } = messaging.broadcasts;
  const editor = { ...kind, requestId: newId() };
  const variables = [{ field: 'custom.n', default: null } as const];
  const { id } = await create.create(
    {
      ...{ name: 'Bench', channel: 'sms', from: null, class: null, groupId: null, scheduledAt: null, localTime: null },
      ...{ ratePerMinute: null, tracksLinks: false, metadata: {} },
      variants: [{ template: { name: 'hello', language: 'en' }, variables, weight: 1 }],
    },
    editor,
  );
  const folder = await mkdtemp(join(tmpdir(), 'hatif-bench-messages-'));
  const path = join(folder, 'people.csv');
  const lines = Array.from({ length: count }, (_, n) => `+9665${10_000_000 + n},${n}`);
  await writeFile(path, ['phone,custom.n', ...lines].join('\n'));
  await upload.upload(editor, id, { path, name: 'people.csv' });
  await rm(folder, { recursive: true });
  process.send?.({ id, atMs: Date.now() });
  await control.start(editor, id);
}

process.on('message', ({ count }: { readonly count: number }) => void start(count));
process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
process.send?.({ ready: true });
