import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnNumberClaimRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { riyadhDay } from '../../../core/model/riyadh.js';
import { FraudGuardTable } from '../../../core/data/repositories/calls/fraud-guard.js';
import { SipLockouts } from '../../../core/data/repositories/sip/lockouts.js';
import { SipRefusals } from '../../../core/data/repositories/sip/refusals.js';
import { EDGE_SETTINGS, HatifCommand } from '../command.js';
import { QUEUE } from '../calls/open-queue.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { recordingRow } from '../rows/recordings.js';
import { callRow, endpointRow, eventOf, groundIn, insertRows, timelineRow, type Ground } from '../rows/rows.js';
import { ADMINISTRATOR, AdministrationStage } from '../stages/administration/administration-stage.js';
import { SELLER } from '../stages/billing/invoice-stage.js';
import { queueParts } from '../stages/queue-stage.js';
import { Anonymizer } from './anonymizer.js';
import type { Step } from './step.js';

/** The secret behind the cipher of the stages. */
const STAGE_SECRET = 'a secret for tests, thirty-two characters';
const PDF = Buffer.from('%PDF-1.4\ntrailer<<>>\n%%EOF\n');
const HOUR_MS = 3_600_000;

/** Both sides have a seller of invoices, and the SIP edge, which a command changes without it. */
const SETTINGS = {
  ...EDGE_SETTINGS,
  INVOICE_SELLER_NAME_AR: SELLER.name_ar,
  INVOICE_SELLER_NAME_EN: SELLER.name_en,
  INVOICE_SELLER_VAT_NUMBER: SELLER.vat_number,
  INVOICE_SELLER_ADDRESS: SELLER.address,
};

const FILES = {
  'numbers.csv': 'number,type\n+966135550000-+966135550009,geographic\n+966135550020,\n',
  'faulty.csv': 'number\n+966135550100\nnothing\n',
  'trunk-rates.csv': 'prefix,per_minute_sar\n+9665,0.045\n966,0.1\n',
  'faulty-trunk-rates.csv': 'prefix,per_minute_sar\n9665,free\nx,1\n966,1\n+966,2\n',
  'rates.csv': 'direction,kind,prefix,per_minute_sar,monthly_sar\noutbound,,966,0.075,\nnumber,,96611,,12.5\n',
};

/** What a command printed, without what differs between two installations. */
export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly file?: string;
}

/** An installation with something of everything, and the command on it: on its database, or over its routes. */
export class Side {
  readonly #names: Map<string, string>;
  readonly #anonymizer = new Anonymizer();

  private constructor(
    private readonly database: TestDatabase,
    readonly stage: AdministrationStage,
    readonly command: HatifCommand,
    private readonly more: readonly string[],
    kept: Readonly<Record<string, string>>,
  ) {
    this.#names = new Map(Object.entries(kept));
  }

  static async open(how: 'database' | 'http'): Promise<Side> {
    const database = await testDatabase();
    const stage = await AdministrationStage.open(database, [], SETTINGS);
    await stage.setUp();
    const { scriptTokens } = stage.administration;
    const { token } = await scriptTokens.create({ email: ADMINISTRATOR.email, name: 'remote', expiresAt: null });
    const command = await HatifCommand.over(database.url, {
      ...{ HATIF_SECRET: STAGE_SECRET, RECORDING_DIR: stage.folder },
      ...(how === 'http' ? { HATIF_ADMIN_TOKEN: token } : SETTINGS),
    });
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(command.dataDir, name), text);
    const kept = { dir: command.dataDir, ...(await fill(database, stage)) };
    // What the requests of the set-up wrote is written now, not between two commands.
    await stage.api.audit.flush();
    const more = how === 'http' ? ['--url', stage.api.url] : [];
    return new Side(database, stage, command, more, kept);
  }

  /** Runs a step, as text and as JSON if it changes nothing. */
  async run({ line, keep, input = '', reads, writes }: Step): Promise<Printed[]> {
    const words = line.split(' ').map((word) => word.replace(/\$(\w+)/g, (_, name: string) => this.#value(name)));
    const forms = reads ? [[], ['--json']] : keep ? [['--json']] : [[]];
    const printed: Printed[] = [];
    for (const form of forms) {
      // Options come first: what follows `--` is an argument.
      const ran = await this.command.run([...form, ...this.more, ...words], { input });
      if (keep && form.length > 0) this.#keep(keep, ran.stdout);
      const file = writes === undefined ? {} : { file: await this.#file(writes) };
      const stdout = form.length > 0 ? inOrder(ran.stdout) : ran.stdout;
      printed.push({ code: ran.code, stdout: this.#common(stdout), stderr: this.#common(ran.stderr), ...file });
    }
    return printed;
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.command.close();
    await this.database.close();
  }

  #value(name: string): string {
    const value = this.#names.get(name);
    if (value === undefined) throw new Error(`no step keeps $${name}`);
    return value;
  }

  #keep(wanted: NonNullable<Step['keep']>, json: string): void {
    for (const [name, path] of Object.entries(wanted)) {
      let value: unknown = JSON.parse(json);
      for (const part of path.split('.')) value = (value as Readonly<Record<string, unknown>>)[part];
      this.#names.set(name, String(value));
    }
  }

  #common(text: string): string {
    return this.#anonymizer.common(text, this.#names);
  }

  async #file(name: string): Promise<string> {
    return this.#common(await readFile(join(this.command.dataDir, name), 'latin1').catch(() => 'none'));
  }
}

