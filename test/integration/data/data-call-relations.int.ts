import { expect } from 'chai';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { CALL_STATUSES, isFinal } from '../../../core/model/call/call.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import {
  callRow,
  endpointRow,
  eventOf,
  groundIn,
  insertRows,
  legRow,
  timelineRow,
  type Ground,
} from '../../support/rows/rows.js';

const T0 = Date.UTC(2026, 0, 1);

describe('the calls', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let calls: Calls;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    calls = new Calls(database.db);
    ground = await groundIn(database.db);
  });
  after(() => database.close());

  describe('related rows', () => {
    it('are their legs, in order of creation', async () => {
      const [a, b, c] = [callRow(ground), callRow(ground), callRow(ground)];
      await insertRows(database.db, 'calls', [a, b, c]);
      const legs = [legRow(a.id), legRow(b.id, { role: 'agent' }), legRow(a.id, { role: 'agent' }), legRow(c.id)];
      await insertRows(database.db, 'legs', [...legs].reverse());
      expect(await calls.legsOf([b.id, a.id])).to.deep.equal([legs[0], legs[2], legs[1]]);
      expect(await calls.legsOf([])).to.deep.equal([]);
    });

    it('are an engine’s live calls, and calls with a live leg', async () => {
      const own = await groundIn(database.db);
      const rows = CALL_STATUSES.map((status) => callRow(own, { status }));
      const foreign = callRow(ground, { status: 'ended' });
      await insertRows(database.db, 'calls', [...rows, foreign]);
      const left = rows.find(({ status }) => status === 'failed')!;
      const gone = rows.find(({ status }) => status === 'missed')!;
      await insertRows(database.db, 'legs', [
        legRow(left.id, { status: 'ringing' }),
        legRow(left.id),
        legRow(gone.id, { status: 'ended' }),
        legRow(foreign.id),
      ]);
      expect(await calls.unfinished(own.engineId)).to.deep.equal(
        rows.filter((call) => !isFinal(call.status) || call === left),
      );
    });

    it('are an engine’s outbound calls that were inserted but not originated', async () => {
      const own = await groundIn(database.db);
      const placed = [callRow(own), callRow(own)];
      await insertRows(database.db, 'calls', [
        ...placed,
        callRow(own, { originating_at: new Date() }),
        callRow(own, { status: 'cancelled' }),
        callRow(own, { direction: 'inbound', kind: 'inbound' }),
        callRow(ground),
      ]);
      expect(await calls.unplaced(own.engineId)).to.deep.equal(placed.map(({ id }) => id));
    });

    it('are their timelines: steps, events and webhook attempts in order of time', async () => {
      const call = callRow(ground);
      const other = callRow(ground);
      await insertRows(database.db, 'calls', [call, other]);
      const at = (ms: number) => new Date(T0 + ms);
      const steps = [
        timelineRow(call.id, { at: at(20), type: 'leg.ringing', data: { leg: 'customer' } }),
        timelineRow(call.id, { at: at(5), type: 'leg.created' }),
      ];
      await insertRows(database.db, 'call_timeline', [...steps, timelineRow(other.id, { at: at(6) })]);
      const events = [
        eventOf(call, { sequence: 2, created_at: at(20), type: 'call.ringing' }),
        eventOf(call, { sequence: 1, created_at: at(10) }),
      ];
      await insertRows(database.db, 'events', [...events, eventOf(other)]);
      const endpoint = endpointRow(ground);
      await insertRows(database.db, 'webhook_endpoints', [endpoint]);
      const delivery = {
        id: newId(),
        event_id: events[1]!.id,
        endpoint_id: endpoint.id,
        lane: endpoint.id,
        project_id: call.project_id,
        call_id: call.id,
        sequence: 1,
        status: 'delivered',
        attempts: 2,
        next_attempt_at: at(0),
        created_at: at(0),
      };
      await insertRows(database.db, 'webhook_deliveries', [delivery]);
      const attempts = [
        { id: newId(), delivery_id: delivery.id, at: at(15), status_code: 500, error: 'status 500', duration_ms: 3 },
        { id: newId(), delivery_id: delivery.id, at: at(30), status_code: 204, error: null, duration_ms: 4 },
      ];
      await insertRows(database.db, 'webhook_attempts', attempts);
      const entries = await timelineOf(database.db, call.id);
      expect(
        entries.map(({ at: time, source, type, sequence }) => [time.getTime() - T0, source, type, sequence]),
      ).to.deep.equal([
        [5, 'call', 'leg.created', null],
        [10, 'event', 'call.initiated', 1],
        [15, 'webhook', 'webhook.failed', 1],
        [20, 'call', 'leg.ringing', null],
        [20, 'event', 'call.ringing', 2],
        [30, 'webhook', 'webhook.delivered', 1],
      ]);
      expect(entries[1]).to.deep.include({ id: events[1]!.id, data: events[1]!.data });
      expect(entries[3]).to.deep.include({ id: steps[0]!.id, data: { leg: 'customer' } });
      expect(entries[2]?.data).to.deep.equal({
        event_id: events[1]!.id,
        event_type: 'call.initiated',
        endpoint_id: endpoint.id,
        status_code: 500,
        error: 'status 500',
        duration_ms: 3,
      });
    });
  });
});
