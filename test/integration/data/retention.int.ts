import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Queryable } from '../../../core/data/database.js';
import { newId } from '../../../core/model/ids.js';
import type { CallRow } from '../../../core/data/rows.js';
import { systemClock } from '../../../core/ports/clock.js';
import { AuditChain } from '../../../core/services/audit/chain.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { Retention, type RetentionRules } from '../../../core/services/retention/retention.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { runOften } from '../../support/periodic.js';
import { quiet } from '../../support/logger.js';
import { callRow, eventOf, groundIn, insertRows, legRow, type Ground } from '../../support/rows/rows.js';

const DAY_MS = 86_400_000;
const RULES: RetentionRules = {
  ...{ eventsDays: 30, timelineDays: 90, auditDays: 365, verificationsDays: 90 },
  ...{ messagesDays: 365, refusedCallsDays: 30 },
};

/** An id created at this time. */
function idAt(time: Date): string {
  return v7({ msecs: time.getTime() });
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS);
}

describe('retention', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let ground: Ground;
  let endpointId: string;
  let reported: { deleted: Record<string, number>; finished: Date[] };

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    const { db } = database;
    await db.query(
      `TRUNCATE events, webhook_deliveries, webhook_attempts, call_timeline, idempotency_keys, regular_work, voice_auth_challenges, verifications, verification_attempts`,
    );
    await db.query('DELETE FROM one_time_codes');
    ground = await groundIn(db);
    endpointId = newId();
    await insertRows(db, 'webhook_endpoints', [
      {
        id: endpointId,
        project_id: ground.projectId,
        url: `https://example.com/${endpointId}`,
        events: ['*'],
        secret: 's',
        status: 'enabled',
        created_at: new Date(),
      },
    ]);
    reported = { deleted: {}, finished: [] };
  });

  const retention = (rules: Partial<RetentionRules> = {}, batchRows = 3): Retention =>
    new Retention({
      db: database.db,
      rules: { ...RULES, ...rules },
      observer: {
        deleted: (table, rows) => (reported.deleted[table] = (reported.deleted[table] ?? 0) + rows),
        finished: (at) => reported.finished.push(at),
      },
      audit: chain(),
      clock: systemClock,
      log: quiet,
      batchRows,
    });

  const chain = (): AuditChain =>
    new AuditChain({
      db: database.db,
      cipher: new Cipher('a secret of the tests, long enough for it'),
      clock: systemClock,
    });

  const ids = async (table: string, db: Queryable = database.db): Promise<string[]> =>
    (await db.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }) => id);

  async function call(status: CallRow['status'] = 'ended'): Promise<CallRow> {
    const row = callRow(ground, { status });
    await insertRows(database.db, 'calls', [row]);
    return row;
  }

  /** Inserts an event of that age with one delivery per state, each with one attempt. @returns the event's id */
  async function event(
    days: number,
    states: readonly ('pending' | 'delivered' | 'dead')[] = [],
    of?: CallRow,
  ): Promise<string> {
    const at = daysAgo(days);
    const id = idAt(at);
    const parent = of ?? (await call());
    await insertRows(database.db, 'events', [eventOf(parent, { id, created_at: at, sequence: days + 1 })]);
    for (const status of states) {
      const delivery = idAt(at);
      await insertRows(database.db, 'webhook_deliveries', [
        {
          id: delivery,
          event_id: id,
          endpoint_id: endpointId,
          lane: endpointId,
          project_id: ground.projectId,
          status,
          attempts: 1,
          next_attempt_at: at,
          created_at: at,
        },
      ]);
      await insertRows(database.db, 'webhook_attempts', [
        { id: idAt(at), delivery_id: delivery, at, status_code: 200, duration_ms: 1 },
      ]);
    }
    return id;
  }

  it('deletes exactly the older events with their dependents, in any number of batches', async () => {
    const old = await Promise.all([31, 40, 50, 60, 70, 80, 90].map((days) => event(days, ['delivered', 'dead'])));
    const young = await Promise.all([29, 10, 0].map((days) => event(days, ['delivered', 'dead'])));
    const deleted = await retention().run();
    expect(await ids('events')).to.deep.equal([...young].sort());
    expect(await ids('webhook_deliveries')).to.have.length(6);
    expect(await ids('webhook_attempts')).to.have.length(6);
    expect(deleted).to.deep.equal({ events: old.length, webhook_deliveries: 14 });
    expect(reported.deleted).to.deep.equal(deleted);
  });

  it('deletes older refused calls, except rows to which calls were added later', async () => {
    const refused = async (days: number, lastDays = days): Promise<string> => {
      const [first_at, last_at] = [daysAgo(days), daysAgo(lastDays)];
      const row = { id: idAt(first_at), engine_id: ground.engineId, hour: first_at, first_at, last_at };
      const rest = { reason: 'unknown_number', source: 'inside', source_id: '', dialled: '', q850: 1, calls: 1 };
      await insertRows(database.db, 'refused_calls', [{ ...row, ...rest }]);
      return row.id;
    };
    for (const days of [31, 32, 33, 34]) await refused(days);
    const kept = [await refused(35, 29), await refused(29), await refused(0)];
    expect(await retention().run()).to.deep.equal({ refused_calls: 4 });
    expect(await ids('refused_calls')).to.deep.equal(kept.toSorted());
    await database.db.query('DELETE FROM regular_work');
    expect(await retention({ refusedCallsDays: 0 }).run()).to.deep.equal({});
  });

  it('keeps an event while one of its deliveries is pending or its call is live', async () => {
    const live = await call('answered');
    const kept = [await event(60, ['pending', 'delivered']), await event(61, [], live), await event(62, ['pending'])];
    const gone = [await event(63, ['dead']), await event(64, [])];
    await retention({}, 1).run();
    expect(await ids('events'))
      .to.deep.equal([...kept].sort())
      .and.not.to.include.members(gone);
    const left = await database.db.query<{ status: string }>('SELECT status FROM webhook_deliveries ORDER BY status');
    expect(left.map(({ status }) => status)).to.deep.equal(['delivered', 'pending', 'pending']);
  });

  it('deletes timelines of finished calls, audit rows and expired idempotency keys, each by its own rule', async () => {
    const { db } = database;
    const [over, live] = [await call(), await call('ringing')];
    const entry = (of: CallRow, days: number): object => ({
      id: idAt(daysAgo(days)),
      call_id: of.id,
      at: daysAgo(days),
      type: 'note',
      data: {},
    });
    const entries = [entry(over, 91), entry(over, 89), entry(live, 200)];
    await insertRows(db, 'call_timeline', entries);
    const audit = (days: number): object => ({
      id: idAt(daysAgo(days)),
      request_id: 'r',
      method: 'GET',
      path: '/',
      route: '/',
      status: 200,
      ip: '::1',
      details: {},
      created_at: daysAgo(days),
    });
    await insertRows(db, 'audit_log', [audit(366), audit(400), audit(364)]);
    await chain().run();
    const keyId = newId();
    await insertRows(db, 'api_keys', [
      {
        id: keyId,
        project_id: ground.projectId,
        organization_id: ground.organizationId,
        name: 'k',
        kind: 'live',
        prefix: 'p',
        hash: keyId,
        scopes: [],
        allowed_ips: [],
        created_at: new Date(),
      },
    ]);
    const key = (days: number): object => ({
      key_id: keyId,
      method: 'POST',
      path: '/',
      idempotency_key: newId(),
      body_hmac: 'x',
      state: 'done',
      headers: {},
      created_at: new Date(),
      expires_at: daysAgo(days),
    });
    await insertRows(db, 'idempotency_keys', [key(1), key(2), key(3), key(4), key(-1)]);
    expect(await retention().run()).to.deep.equal({ call_timeline: 1, audit_log: 2, idempotency_keys: 4 });
    expect(await ids('call_timeline')).to.have.length(2);
    expect(await ids('audit_log')).to.have.length(1);
  });

  it('deletes closed verifications with their codes and completed authentication calls, but no pending ones', async () => {
    const { db } = database;
    const code = async (days: number, state: string, purpose = 'verify'): Promise<string> => {
      const at = daysAgo(days);
      const id = idAt(at);
      const isOpen = state === 'pending';
      await insertRows(db, 'one_time_codes', [
        {
          ...{ id, purpose, sandbox: false, length: 6, hash: isOpen ? 'h' : null, state, attempts: 0, max_attempts: 5 },
          ...{ sends: 1, sent_at: at, lifetime_seconds: 300, expires_at: new Date(at.getTime() + 300_000) },
          ...{ late_told: false, created_at: at, closed_at: isOpen ? null : at },
        },
      ]);
      if (purpose !== 'verify') return id;
      await insertRows(db, 'verifications', [
        {
          ...{ id, organization_id: ground.organizationId, project_id: ground.projectId, sandbox: false },
          ...{
            channel: 'sms',
            recipient: '+966501234517',
            language: 'ar',
            created_by_key: newId(),
            request_id: 'r',
            fallback: [],
          },
          created_at: at,
        },
      ]);
      return id;
    };
    const challenge = async (days: number, state: string): Promise<string> => {
      const at = daysAgo(days);
      const id = idAt(at);
      await insertRows(db, 'voice_auth_challenges', [
        {
          ...{ id, organization_id: ground.organizationId, project_id: ground.projectId, sandbox: false },
          ...{ assurance: 'number_match', number: '+966501234517', match_number: '42', language: 'ar', metadata: {} },
          ...{ state, created_by_key: newId(), request_id: 'r', created_at: at, expires_at: at },
          completed_at: state === 'pending' ? null : at,
        },
      ]);
      return id;
    };
    for (const state of ['used', 'spent', 'expired', 'revoked']) await code(91, state);
    const kept = [await code(89, 'used'), await code(91, 'pending')];
    // Not entered in time: its hash is deleted after a minute.
    const late = await code(1, 'pending', 'widget:x');
    for (const state of ['approved', 'denied', 'no_answer']) await challenge(92, state);
    const open = [await challenge(91, 'pending'), await challenge(89, 'denied')];
    expect(await retention().run()).to.deep.equal({ one_time_codes: 4, voice_auth_challenges: 3 });
    expect(await ids('verifications')).to.deep.equal([...kept].sort());
    expect(await ids('voice_auth_challenges')).to.deep.equal([...open].sort());
    const [closed] = await db.query<object>('SELECT state, hash FROM one_time_codes WHERE id = $1', [late]);
    expect(closed).to.deep.equal({ state: 'expired', hash: null });
  });

  it('does not delete calls, legs or charges', async () => {
    const row = await call();
    const leg = legRow(row.id);
    await insertRows(database.db, 'legs', [leg]);
    await event(1_000, ['delivered'], row);
    const before = await ids('calls');
    await retention().run();
    expect(await ids('events')).to.deep.equal([]);
    expect(await ids('calls')).to.deep.equal(before);
    expect(await ids('legs')).to.include(leg.id);
  });

  it('keeps rows without a limit forever', async () => {
    const id = await event(3_000, ['dead']);
    expect(await retention({ eventsDays: 0 }).run()).to.deep.equal({});
    expect(await ids('events')).to.deep.equal([id]);
  });

  it('runs once an hour across all processes', async () => {
    await retention().run();
    await event(60);
    expect(await retention().run(), 'another process').to.equal(null);
    expect(await ids('events')).to.have.length(1);
    expect(reported.finished.at(-1)!.getTime()).to.be.closeTo(Date.now(), 60_000);
    await database.db.query(`UPDATE regular_work SET finished_at = finished_at - interval '61 minutes'`);
    expect(await retention().run()).to.deep.equal({ events: 1 });
  });

  it('runs in one process at a time', async () => {
    for (let days = 40; days < 60; days += 1) await event(days, ['delivered']);
    const results = await Promise.all([retention({}, 1).run(), retention({}, 1).run(), retention({}, 1).run()]);
    expect(results.filter((result) => result !== null)).to.deep.equal([{ events: 20, webhook_deliveries: 20 }]);
  });

  it('runs automatically, and a stop lets the current batch finish', async () => {
    for (let days = 40; days < 45; days += 1) await event(days);
    const stop = runOften(retention({}, 1));
    await eventually(() => (reported.deleted.events ?? 0) > 0, 'the first batch');
    await stop();
    const left = await ids('events');
    expect(left.length + reported.deleted.events!).to.equal(5);
    // The remaining rows are still due.
    await retention().run();
    expect(await ids('events')).to.deep.equal([]);
  });
});
