import { expect } from 'chai';

import { CallWriter, type CallEffect } from '../../core/data/call-writer.js';
import { DatabaseUnavailable, FencedError, FinalCallError, StaleCallError } from '../../core/data/errors.js';
import type { CallRow, DeliveryRow, EventRow } from '../../core/data/rows.js';
import { CALL_STATUSES, isFinal, type CallStatus } from '../../core/model/call.js';
import { newId } from '../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { failureOf } from '../support/failure-of.js';
import {
  callRow,
  chargeOf,
  effectOf,
  endpointRow,
  engineRow,
  eventOf,
  groundIn,
  insertRows,
  legRow,
  placedOf,
  timelineRow,
  type Ground,
} from '../support/rows.js';

const EMPTY = { calls: 0, legs: 0, events: 0, charges: 0, call_timeline: 0, webhook_deliveries: 0 };

describe('the call writer', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let writer: CallWriter;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    writer = new CallWriter(database.db);
    ground = await groundIn(database.db);
  });
  afterEach(() => writer.idle());

  const query = <Row extends object>(sql: string, ...values: unknown[]) => database.db.query<Row>(sql, values);
  const stored = async (id: string) => (await query<CallRow>('SELECT * FROM calls WHERE id = $1', id))[0];
  const eventsOf = (id: string) => query<EventRow>('SELECT * FROM events WHERE call_id = $1 ORDER BY sequence', id);
  const deliveriesOf = (id: string) =>
    query<DeliveryRow>('SELECT * FROM webhook_deliveries WHERE call_id = $1 ORDER BY lane, sequence', id);
  const setEpoch = (epoch: number) => query('UPDATE engines SET epoch = $2 WHERE id = $1', ground.engineId, epoch);
  async function countOf(callId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of Object.keys(EMPTY)) {
      const column = table === 'calls' ? 'id' : 'call_id';
      const [row] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM ${table} WHERE ${column} = $1`,
        callId,
      );
      counts[table] = row!.count;
    }
    return counts;
  }
  /** Resolves once a statement waits for a lock; in other words once what was just sent is held up. */
  async function somebodyWaits(): Promise<number> {
    for (;;) {
      const [row] = await query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (row) return row.pid;
    }
  }
  function fullEffect(call: CallRow): CallEffect {
    const leg = legRow(call.id, { status: 'ended' });
    return effectOf(call, { legs: [leg], charges: [chargeOf(leg, call)], timeline: [timelineRow(call.id)] });
  }

  describe('writing', () => {
    it('writes every row of an effect as it was given', async () => {
      const call = callRow(ground, {
        metadata: { name: 'سارة', quote: `'"\\` },
        answered_at: new Date(1_700_000_000_123),
      });
      const effect = fullEffect(call);
      await writer.commit(effect);
      expect(await stored(call.id)).to.deep.equal(call);
      expect(await query('SELECT * FROM legs WHERE call_id = $1', call.id)).to.deep.equal(effect.legs);
      expect(await eventsOf(call.id)).to.deep.equal(effect.events);
      expect(await query('SELECT * FROM charges WHERE call_id = $1', call.id)).to.deep.equal(effect.charges);
      expect(await query('SELECT * FROM call_timeline WHERE call_id = $1', call.id)).to.deep.equal(effect.timeline);
    });

    it('updates every column that a call may change, and none that it may not', async () => {
      const call = callRow(ground);
      await writer.commit(effectOf(call));
      const id = newId();
      const changes: Partial<CallRow> = {
        status: 'ended',
        customer_number: '+966500000009',
        line_number: null,
        caller_id_number: null,
        caller_id_name: 'Name',
        queue_id: id,
        served_queue_id: id,
        agent: '101',
        callflow_id: id,
        conference_id: id,
        on_hold: true,
        muted: true,
        recording: true,
        recording_available: true,
        disposition: 'answered',
        hangup_q850: 16,
        hangup_sip_code: 200,
        hangup_text: 'Normal call clearing',
        queued_seconds: 3,
        metadata: {},
        webhook_url: 'https://example.com/hook',
        program: { type: 'play' },
        options: { ...call.options, record: true },
        last_sequence: 2,
        originating_at: new Date(1),
        ringing_at: new Date(2),
        answered_at: new Date(3),
        ended_at: new Date(4),
      };
      const other = await groundIn(database.db);
      const fixed: Partial<CallRow> = {
        organization_id: other.organizationId,
        project_id: other.projectId,
        sandbox: true,
        kind: 'inbound',
        direction: 'inbound',
        created_by_key: newId(),
        request_id: 'other',
        created_at: new Date(0),
      };
      const changed = { ...call, ...changes };
      await writer.commit(effectOf({ ...changed, ...fixed }, { events: [eventOf(changed)] }));
      expect(await stored(call.id)).to.deep.equal(changed);
      expect(Object.keys({ ...changes, ...fixed, id, engine_id: 1, epoch: 1 }).sort()).to.deep.equal(
        Object.keys(call).sort(),
      );
    });

    it('moves a leg on, and leaves an ended leg ended', async () => {
      const call = callRow(ground);
      const leg = legRow(call.id);
      const ended = { ...leg, status: 'ended' as const, ended_at: new Date(), hangup_q850: 17 };
      await writer.commit(effectOf(call, { legs: [leg] }));
      await writer.commit(effectOf({ ...call, last_sequence: 2 }, { legs: [ended] }));
      await writer.commit(effectOf({ ...call, last_sequence: 3 }, { legs: [{ ...leg, status: 'answered' }] }));
      expect(await query('SELECT * FROM legs WHERE call_id = $1', call.id)).to.deep.equal([ended]);
    });

    it('resolves and changes nothing when a committed effect comes again', async () => {
      await insertRows(database.db, 'webhook_endpoints', [endpointRow(ground)]);
      const effect = fullEffect(callRow(ground, { status: 'missed' }));
      await writer.commit(effect);
      const before = await countOf(effect.call.id);
      await writer.commit(effect);
      expect(await countOf(effect.call.id)).to.deep.equal(before);
      expect(before).to.deep.equal({
        calls: 1,
        legs: 1,
        events: 1,
        charges: 1,
        call_timeline: 1,
        webhook_deliveries: 1,
      });
    });

    it('writes events that come after the end, such as of a recording', async () => {
      const call = callRow(ground, { status: 'ended' });
      await writer.commit(effectOf(call));
      const later = { ...call, recording_available: true, last_sequence: 2 };
      await writer.commit(effectOf(later, { events: [eventOf(later, { type: 'call.recording_ready' })] }));
      expect((await stored(call.id))?.recording_available).to.equal(true);
      expect((await eventsOf(call.id)).map(({ type }) => type)).to.deep.equal(['call.ended', 'call.recording_ready']);
    });
  });

  describe('the fence', () => {
    for (const [name, epoch] of [
      ['an older', 4],
      ['a newer', 6],
    ] as const) {
      it(`writes nothing at all for a new call with ${name} epoch`, async () => {
        await setEpoch(5);
        await insertRows(database.db, 'webhook_endpoints', [endpointRow(ground)]);
        const effect = fullEffect(callRow(ground, { epoch, webhook_url: 'https://example.com/own' }));
        expect(await failureOf(writer.commit(effect))).to.be.instanceOf(FencedError);
        expect(await countOf(effect.call.id)).to.deep.equal(EMPTY);
      });
    }

    it('writes nothing at all to a known call once the engine has another owner', async () => {
      const call = callRow(ground);
      await writer.commit(effectOf(call));
      const before = [await stored(call.id), await countOf(call.id)];
      await setEpoch(2);
      const late = fullEffect({ ...call, status: 'answered', last_sequence: 2 });
      expect(await failureOf(writer.commit(late)))
        .to.be.instanceOf(FencedError)
        .with.property('callId', call.id);
      expect([await stored(call.id), await countOf(call.id)]).to.deep.equal(before);
    });

    it('writes nothing for an engine that is not known, nor to a call of another engine', async () => {
      const unknown = callRow(ground, { engine_id: newId() });
      expect(await failureOf(writer.commit(effectOf(unknown)))).to.be.instanceOf(FencedError);
      const call = callRow(ground);
      await writer.commit(effectOf(call));
      const other = engineRow({ name: `other-${call.id}` });
      await insertRows(database.db, 'engines', [other]);
      const foreign = effectOf({ ...call, engine_id: other.id, last_sequence: 2 });
      expect(await failureOf(writer.commit(foreign))).to.be.instanceOf(FencedError);
      expect(await stored(call.id)).to.deep.equal(call);
      expect(await eventsOf(call.id)).to.have.length(1);
    });

    it('stops only the fenced calls of a batch', async () => {
      const other = engineRow({ name: `other-${ground.engineId}`, epoch: 9 });
      await insertRows(database.db, 'engines', [other]);
      const good = effectOf(callRow(ground));
      const fenced = effectOf(callRow(ground, { engine_id: other.id, epoch: 8 }));
      const [first, second] = await Promise.all([failureOf(writer.commit(good)), failureOf(writer.commit(fenced))]);
      expect(first).to.equal(null);
      expect(second).to.be.instanceOf(FencedError);
      expect(await countOf(fenced.call.id)).to.deep.equal(EMPTY);
      expect(await stored(good.call.id)).to.deep.equal(good.call);
    });

    it('waits for a takeover that is under way, and then sees its epoch', async () => {
      const call = callRow(ground);
      await writer.commit(effectOf(call));
      let failure: Promise<unknown> | undefined;
      await database.db.transaction(async (tx) => {
        await tx.query('UPDATE engines SET epoch = 2 WHERE id = $1', [ground.engineId]);
        failure = failureOf(writer.commit(effectOf({ ...call, status: 'answered', last_sequence: 2 })));
        await somebodyWaits();
      });
      expect(await failure).to.be.instanceOf(FencedError);
      expect(await stored(call.id)).to.deep.equal(call);
    });
  });

  describe('what never changes', () => {
    it('keeps each final status, whatever comes later', async () => {
      for (const final of CALL_STATUSES.filter(isFinal)) {
        const call = callRow(ground, { status: final });
        await writer.commit(effectOf(call));
        for (const status of CALL_STATUSES.filter((other): other is CallStatus => other !== final)) {
          const later = { ...call, status, last_sequence: 2 };
          const failure = await failureOf(writer.commit(effectOf(later, { timeline: [timelineRow(call.id)] })));
          expect(failure, `${final} to ${status}`).to.be.instanceOf(FinalCallError);
        }
        expect(await stored(call.id)).to.deep.equal(call);
        expect(await countOf(call.id)).to.deep.equal({ ...EMPTY, calls: 1, events: 1 });
      }
    });

    it('never lowers the last sequence', async () => {
      const call = callRow(ground, { last_sequence: 3 });
      await writer.commit(effectOf(call));
      const older = effectOf({ ...call, status: 'ringing', last_sequence: 2 });
      expect(await failureOf(writer.commit(older))).to.be.instanceOf(StaleCallError);
      expect(await stored(call.id)).to.deep.equal(call);
      expect(await eventsOf(call.id)).to.have.length(1);
    });

    it('refuses a second event with a sequence that the call has, without harm to its neighbours', async () => {
      const call = callRow(ground);
      await writer.commit(effectOf(call));
      const twice = effectOf({ ...call, status: 'ringing' });
      const neighbours = Array.from({ length: 5 }, () => effectOf(callRow(ground)));
      const results = await Promise.all([twice, ...neighbours].map((effect) => failureOf(writer.commit(effect))));
      expect(results[0]).to.be.an('error').with.property('constraint', 'events_sequence');
      expect(results.slice(1)).to.deep.equal([null, null, null, null, null]);
      expect(await stored(call.id)).to.deep.equal(call);
      for (const { call: other } of neighbours) expect(await stored(other.id)).to.deep.equal(other);
    });

    it('keeps the first charge of a leg, and the database refuses to change or delete any', async () => {
      const effect = fullEffect(callRow(ground));
      await writer.commit(effect);
      const again = chargeOf(effect.legs[0]!, effect.call, { seconds: 999 });
      await writer.commit(effectOf({ ...effect.call, last_sequence: 2 }, { charges: [again] }));
      const charges = () => query('SELECT * FROM charges WHERE call_id = $1', effect.call.id);
      expect(await charges()).to.deep.equal(effect.charges);
      for (const sql of [
        'UPDATE charges SET seconds = 0',
        'DELETE FROM charges',
        'TRUNCATE charges',
        'DELETE FROM legs',
      ]) {
        expect(await failureOf(database.db.query(sql)), sql).to.be.an('error');
      }
      expect(await charges()).to.deep.equal(effect.charges);
    });
  });

  describe('order', () => {
    it('writes the steps of one call one after another in the order in which they came', async () => {
      const calls = Array.from({ length: 20 }, () => callRow(ground));
      const path: CallStatus[] = ['initiated', 'ringing', 'answered', 'ended'];
      const done: string[] = [];
      // All at once, nobody waits for the step before.
      await Promise.all(
        path.flatMap((status, step) =>
          calls.map(async (call) => {
            await writer.commit(effectOf({ ...call, status, last_sequence: step + 1 }));
            done.push(`${call.id} ${status}`);
          }),
        ),
      );
      for (const call of calls) {
        expect((await stored(call.id))?.status).to.equal('ended');
        expect((await eventsOf(call.id)).map(({ type }) => type)).to.deep.equal(path.map((status) => `call.${status}`));
        expect(done.filter((line) => line.startsWith(call.id))).to.deep.equal(
          path.map((status) => `${call.id} ${status}`),
        );
      }
    });

    it('writes more than a batch holds', async () => {
      const small = new CallWriter(database.db, { maxBatch: 7 });
      const effects = Array.from({ length: 50 }, () => effectOf(callRow(ground)));
      await Promise.all(effects.map((effect) => small.commit(effect)));
      const [row] = await query<{ count: number }>(
        'SELECT count(*) AS count FROM calls WHERE project_id = $1',
        ground.projectId,
      );
      expect(row?.count).to.equal(50);
    });

    it('goes on with what comes right after a commit', async () => {
      let call = callRow(ground, { last_sequence: 0 });
      for (let sequence = 1; sequence <= 20; sequence += 1) {
        call = { ...call, last_sequence: sequence };
        await writer.commit(effectOf(call));
      }
      expect(await eventsOf(call.id)).to.have.length(20);
    });
  });

  describe('deliveries', () => {
    it('makes none where nobody listens', async () => {
      await insertRows(database.db, 'webhook_endpoints', [
        endpointRow(ground, { status: 'disabled' }),
        endpointRow(ground, { events: ['conference.*', 'call.ended'] }),
        endpointRow(await groundIn(database.db)),
      ]);
      const effect = effectOf(callRow(ground));
      await writer.commit(effect);
      expect(await deliveriesOf(effect.call.id)).to.deep.equal([]);
    });

    it('makes one for each endpoint whose patterns match, and for the receiver of the call itself', async () => {
      const matching = [['*'], ['call.*'], ['conference.*', 'call.initiated']] as const;
      const endpoints = matching.map((events) => endpointRow(ground, { events }));
      await insertRows(database.db, 'webhook_endpoints', [
        ...endpoints,
        endpointRow(ground, { events: ['call.answered'] }),
      ]);
      const url = 'https://example.com/own';
      const effect = effectOf(callRow(ground, { webhook_url: url }));
      const lanes: string[] = [];
      const stop = writer.onLanes((some) => lanes.push(...some));
      await writer.commit(effect);
      const rows = await deliveriesOf(effect.call.id);
      const expected = [...endpoints.map(({ id }) => id), `call:${effect.call.id}`].sort();
      expect(rows.map(({ lane }) => lane)).to.deep.equal(expected);
      expect([...lanes].sort()).to.deep.equal(expected);
      for (const row of rows) {
        const own = row.endpoint_id === null;
        expect(row).to.include({
          event_id: effect.events[0]!.id,
          lane: own ? `call:${effect.call.id}` : row.endpoint_id,
          url: own ? url : null,
          project_id: ground.projectId,
          sequence: 1,
          status: 'pending',
          attempts: 0,
          locked_until: null,
        });
      }
      stop();
      await writer.commit(effectOf({ ...effect.call, last_sequence: 2 }));
      expect(lanes, 'after the listener left').to.have.length(expected.length);
    });

    it('makes them in the order of the events', async () => {
      await insertRows(database.db, 'webhook_endpoints', [endpointRow(ground)]);
      const call = callRow(ground, { last_sequence: 3 });
      const events = [1, 2, 3].map((sequence) => eventOf(call, { sequence }));
      await writer.commit(effectOf(call, { events }));
      const rows = await query<{ sequence: number }>(
        'SELECT sequence FROM webhook_deliveries WHERE call_id = $1 ORDER BY id',
        call.id,
      );
      expect(rows.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3]);
    });

    it('records an event that belongs to no call, once, with its deliveries', async () => {
      const endpoint = endpointRow(ground, { events: ['number.*'] });
      await insertRows(database.db, 'webhook_endpoints', [endpoint]);
      const event: EventRow = {
        ...eventOf(callRow(ground)),
        call_id: null,
        sequence: null,
        type: 'number.assigned',
        data: { number: '+966112345678' },
      };
      const lanes: string[] = [];
      writer.onLanes((some) => lanes.push(...some));
      await writer.recordEvent(event);
      await writer.recordEvent(event);
      expect(lanes).to.deep.equal([endpoint.id]);
      expect(await query('SELECT * FROM events WHERE id = $1', event.id)).to.deep.equal([event]);
      const rows = await query<DeliveryRow>('SELECT * FROM webhook_deliveries WHERE event_id = $1', event.id);
      expect(rows.map(({ lane, call_id }) => ({ lane, call_id }))).to.deep.equal([
        { lane: endpoint.id, call_id: null },
      ]);
    });
  });

  describe('a placed call', () => {
    it('takes the epoch that the engine has', async () => {
      await setEpoch(7);
      const effect = placedOf(callRow(ground, { epoch: 0 }));
      await writer.insertPlaced(effect);
      expect(await stored(effect.call.id)).to.deep.equal({ ...effect.call, epoch: 7 });
      expect(await countOf(effect.call.id)).to.deep.equal({ ...EMPTY, calls: 1, legs: 1, events: 1 });
    });

    it('is not touched when it is placed again after its owner went on with it', async () => {
      const effect = placedOf(callRow(ground));
      await writer.insertPlaced(effect);
      const answered = { ...effect.call, status: 'answered' as const, program: { type: 'on' }, last_sequence: 1 };
      await writer.commit(effectOf(answered, { events: [] }));
      await writer.insertPlaced(effect);
      expect(await stored(effect.call.id)).to.deep.equal(answered);
      expect(await eventsOf(effect.call.id)).to.have.length(1);
    });

    it('is refused for an engine that does not exist', async () => {
      const effect = placedOf(callRow(ground, { engine_id: newId() }));
      expect(await failureOf(writer.insertPlaced(effect))).to.be.instanceOf(FencedError);
      expect(await countOf(effect.call.id)).to.deep.equal(EMPTY);
    });
  });

  describe('a lost database', () => {
    it('refuses the batch and the later steps of its calls, and takes the repeat', async () => {
      const call = callRow(ground);
      const first = effectOf(call);
      const second = effectOf({ ...call, status: 'ringing', last_sequence: 2 });
      let failures: Promise<unknown[]> | undefined;
      await database.db.transaction(async (tx) => {
        // Holds the statement up, so that it is surely under way when its connection dies.
        await tx.query('SELECT 1 FROM engines WHERE id = $1 FOR UPDATE', [ground.engineId]);
        failures = Promise.all([first, second].map((effect) => failureOf(writer.commit(effect))));
        await query('SELECT pg_terminate_backend($1)', await somebodyWaits());
        await failures;
      });
      const [one, two] = (await failures) ?? [];
      expect(one).to.be.instanceOf(DatabaseUnavailable);
      expect(two).to.be.instanceOf(DatabaseUnavailable);
      expect(await countOf(call.id)).to.deep.equal(EMPTY);
      await Promise.all([writer.commit(first), writer.commit(second)]);
      expect((await eventsOf(call.id)).map(({ sequence }) => sequence)).to.deep.equal([1, 2]);
    });
  });
});
