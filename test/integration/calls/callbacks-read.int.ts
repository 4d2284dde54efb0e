import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { callbackEach, type CallbackStage } from '../../support/stages/callbacks.js';
import { CUSTOMER } from '../../support/stages/call-controller.js';
import { callRow, insertRows } from '../../support/rows/rows.js';
import { detailsOf, outcome } from '../../support/judges/outcome.js';

const SANDBOX_NUMBER = '+966500000001';
const DAY_MS = 24 * 60 * 60 * 1000;

describe('callbacks that were placed', function () {
  this.timeout(30_000);
  let stage: CallbackStage;
  callbackEach((made) => (stage = made));

  describe('read', () => {
    it('by the whole organization, and by no other', async () => {
      const { callback_id } = await stage.placed(CUSTOMER);
      const neighbour = await stage.neighbourKey();
      expect((await stage.read(callback_id, neighbour)).callback_id).to.equal(callback_id);
      const stranger = (await stage.api.key()).key;
      for (const [key, id] of [
        [stranger, callback_id],
        [stage.sandboxKey, callback_id],
        [stage.liveKey, newId()],
        [stage.liveKey, 'nothing'],
      ] as const) {
        const answer = await stage.api.request('GET', `/v1/callbacks/${id}`, { key });
        expect(outcome(answer)).to.equal('404 CALLBACK_NOT_FOUND');
      }
    });

    it('not if the call is not a callback', async () => {
      const callId = await stage.phones.place({ type: 'idle' });
      const answer = await stage.api.request('GET', `/v1/callbacks/${callId}`, { key: stage.liveKey });
      expect(outcome(answer)).to.equal('404 CALLBACK_NOT_FOUND');
    });
  });

  describe('listed', () => {
    const list = (query = '', key = stage.liveKey): Promise<Answer> =>
      stage.api.request('GET', `/v1/callbacks${query}`, { key });
    const idsOf = ({ body }: Answer): string[] =>
      ((body?.data ?? []) as { callback_id: string }[]).map(({ callback_id }) => callback_id);
    const seed = async (changes: Parameters<typeof callRow>[1], ground = stage.phones.ground): Promise<string> => {
      const row = callRow(ground, { kind: 'callback', created_at: stage.clock.now(), ...changes });
      await insertRows(stage.database.db, 'calls', [row]);
      return row.id;
    };
    const ago = (ms: number): Date => new Date(stage.clock.now().getTime() - ms);

    it('newest first, with every field of a summary and a masked number', async () => {
      const older = await seed({ created_at: ago(60_000) });
      const newer = await seed({
        status: 'ended',
        disposition: 'answered',
        answered_at: ago(30_000),
        ended_at: ago(10_000),
      });
      await seed({ kind: 'outbound' });
      const answer = await list();
      expect(idsOf(answer)).to.deep.equal([newer, older]);
      expect(answer.body).to.include({ total_count: 2, page: 1, page_size: 20 });
      expect((answer.body?.data as unknown[])[0]).to.deep.equal({
        callback_id: newer,
        status: 'ended',
        customer_number_masked: '+96650••••17',
        queue_id: null,
        created_at: stage.clock.now().toISOString(),
        answered_at: ago(30_000).toISOString(),
        ended_at: ago(10_000).toISOString(),
        duration_seconds: 20,
        disposition: 'answered',
      });
    });

    it('by status, queue and time, both ends included, all combined', async () => {
      const queue_id = newId();
      const from = ago(3_000);
      const to = ago(2_000);
      const wanted = await seed({ status: 'missed', queue_id, created_at: from });
      const atTheEnd = await seed({ status: 'missed', queue_id, created_at: to });
      await seed({ status: 'missed', queue_id, created_at: ago(3_001) });
      await seed({ status: 'missed', queue_id, created_at: ago(1_999) });
      await seed({ status: 'failed', queue_id, created_at: to });
      await seed({ status: 'missed', created_at: to });
      const period = `from=${from.toISOString()}&to=${encodeURIComponent(to.toISOString())}`;
      expect(idsOf(await list(`?status=missed&queue_id=${queue_id}&${period}`))).to.deep.equal([atTheEnd, wanted]);
      expect(idsOf(await list(`?queue_id=${queue_id}`))).to.have.length(5);
      expect(idsOf(await list(`?status=failed`))).to.have.length(1);
      for (const unknown of [newId(), 'sales']) {
        expect((await list(`?queue_id=${unknown}`)).body).to.deep.include({ data: [], total_count: 0 });
      }
    });

    it('of the last seven days by default', async () => {
      const within = await seed({ created_at: ago(7 * DAY_MS) });
      const before = await seed({ created_at: ago(7 * DAY_MS + 1) });
      expect(idsOf(await list())).to.deep.equal([within]);
      expect(idsOf(await list(`?from=${ago(8 * DAY_MS).toISOString()}`))).to.deep.equal([within, before]);
    });

    it('not for a period that ends before it starts, defaults included', async () => {
      const future = new Date(stage.clock.now().getTime() + DAY_MS).toISOString();
      for (const query of [
        `?from=${ago(1000).toISOString()}&to=${ago(2000).toISOString()}`,
        `?from=${future}`,
        `?to=${ago(8 * DAY_MS).toISOString()}`,
      ]) {
        const answer = await list(query);
        expect(outcome(answer)).to.equal('400 VALIDATION_ERROR');
        expect(detailsOf(answer)[0]?.path).to.equal('from');
      }
      expect((await list(`?from=${ago(0).toISOString()}&to=${ago(0).toISOString()}`)).status).to.equal(200);
    });

    it('page by page', async () => {
      const ids = [];
      for (let index = 0; index < 5; index += 1) ids.unshift(await seed({ created_at: ago(10_000 - index) }));
      const second = await list('?page=2&page_size=2');
      expect(idsOf(second)).to.deep.equal(ids.slice(2, 4));
      expect(second.body).to.include({ total_count: 5, page: 2, page_size: 2 });
      expect((await list('?page=9')).body).to.deep.include({ data: [], total_count: 5 });
      for (const query of [
        '?page=0',
        '?page_size=0',
        '?page_size=101',
        '?page=x',
        '?status=lost',
        '?from=2026-01-01',
      ]) {
        expect(outcome(await list(query)), query).to.equal('400 VALIDATION_ERROR');
      }
    });

    it('for the whole organization; sandbox keys see only sandbox callbacks', async () => {
      const neighbour = await stage.neighbourKey();
      const real = await seed({});
      const sandboxed = await stage.placed(SANDBOX_NUMBER, stage.sandboxKey);
      expect(idsOf(await list('', neighbour))).to.have.members([real, sandboxed.callback_id]);
      expect(idsOf(await list('', stage.sandboxKey))).to.deep.equal([sandboxed.callback_id]);
      expect(idsOf(await list('', (await stage.api.key()).key))).to.deep.equal([]);
    });
  });
});
