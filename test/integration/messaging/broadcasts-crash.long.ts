import { expect } from 'chai';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../../config/read-settings.js';
import type { BroadcastRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { countsOf } from '../../../core/services/broadcasts/counts.js';
import type { BroadcastEditor } from '../../../core/services/broadcasts/create.js';
import { openBilling } from '../../../main/wiring/billing.js';
import { openMessaging, type Messaging } from '../../../main/wiring/messaging.js';
import { openStores, type Stores } from '../../../main/wiring/stores.js';
import { NO_FILES } from '../../support/stages/messaging/files.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { LocalChatSignals } from '../../support/peers/chat/local-signals.js';
import { NotedSoftphones } from '../../support/stages/messaging/softphones.js';
import { Smsc } from '../../support/peers/smsc.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { workerProgram } from '../../support/platform/programs.js';
import { insertRows, ownerIn } from '../../support/rows/rows.js';

/** How many recipients the broadcast has: fewer are enough while something is looked for. */
const SIZE = Number(process.env.BROADCAST_SIZE ?? 100_000);
const KILLS = Number(process.env.BROADCAST_KILLS ?? 20);
const WINDOW = 10;
const PRICE = 1_000;
/** Every hundredth line is no number. */
const BAD_SHARE = 100;
/** What the heap of a process may grow while it sends the second half. */
const MOST_GROWTH = 25 * 1_048_576;
const LIMIT_MS = 45 * 60_000;

describe('a broadcast whose processes are killed', function () {
  this.timeout(LIMIT_MS + 60_000);
  let database: TestDatabase;
  let smsc: Smsc;
  let stores: Stores;
  let messaging: Messaging;
  let folder: string;
  let settings: Record<string, string>;

  before(async () => {
    database = await testDatabase();
    smsc = await Smsc.start();
    folder = await mkdtemp(join(tmpdir(), 'hatif-broadcast-'));
    settings = {
      DATABASE_URL: database.url,
      SMPP_URLS: `smpp://hatif:${smsc.password}@127.0.0.1:${smsc.port}?window=${WINDOW}`,
    };
    stores = openStores(database.url, 5);
    const wake = (): void => undefined;
    const { credit } = openBilling(stores, systemClock, wake);
    const parts = { cipher: TEST_CIPHER, credit, clock: systemClock, log: quiet, wake };
    // It accepts requests, and sends nothing: that is for the processes that are killed.
    const chats = { mailer: null, chatSignals: new LocalChatSignals(), softphones: new NotedSoftphones() };
    messaging = openMessaging({ settings: readSettings(settings), stores, ...NO_FILES, ...chats, ...parts });
  });
  after(async () => {
    await smsc.close();
    await stores.db.close();
    await rm(folder, { recursive: true });
    await database.close();
  });

  it('sends at most one message to each recipient, and each has an outcome', async () => {
    const editor = await newEditor();
    const { id } = await newBroadcast(editor);
    const received = new Map<string, number>();
    let workers = 0;
    let untilDeath = Infinity;
    let worker = null as ChildProcess | null;
    smsc.respond = (submitted) => {
      smsc.submitted.length = 0;
      const { destination } = submitted;
      received.set(destination, (received.get(destination) ?? 0) + 1);
      if (--untilDeath <= 0) worker?.kill('SIGKILL');
      const providerId = `m-${destination}`;
      // Of the receipts, some come before the response, and some never.
      if (received.size % 10 !== 0) smsc.receipt(providerId, 'DELIVRD', submitted);
      return { status: 0, id: providerId };
    };
    await messaging.broadcasts.control.start(editor, id);
    const startedMs = performance.now();

    // Each process but the last one is killed somewhere in its share of the first half.
    const heaps: number[] = [];
    for (; workers <= KILLS; workers++) {
      const share = SIZE / 2 / KILLS;
      untilDeath = workers < KILLS ? Math.ceil(share * (0.5 + Math.random())) : Infinity;
      worker = fork(workerProgram('broadcast-worker'), {
        env: { ...process.env, ...settings },
        execArgv: ['--expose-gc'],
      });
      if (workers < KILLS) await once(worker, 'exit');
    }
    await eventually(
      async () => {
        const { waiting, queued } = await counts(editor, id);
        if (received.size > SIZE / 2) heaps.push(await heapOf(worker));
        return waiting === 0 && queued <= WINDOW * KILLS && (await isAllSubmitted(id));
      },
      'everything is submitted',
      LIMIT_MS,
    );
    const seconds = (performance.now() - startedMs) / 1000;
    await giveUpUnknown(id);
    await eventually(async () => (await broadcast(editor, id)).status === 'completed', 'it is completed');
    worker?.kill('SIGKILL');

    const numbers = await counts(editor, id);
    const unknown = await count(
      `SELECT count(*)::int AS count FROM messages WHERE broadcast_id = $1 AND error_reason = 'outcome_unknown'`,
      id,
    );
    const charged = await count(
      `SELECT sum(quantity)::int AS count FROM usage_events WHERE project_id = $1`,
      editor.projectId,
    );
    const [balance] = await database.db.query<{ sum: number }>(
      `SELECT coalesce(sum(balance), 0)::bigint AS sum FROM ledger_accounts WHERE organization_id = $1 AND type = 'revenue'`,
      [editor.organizationId],
    );
    const growth = Math.max(...heaps) - (heaps[0] ?? 0);
    process.stdout.write(
      `      ${SIZE} recipients, ${KILLS} kills, ${(SIZE / seconds).toFixed(0)} recipients/s; ` +
        `${JSON.stringify(numbers)}; outcome unknown ${unknown}; heap of the last process ` +
        `${heaps.length} times from ${mib(Math.min(...heaps))} to ${mib(Math.max(...heaps))} MiB\n`,
    );
    expect(Math.max(...received.values())).to.equal(1);
    expect(numbers.sent + numbers.failed + numbers.skipped).to.equal(SIZE);
    expect(numbers).to.include({
      total: SIZE,
      waiting: 0,
      queued: 0,
      cancelled: 0,
      skipped: Math.floor(SIZE / BAD_SHARE),
    });
    expect(numbers.failed).to.equal(unknown);
    expect(unknown).to.be.at.most(WINDOW * KILLS);
    // Who was sent to has got it, and paid for it once.
    expect(received.size).to.be.within(numbers.sent, numbers.sent + unknown);
    expect(charged).to.equal(numbers.sent);
    expect(balance?.sum).to.equal(numbers.sent * PRICE);
    expect(growth).to.be.below(MOST_GROWTH);
  });

  async function newEditor(): Promise<BroadcastEditor> {
    const owner = await ownerIn(database.db);
    const organization = await stores.organizations.get(owner.organizationId);
    if (!organization) throw new Error('it was made');
    const { plans } = openBilling(stores, systemClock, () => undefined);
    await plans.add('bench', [], new Date(0), undefined, [], [{ channel: 'sms', prefix: '', perSegment: PRICE }]);
    await plans.assign(owner.organizationId, 'bench');
    const editor = { ...owner, sandbox: false, organization, keyId: newId(), requestId: newId() };
    const known = { organization_id: owner.organizationId, project_id: owner.projectId, sandbox: false };
    const made = { created_by_key: editor.keyId, request_id: editor.requestId, created_at: new Date() };
    const common = { ...known, ...made, id: newId(), channel: 'sms', status: 'approved', decided_at: new Date() };
    await insertRows(database.db, 'message_senders', [{ ...common, sender: 'HATIF' }]);
    const texts = { body: 'مرحبًا {{1}}', variables: ['x'], header: null, footer: null, buttons: [], otp_button: false };
    const template = { name: 'hello', language: 'ar', category: 'UTILITY', revision: 1, updated_at: new Date() };
    await insertRows(database.db, 'message_templates', [{ ...common, ...texts, ...template }]);
    return editor;
  }

  async function newBroadcast(editor: BroadcastEditor): Promise<BroadcastRow> {
    const { create, upload } = messaging.broadcasts;
    const variables = [{ field: 'custom.name', default: null } as const];
    const row = await create.create(
      {
        ...{ name: 'All', channel: 'sms', from: null, class: null, groupId: null, scheduledAt: null, localTime: null },
        ...{ ratePerMinute: null, tracksLinks: false, metadata: {} },
        variants: [{ template: { name: 'hello', language: 'ar' }, variables, weight: 1 }],
      },
      editor,
    );
    const path = join(folder, 'people.csv');
    const file = await open(path, 'w');
    await file.write('phone,custom.name\n');
    for (let n = 1; n <= SIZE; n++) {
      await file.write(n % BAD_SHARE === 0 ? `1,x${n}\n` : `+9665${String(10_000_000 + n)},x${n}\n`);
    }
    await file.close();
    return upload.upload(editor, row.id, { path, name: 'people.csv' });
  }

  const broadcast = (editor: BroadcastEditor, id: string): Promise<BroadcastRow> =>
    messaging.broadcasts.read.get({ projectId: editor.projectId, sandboxOnly: false }, id);

  async function counts(editor: BroadcastEditor, id: string) {
    const row = await broadcast(editor, id);
    return countsOf(row, await messaging.broadcasts.read.counted(row));
  }

  async function count(sql: string, value: string): Promise<number> {
    return (await database.db.query<{ count: number }>(sql, [value]))[0]?.count ?? 0;
  }

  /** Whether nothing can still be submitted: what has no outcome was lost with a process. */
  async function isAllSubmitted(id: string): Promise<boolean> {
    const left = await count(
      `SELECT count(*)::int AS count FROM messages WHERE broadcast_id = $1 AND status = 'queued'
         AND (due_at IS NOT NULL OR claimed_at > now() - interval '10 seconds')`,
      id,
    );
    return left === 0;
  }

  /** What happens within a day: receipts are given to messages whose response was lost; the rest fails. */
  async function giveUpUnknown(id: string): Promise<void> {
    await database.db.query(`UPDATE message_receipts SET received_at = received_at - interval '1 hour'`);
    await database.db.query(
      `UPDATE messages SET claimed_at = claimed_at - interval '2 hours' WHERE broadcast_id = $1 AND status = 'queued'`,
      [id],
    );
    for (const task of messaging.tasks) await task.run();
    await database.db.query(
      `UPDATE messages SET claimed_at = claimed_at - interval '1 day' WHERE broadcast_id = $1 AND status = 'queued'`,
      [id],
    );
    for (const task of messaging.tasks) await task.run();
    await database.db.query(`UPDATE broadcasts SET due_at = now() WHERE id = $1 AND due_at IS NOT NULL`, [id]);
  }

  async function heapOf(worker: ChildProcess | null): Promise<number> {
    if (!worker) return 0;
    const answer = once(worker, 'message');
    worker.send('heap');
    const [bytes] = (await answer) as [unknown];
    return typeof bytes === 'number' ? bytes : heapOf(worker);
  }
});

function mib(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