/** The JSON with its members in order: the order of members means nothing. Any other text stays as it is. */
function inOrder(text: string): string {
  try {
    return JSON.stringify(
      JSON.parse(text),
      (_, value: unknown) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
        return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
      },
      2,
    );
  } catch {
    return text;
  }
}

/** Fills the installation. @returns names of what steps need */
async function fill({ db }: TestDatabase, stage: AdministrationStage): Promise<Record<string, string>> {
  const ground = await groundIn(db);
  const { organizationId, projectId } = ground;
  const owner = { projectId, organizationId, sandbox: false };
  const queues = queueParts(db);
  await queues.queues.create({ projectId, organizationId }, QUEUE);
  await queues.coordinator.stop();
  const lastMonth = new Date(`${riyadhDay(new Date()).slice(0, 7)}-01T00:00:00+03:00`).getTime() - 24 * HOUR_MS;
  await stage.billing.reportedUsage.add(
    { organizationId, projectId },
    { eventId: newId(), type: 'sms', quantity: 2, unitPrice: 1_000_000, occurredAt: new Date(lastMonth) },
  );
  await fillStrangers(db);
  return {
    project: projectId,
    month: riyadhDay(new Date(lastMonth)).slice(0, 7),
    ...(await fillTraffic(db, ground)),
    ...(await fillReviews(stage, owner)),
    ...(await fillPayments(stage, ground)),
  };
}

async function fillTraffic(db: TestDatabase['db'], ground: Ground): Promise<Record<string, string>> {
  const { organizationId, projectId, engineId } = ground;
  const [row, endpoint] = [callRow(ground, { status: 'ended', ended_at: new Date() }), endpointRow(ground)];
  const event = eventOf(row, { type: 'call.initiated' });
  const [recording, delivery, block] = [recordingRow(row), newId(), newId()];
  await insertRows(db, 'calls', [row]);
  await insertRows(db, 'call_timeline', [timelineRow(row.id)]);
  await insertRows(db, 'recordings', [recording]);
  await insertRows(db, 'webhook_endpoints', [endpoint]);
  await insertRows(db, 'events', [event]);
  await db.query(
    `INSERT INTO webhook_deliveries
       (id, event_id, endpoint_id, lane, project_id, call_id, sequence, status, attempts, next_attempt_at, last_error)
     VALUES ($1, $2, $3::uuid, $3::uuid::text, $4, $5, 1, 'dead', 9, now(), 'http_503')`,
    [delivery, event.id, endpoint.id, projectId, row.id],
  );
  await db.query(
    `INSERT INTO webhook_attempts (id, delivery_id, at, status_code, error, duration_ms) VALUES ($1, $2, now(), 503, NULL, 12)`,
    [newId(), delivery],
  );
  await insertRows(db, 'refused_calls', [
    {
      ...{ id: newId(), engine_id: engineId, hour: new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS) },
      ...{ reason: 'unknown_number', source: 'inside', source_id: '', dialled: '+966112223344' },
      ...{ caller_masked: '+96650••••17', q850: 1, calls: 2, first_at: new Date(), last_at: new Date() },
    },
  ]);
  const of = { id: block, organization_id: organizationId, project_id: projectId, agent: null };
  await db.transaction((tx) =>
    new FraudGuardTable(db).block(tx, {
      ...of,
      ...{ rule: 'minutes_per_day', at_most: 3600, number_masked: '+44207••••00', blocked_at: new Date() },
      ...{ released_at: null, released_by_key: null, ends_calls: null, calls_ended_at: null },
    }),
  );
  return { call: row.id, recording: recording.id, endpoint: endpoint.id, delivery, block };
}

