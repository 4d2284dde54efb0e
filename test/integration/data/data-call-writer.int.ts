import { expect } from 'chai';
import { CallWriter } from '../../../core/data/call-writer.js';
import { FencedError } from '../../../core/data/errors.js';
import type { CallRow, DeliveryRow, EventRow } from '../../../core/data/rows.js';
import type { CallStatus } from '../../../core/model/call/call.js';
import { newId } from '../../../core/model/ids.js';
import { mediaQuality } from '../../../core/model/call/quality.js';
import { failureOf } from '../../support/judges/failure-of.js';
import {
  callRow,
  effectOf,
  endpointRow,
  eventOf,
  groundIn,
  insertRows,
  legRow,
  placedOf,
} from '../../support/rows/rows.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { NOTHING_WRITTEN, writerEach, type WriterStage } from '../../support/stages/writer-stage.js';

describe('the call writer', function () {
  this.timeout(30_000);
  let stage: WriterStage;
  writerEach((made) => (stage = made));

  describe('writing', () => {
    it('writes every row of an effect unchanged', async () => {
      const call = callRow(stage.ground, {
        metadata: { name: 'سارة', quote: `'"\\` },
        answered_at: new Date(1_700_000_000_123),
      });
      const effect = stage.fullEffect(call);
      await stage.writer.commit(effect);
      expect(await stage.stored(call.id)).to.deep.equal(call);
      expect(await stage.query('SELECT * FROM legs WHERE call_id = $1', call.id)).to.deep.equal(effect.legs);
      expect(await stage.eventsOf(call.id)).to.deep.equal(effect.events);
      expect(await stage.query('SELECT * FROM charges WHERE call_id = $1', call.id)).to.deep.equal(effect.charges);
      expect(await stage.query('SELECT * FROM call_timeline WHERE call_id = $1', call.id)).to.deep.equal(
        effect.timeline,
      );
    });

    it('updates every column that a call may change, and none that it may not', async () => {
      const call = callRow(stage.ground);
      await stage.writer.commit(effectOf(call));
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
      const other = await groundIn(stage.db);
      const fixed: Partial<CallRow> = {
        organization_id: other.organizationId,
        project_id: other.projectId,
        sandbox: true,
        system: true,
        kind: 'inbound',
        direction: 'inbound',
        created_by_key: newId(),
        request_id: 'other',
        created_at: new Date(0),
      };
      const changed = { ...call, ...changes };
      await stage.writer.commit(effectOf({ ...changed, ...fixed }, { events: [eventOf(changed)] }));
      expect(await stage.stored(call.id)).to.deep.equal(changed);
      expect(Object.keys({ ...changes, ...fixed, id, engine_id: 1, epoch: 1 }).sort()).to.deep.equal(
        Object.keys(call).sort(),
      );
    });

    it('updates a leg, and leaves an ended leg ended', async () => {
      const call = callRow(stage.ground);
      const leg = legRow(call.id);
      const facts = { codec: 'alaw', packetsSent: 9, packetsReceived: 9, packetsLost: 1 };
      const quality = mediaQuality({ ...facts, jitterMs: 1.5, roundTripMs: null });
      const ended = { ...leg, status: 'ended' as const, ended_at: new Date(), hangup_q850: 17, quality };
      await stage.writer.commit(effectOf(call, { legs: [leg] }));
      await stage.writer.commit(effectOf({ ...call, last_sequence: 2 }, { legs: [ended] }));
      await stage.writer.commit(effectOf({ ...call, last_sequence: 3 }, { legs: [{ ...leg, status: 'answered' }] }));
      expect(await stage.query('SELECT * FROM legs WHERE call_id = $1', call.id)).to.deep.equal([ended]);
    });

    it('resolves and changes nothing when a committed effect is repeated', async () => {
      await insertRows(stage.db, 'webhook_endpoints', [endpointRow(stage.ground)]);
      const effect = stage.fullEffect(callRow(stage.ground, { status: 'missed' }));
      await stage.writer.commit(effect);
      const before = await stage.countOf(effect.call.id);
      await stage.writer.commit(effect);
      expect(await stage.countOf(effect.call.id)).to.deep.equal(before);
      expect(before).to.deep.equal({
        calls: 1,
        legs: 1,
        events: 1,
        charges: 1,
        call_timeline: 1,
        webhook_deliveries: 1,
      });
    });

    it('writes events after the end of a call, such as for a recording', async () => {
      const call = callRow(stage.ground, { status: 'ended' });
      await stage.writer.commit(effectOf(call));
      const later = { ...call, recording_available: true, last_sequence: 2 };
      await stage.writer.commit(effectOf(later, { events: [eventOf(later, { type: 'call.recording_ready' })] }));
      expect((await stage.stored(call.id))?.recording_available).to.equal(true);
      expect((await stage.eventsOf(call.id)).map(({ type }) => type)).to.deep.equal([
        'call.ended',
        'call.recording_ready',
      ]);
    });
  });

  describe('order', () => {
    it('writes the steps of one call one at a time, in order of arrival', async () => {
      const calls = Array.from({ length: 20 }, () => callRow(stage.ground));
      const path: CallStatus[] = ['initiated', 'ringing', 'answered', 'ended'];
      const done: string[] = [];
      // All at once, without waiting for the previous step.
      await Promise.all(
        path.flatMap((status, step) =>
          calls.map(async (call) => {
            await stage.writer.commit(effectOf({ ...call, status, last_sequence: step + 1 }));
            done.push(`${call.id} ${status}`);
          }),
        ),
      );
      for (const call of calls) {
        expect((await stage.stored(call.id))?.status).to.equal('ended');
        expect((await stage.eventsOf(call.id)).map(({ type }) => type)).to.deep.equal(
          path.map((status) => `call.${status}`),
        );
        expect(done.filter((line) => line.startsWith(call.id))).to.deep.equal(
          path.map((status) => `${call.id} ${status}`),
        );
      }
    });

    it('writes more effects than fit in a batch', async () => {
      const small = new CallWriter(stage.db, { maxBatch: 7 });
      const effects = Array.from({ length: 50 }, () => effectOf(callRow(stage.ground)));
      await Promise.all(effects.map((effect) => small.commit(effect)));
      const [row] = await stage.query<{ count: number }>(
        'SELECT count(*) AS count FROM calls WHERE project_id = $1',
        stage.ground.projectId,
      );
      expect(row?.count).to.equal(50);
    });

    it('writes the rows of every effect of a batch, whatever the others have', async () => {
      const live = effectOf(callRow(stage.ground), { timeline: [] });
      const ended = stage.fullEffect(callRow(stage.ground, { status: 'ended' }));
      const recorded = callRow(stage.ground);
      const recording = recordingRow(recorded);
      await Promise.all(
        [live, ended, effectOf(recorded, { recordings: [recording] })].map((effect) => stage.writer.commit(effect)),
      );
      const counts = { ...NOTHING_WRITTEN, calls: 1, events: 1 };
      expect(await stage.countOf(live.call.id)).to.deep.equal(counts);
      expect(await stage.countOf(ended.call.id)).to.deep.equal({ ...counts, legs: 1, charges: 1, call_timeline: 1 });
      expect(await stage.countOf(recorded.id)).to.deep.equal(counts);
      expect(await stage.query('SELECT id FROM recordings WHERE call_id = $1', recorded.id)).to.deep.equal([
        { id: recording.id },
      ]);
    });

    it('lets nothing wait for company when a client waits for an effect', async () => {
      const patient = new CallWriter(stage.db, { spacingMs: 3_600_000 });
      const effects = Array.from({ length: 4 }, () => effectOf(callRow(stage.ground)));
      await Promise.all(effects.slice(0, 2).map((effect) => patient.commit(effect)));
      const waiting = patient.commit(effects[2]!);
      await Promise.all([waiting, patient.commit(effects[3]!, true)]);
      for (const { call } of effects) expect((await stage.stored(call.id))?.status).to.equal(call.status);
    });

    it('continues with effects that arrive right after a commit', async () => {
      let call = callRow(stage.ground, { last_sequence: 0 });
      for (let sequence = 1; sequence <= 20; sequence += 1) {
        call = { ...call, last_sequence: sequence };
        await stage.writer.commit(effectOf(call));
      }
      expect(await stage.eventsOf(call.id)).to.have.length(20);
    });
  });

  describe('deliveries', () => {
    it('creates none without subscribers', async () => {
      await insertRows(stage.db, 'webhook_endpoints', [
        endpointRow(stage.ground, { status: 'disabled' }),
        endpointRow(stage.ground, { events: ['conference.*', 'call.ended'] }),
        endpointRow(await groundIn(stage.db)),
      ]);
      const effect = effectOf(callRow(stage.ground));
      await stage.writer.commit(effect);
      expect(await stage.deliveriesOf(effect.call.id)).to.deep.equal([]);
    });

    it('creates one for each endpoint whose patterns match, and for the call’s own receiver', async () => {
      const matching = [['*'], ['call.*'], ['conference.*', 'call.initiated']] as const;
      const endpoints = matching.map((events) => endpointRow(stage.ground, { events }));
      await insertRows(stage.db, 'webhook_endpoints', [
        ...endpoints,
        endpointRow(stage.ground, { events: ['call.answered'] }),
      ]);
      const url = 'https://example.com/own';
      const effect = effectOf(callRow(stage.ground, { webhook_url: url }));
      const lanes: string[] = [];
      const stop = stage.writer.onLanes((some) => lanes.push(...some));
      await stage.writer.commit(effect);
      const rows = await stage.deliveriesOf(effect.call.id);
      const expected = [...endpoints.map(({ id }) => id), `call:${effect.call.id}`].sort();
      expect(rows.map(({ lane }) => lane)).to.deep.equal(expected);
      expect([...lanes].sort()).to.deep.equal(expected);
      for (const row of rows) {
        const own = row.endpoint_id === null;
        expect(row).to.include({
          event_id: effect.events[0]!.id,
          lane: own ? `call:${effect.call.id}` : row.endpoint_id,
          url: own ? url : null,
          project_id: stage.ground.projectId,
          sequence: 1,
          status: 'pending',
          attempts: 0,
          locked_until: null,
        });
      }
      stop();
      await stage.writer.commit(effectOf({ ...effect.call, last_sequence: 2 }));
      expect(lanes, 'after unsubscribing').to.have.length(expected.length);
    });

    it('creates them in the order of the events', async () => {
      await insertRows(stage.db, 'webhook_endpoints', [endpointRow(stage.ground)]);
      const call = callRow(stage.ground, { last_sequence: 3 });
      const events = [1, 2, 3].map((sequence) => eventOf(call, { sequence }));
      await stage.writer.commit(effectOf(call, { events }));
      const rows = await stage.query<{ sequence: number }>(
        'SELECT sequence FROM webhook_deliveries WHERE call_id = $1 ORDER BY id',
        call.id,
      );
      expect(rows.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3]);
    });

    it('writes an event that belongs to no call, once, with its deliveries', async () => {
      const endpoint = endpointRow(stage.ground, { events: ['number.*'] });
      await insertRows(stage.db, 'webhook_endpoints', [endpoint]);
      const event: EventRow = {
        ...eventOf(callRow(stage.ground)),
        call_id: null,
        sequence: null,
        type: 'number.assigned',
        data: { number: '+966112345678' },
      };
      const lanes: string[] = [];
      stage.writer.onLanes((some) => lanes.push(...some));
      await stage.writer.recordEvent(event);
      await stage.writer.recordEvent(event);
      expect(lanes).to.deep.equal([endpoint.id]);
      expect(await stage.query('SELECT * FROM events WHERE id = $1', event.id)).to.deep.equal([event]);
      const rows = await stage.query<DeliveryRow>('SELECT * FROM webhook_deliveries WHERE event_id = $1', event.id);
      expect(rows.map(({ lane, call_id }) => ({ lane, call_id }))).to.deep.equal([
        { lane: endpoint.id, call_id: null },
      ]);
    });
  });

  describe('a placed call', () => {
    it('gets the engine’s current epoch', async () => {
      await stage.setEpoch(7);
      const effect = placedOf(callRow(stage.ground, { epoch: 0 }));
      await stage.writer.insertPlaced(effect);
      expect(await stage.stored(effect.call.id)).to.deep.equal({ ...effect.call, epoch: 7 });
      expect(await stage.countOf(effect.call.id)).to.deep.equal({ ...NOTHING_WRITTEN, calls: 1, legs: 1, events: 1 });
    });

    it('is not changed by a repeated insert after its owner updated it', async () => {
      const effect = placedOf(callRow(stage.ground));
      await stage.writer.insertPlaced(effect);
      const answered = { ...effect.call, status: 'answered' as const, program: { type: 'on' }, last_sequence: 1 };
      await stage.writer.commit(effectOf(answered, { events: [] }));
      await stage.writer.insertPlaced(effect);
      expect(await stage.stored(effect.call.id)).to.deep.equal(answered);
      expect(await stage.eventsOf(effect.call.id)).to.have.length(1);
    });

    it('is refused for an engine that does not exist', async () => {
      const effect = placedOf(callRow(stage.ground, { engine_id: newId() }));
      expect(await failureOf(stage.writer.insertPlaced(effect))).to.be.instanceOf(FencedError);
      expect(await stage.countOf(effect.call.id)).to.deep.equal(NOTHING_WRITTEN);
    });
  });
});
