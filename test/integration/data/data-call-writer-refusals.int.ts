import { expect } from 'chai';
import { DatabaseUnavailable, FencedError, FinalCallError, StaleCallError } from '../../../core/data/errors.js';
import { CALL_STATUSES, isFinal, type CallStatus } from '../../../core/model/call/call.js';
import { newId } from '../../../core/model/ids.js';
import { failureOf } from '../../support/judges/failure-of.js';
import {
  callRow,
  chargeOf,
  effectOf,
  endpointRow,
  engineRow,
  insertRows,
  timelineRow,
} from '../../support/rows/rows.js';
import { NOTHING_WRITTEN, writerEach, type WriterStage } from '../../support/stages/writer-stage.js';

describe('the call writer', function () {
  this.timeout(30_000);
  let stage: WriterStage;
  writerEach((made) => (stage = made));

  describe('the fence', () => {
    for (const [name, epoch] of [
      ['an older', 4],
      ['a newer', 6],
    ] as const) {
      it(`writes nothing at all for a new call with ${name} epoch`, async () => {
        await stage.setEpoch(5);
        await insertRows(stage.db, 'webhook_endpoints', [endpointRow(stage.ground)]);
        const effect = stage.fullEffect(callRow(stage.ground, { epoch, webhook_url: 'https://example.com/own' }));
        expect(await failureOf(stage.writer.commit(effect))).to.be.instanceOf(FencedError);
        expect(await stage.countOf(effect.call.id)).to.deep.equal(NOTHING_WRITTEN);
      });
    }

    it('writes nothing at all to an existing call once the engine has another owner', async () => {
      const call = callRow(stage.ground);
      await stage.writer.commit(effectOf(call));
      const before = [await stage.stored(call.id), await stage.countOf(call.id)];
      await stage.setEpoch(2);
      const late = stage.fullEffect({ ...call, status: 'answered', last_sequence: 2 });
      expect(await failureOf(stage.writer.commit(late)))
        .to.be.instanceOf(FencedError)
        .with.property('callId', call.id);
      expect([await stage.stored(call.id), await stage.countOf(call.id)]).to.deep.equal(before);
    });

    it('writes nothing for an unknown engine, nor to a call of another engine', async () => {
      const unknown = callRow(stage.ground, { engine_id: newId() });
      expect(await failureOf(stage.writer.commit(effectOf(unknown)))).to.be.instanceOf(FencedError);
      const call = callRow(stage.ground);
      await stage.writer.commit(effectOf(call));
      const other = engineRow({ name: `other-${call.id}` });
      await insertRows(stage.db, 'engines', [other]);
      const foreign = effectOf({ ...call, engine_id: other.id, last_sequence: 2 });
      expect(await failureOf(stage.writer.commit(foreign))).to.be.instanceOf(FencedError);
      expect(await stage.stored(call.id)).to.deep.equal(call);
      expect(await stage.eventsOf(call.id)).to.have.length(1);
    });

    it('refuses only the fenced calls of a batch', async () => {
      const other = engineRow({ name: `other-${stage.ground.engineId}`, epoch: 9 });
      await insertRows(stage.db, 'engines', [other]);
      const good = effectOf(callRow(stage.ground));
      const fenced = effectOf(callRow(stage.ground, { engine_id: other.id, epoch: 8 }));
      const [first, second] = await Promise.all([
        failureOf(stage.writer.commit(good)),
        failureOf(stage.writer.commit(fenced)),
      ]);
      expect(first).to.equal(null);
      expect(second).to.be.instanceOf(FencedError);
      expect(await stage.countOf(fenced.call.id)).to.deep.equal(NOTHING_WRITTEN);
      expect(await stage.stored(good.call.id)).to.deep.equal(good.call);
    });

    it('waits for a running takeover, and then sees its epoch', async () => {
      const call = callRow(stage.ground);
      await stage.writer.commit(effectOf(call));
      let failure: Promise<unknown> | undefined;
      await stage.db.transaction(async (tx) => {
        await tx.query('UPDATE engines SET epoch = 2 WHERE id = $1', [stage.ground.engineId]);
        failure = failureOf(stage.writer.commit(effectOf({ ...call, status: 'answered', last_sequence: 2 })));
        await stage.waitForLock();
      });
      expect(await failure).to.be.instanceOf(FencedError);
      expect(await stage.stored(call.id)).to.deep.equal(call);
    });
  });

  describe('immutable data', () => {
    it('keeps each final status, whatever follows', async () => {
      for (const final of CALL_STATUSES.filter(isFinal)) {
        const call = callRow(stage.ground, { status: final });
        await stage.writer.commit(effectOf(call));
        for (const status of CALL_STATUSES.filter((other): other is CallStatus => other !== final)) {
          const later = { ...call, status, last_sequence: 2 };
          const failure = await failureOf(stage.writer.commit(effectOf(later, { timeline: [timelineRow(call.id)] })));
          expect(failure, `${final} to ${status}`).to.be.instanceOf(FinalCallError);
        }
        expect(await stage.stored(call.id)).to.deep.equal(call);
        expect(await stage.countOf(call.id)).to.deep.equal({ ...NOTHING_WRITTEN, calls: 1, events: 1 });
      }
    });

    it('never lowers the last sequence', async () => {
      const call = callRow(stage.ground, { last_sequence: 3 });
      await stage.writer.commit(effectOf(call));
      const older = effectOf({ ...call, status: 'ringing', last_sequence: 2 });
      expect(await failureOf(stage.writer.commit(older))).to.be.instanceOf(StaleCallError);
      expect(await stage.stored(call.id)).to.deep.equal(call);
      expect(await stage.eventsOf(call.id)).to.have.length(1);
    });

    it('refuses a second event with the same sequence, without failing its neighbours', async () => {
      const call = callRow(stage.ground);
      await stage.writer.commit(effectOf(call));
      const twice = effectOf({ ...call, status: 'ringing' });
      const neighbours = Array.from({ length: 5 }, () => effectOf(callRow(stage.ground)));
      const results = await Promise.all([twice, ...neighbours].map((effect) => failureOf(stage.writer.commit(effect))));
      expect(results[0]).to.be.an('error').with.property('constraint', 'events_sequence');
      expect(results.slice(1)).to.deep.equal([null, null, null, null, null]);
      expect(await stage.stored(call.id)).to.deep.equal(call);
      for (const { call: other } of neighbours) expect(await stage.stored(other.id)).to.deep.equal(other);
    });

    it('keeps the first charge of a leg, and the database refuses to change or delete any', async () => {
      const effect = stage.fullEffect(callRow(stage.ground));
      await stage.writer.commit(effect);
      const again = chargeOf(effect.legs[0]!, effect.call, { seconds: 999 });
      await stage.writer.commit(effectOf({ ...effect.call, last_sequence: 2 }, { charges: [again] }));
      const charges = () => stage.query('SELECT * FROM charges WHERE call_id = $1', effect.call.id);
      expect(await charges()).to.deep.equal(effect.charges);
      for (const sql of [
        'UPDATE charges SET seconds = 0',
        'DELETE FROM charges',
        'TRUNCATE charges',
        'DELETE FROM legs',
      ]) {
        expect(await failureOf(stage.db.query(sql)), sql).to.be.an('error');
      }
      expect(await charges()).to.deep.equal(effect.charges);
    });
  });

  describe('an unavailable database', () => {
    it('rejects the batch and the later steps of its calls, and accepts the retry', async () => {
      const call = callRow(stage.ground);
      const first = effectOf(call);
      const second = effectOf({ ...call, status: 'ringing', last_sequence: 2 });
      let failures: Promise<unknown[]> | undefined;
      await stage.db.transaction(async (tx) => {
        // Blocks the statement, so that it is certainly running when its connection dies.
        await tx.query('SELECT 1 FROM engines WHERE id = $1 FOR UPDATE', [stage.ground.engineId]);
        failures = Promise.all([first, second].map((effect) => failureOf(stage.writer.commit(effect))));
        await stage.query('SELECT pg_terminate_backend($1)', await stage.waitForLock());
        await failures;
      });
      const [one, two] = (await failures) ?? [];
      expect(one).to.be.instanceOf(DatabaseUnavailable);
      expect(two).to.be.instanceOf(DatabaseUnavailable);
      expect(await stage.countOf(call.id)).to.deep.equal(NOTHING_WRITTEN);
      await Promise.all([stage.writer.commit(first), stage.writer.commit(second)]);
      expect((await stage.eventsOf(call.id)).map(({ sequence }) => sequence)).to.deep.equal([1, 2]);
    });
  });
});