async function fillStrangers(db: TestDatabase['db']): Promise<void> {
  const lockouts = new SipLockouts(db);
  await lockouts.lock({ kind: 'address', subject: '203.0.113.9', reason: 'scanner' }, 3600, 3600);
  await lockouts.lock({ kind: 'user', subject: '1001', reason: 'password' }, 3600, 3600);
  // Two lockouts of one millisecond are listed in another order.
  await db.query(`UPDATE sip_lockouts SET locked_at = locked_at - interval '1 minute' WHERE kind = 'address'`);
  const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
  const counted = {
    reason: 'scanner',
    source: '203.0.113.9',
    country: 'SA',
    requests: 7,
    last_at: new Date(),
  } as const;
  await new SipRefusals(db).add([{ hour, ...counted }]);
}

async function fillReviews(
  stage: AdministrationStage,
  owner: { readonly projectId: string; readonly organizationId: string; readonly sandbox: boolean },
): Promise<Record<string, string>> {
  const { brands, numbering } = stage.management;
  const { porting, documents } = numbering;
  const brand = async (name_en: string, name_ar: string): Promise<string> => {
    const { id } = await brands.create({ name_en, name_ar }, { ...owner, keyId: newId(), requestId: 'r' });
    await brands.submit({ projectId: owner.projectId, sandboxOnly: false }, id);
    return id;
  };
  const request = async (number: string): Promise<string> => {
    const details = { numbers: [number], carrier: 'Other', account_name: 'Reem' };
    const made = await porting.create({ ...details, account_number: null, notes: null, wanted_at: null }, owner);
    await porting.addDocument(owner, made.id, 'authorization', { bytes: PDF, name: 'my letter.pdf' });
    await porting.submit(owner, made.id);
    return made.id;
  };
  const sender = newId();
  await stage.stores.messageSenders.create({
    ...{ id: sender, organization_id: owner.organizationId, project_id: owner.projectId, sandbox: false },
    ...{ channel: 'sms', sender: 'ZUMURRUD', status: 'pending', rejection_reason: null, created_by_key: newId() },
    ...{ request_id: 'r', created_at: stage.clock.now(), decided_at: null },
  });
  const claim = async (e164: string): Promise<string> => {
    const at = stage.clock.now();
    const row: OwnNumberClaimRow = {
      ...{ id: newId(), organization_id: owner.organizationId, project_id: owner.projectId, sandbox: false, e164 },
      ...{ method: 'letter', status: 'pending', code_id: null, reason: null, number_id: null },
      ...{ expires_at: new Date(at.getTime() + 24 * HOUR_MS), created_at: at, decided_at: null },
    };
    await stage.stores.ownNumberClaims.insert(row);
    await documents.add({ claim_id: row.id }, 'authorization', { bytes: PDF, name: 'claim.pdf' });
    return row.id;
  };
  return {
    sender,
    brand: await brand('Good Shop', 'متجر جيد'),
    other: await brand('Other Shop', 'متجر آخر'),
    porting: await request('+966135570001'),
    ported: await request('+966135570002'),
    claim: await claim('+966135580001'),
    claimed: await claim('+966135580002'),
  };
}

async function fillPayments(stage: AdministrationStage, ground: Ground): Promise<Record<string, string>> {
  const begin = async (): Promise<string> => {
    const payer = { ...ground, keyId: newId(), requestId: newId() };
    const wanted = { of: { amount: 100_000_000 }, method: 'bank_transfer', returnUrl: null } as const;
    return (await stage.paying.payments.create(wanted, payer)).reference;
  };
  return { payment: await begin(), wrong: await begin(), refused: await begin() };
}
