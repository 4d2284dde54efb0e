import { expect } from 'chai';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';
import type { Answer } from '../../support/api.js';
import { CUSTOMER } from '../../support/stages/call-controller.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { outcome, widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';

const MINUTE_MS = 60_000;

describe('a click-to-call widget on a page', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  const follow = (
    key: string,
    { callback_id: id, status_token: token }: Record<string, string>,
    after = '',
  ): Promise<Answer> =>
    stage.ask('GET', `callbacks/${id}?token=${encodeURIComponent(String(token))}${after && `&after=${after}`}`, key);

  describe('requests a callback', () => {
    it('that rings the visitor and connects the call with the project’s default destination', async () => {
      const { key } = await stage.widget({ name: 'Shop' });
      const made = await stage.requested(key, { to: '0501234517', name: 'Reem' });
      expect(made).to.include({ status: 'initiated', to_masked: '+96650••••17' });
      expect(JSON.stringify(made)).not.to.contain('1234517');
      const id = String(made.callback_id);
      await stage.callbacks.phones.untilBothAnswered(id);
      const read = await stage.callbacks.read(id);
      expect(read).to.deep.include({ agent: '1001', metadata: { widget: 'Shop', name: 'Reem' }, sandbox: false });
      await stage.callbacks.phones.untilStatus(id, 'ended');
    });

    it('that is connected with the widget’s own destination', async () => {
      const { key } = await stage.widget({ destination: { type: 'echo', target: null } });
      const id = String((await stage.requested(key)).callback_id);
      await stage.callbacks.phones.untilStatus(id, 'answered');
      expect(await stage.callbacks.read(id)).to.deep.include({ agent: null });
    });

    it('that an agent of the widget’s queue answers', async () => {
      const queueId = await openQueue(stage.callbacks.phones);
      const { key } = await stage.widget({ destination: { type: 'queue', target: 'sales' } });
      const id = String((await stage.requested(key)).callback_id);
      expect(await stage.callbacks.read(id)).to.deep.include({ queue_id: queueId });
      await stage.callbacks.phones.untilBothAnswered(id);
      expect(await stage.callbacks.read(id)).to.deep.include({ agent: '1001' });
      await stage.callbacks.phones.untilStatus(id, 'ended');
    });

    it('that the simulator runs if the widget is a sandbox widget', async () => {
      const { key } = await stage.widget({ sandbox: true });
      expect(outcome(await stage.request(key, { to: CUSTOMER }))).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(outcome(await stage.request(key, { to: '+966500000017' }))).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
      const made = await stage.requested(key, { to: '+966500000003' });
      await stage.callbacks.sandbox.untilStatus(String(made.callback_id), 'missed');
      expect((await follow(key, made)).body).to.include({ status: 'missed', disposition: 'busy' });
    });

    it('and gets an error if the number, the request or the platform does not allow it', async () => {
      const { key } = await stage.widget();
      expect(outcome(await stage.request(key, { to: '911' }))).to.equal('400 INVALID_PHONE_NUMBER');
      // A prefix that the operator blocks.
      expect(outcome(await stage.request(key, { to: '+966599991234' }))).to.equal('400 INVALID_PHONE_NUMBER');
      expect(outcome(await stage.request(key, {}))).to.equal('400 VALIDATION_ERROR');
      expect(outcome(await stage.request(key, { to: CUSTOMER, caller_id_number: CUSTOMER }))).to.equal(
        '400 VALIDATION_ERROR',
      );
      expect(outcome(await stage.request(key, { to: CUSTOMER, name: 'x'.repeat(101) }))).to.equal(
        '400 VALIDATION_ERROR',
      );
      const { db } = stage.callbacks.database;
      await db.query(`UPDATE engines SET status = 'unreachable'`);
      expect(outcome(await stage.request(key, { to: CUSTOMER }))).to.equal('502 CALL_FAILED');
      await db.query(`UPDATE projects SET main_number = '+966112223333' WHERE id = $1`, [
        stage.callbacks.phones.ground.projectId,
      ]);
      expect(outcome(await stage.request(key, { to: CUSTOMER }))).to.equal('502 CALL_FAILED');
    });

    for (const how of SPENT) {
      it(`and does not learn that the owner may spend nothing (${how})`, async () => {
        const { key } = await stage.widget();
        const { database, phones } = stage.callbacks;
        await spendAll(database.db, phones.ground, how);
        const refused = await stage.request(key, { to: CUSTOMER });
        expect(outcome(refused)).to.equal('502 CALL_FAILED');
        expect(refused.body).to.include({
          message: 'The call could not be placed: calls are not available now.',
          message_ar: 'تعذّر إجراء المكالمة: المكالمات غير متاحة الآن.',
        });
        expect(outcome(await stage.ask('POST', 'otp', key, { to: CUSTOMER }))).to.equal('502 OTP_SEND_FAILED');
      });
    }

    it('only a limited number of times per telephone and per address', async () => {
      const { key } = await stage.widget();
      const other = await stage.widget();
      await stage.requested(key);
      await stage.requested(other.key);
      const refused = await stage.request(key, { to: CUSTOMER });
      expect(outcome(refused)).to.equal('429 RATE_LIMIT_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 601);
      for (const end of [18, 19, 20]) await stage.requested(key, { to: `+9665012345${end}` });
      expect(outcome(await stage.request(key, { to: '+966501234521' }))).to.equal('429 RATE_LIMIT_EXCEEDED');
      await stage.callbacks.clock.advance(11 * MINUTE_MS);
      await stage.requested(key);
    });
  });

  describe('follows the callback', () => {
    it('to its end, with each change as it happens', async () => {
      const { key } = await stage.widget({ sandbox: true });
      const made = await stage.requested(key, { to: '+966500000001' });
      const id = String(made.callback_id);
      const { sandbox } = stage.callbacks;
      const seen = ['initiated'];
      while (seen.at(-1) !== 'ended') {
        const [answer] = await Promise.all([
          follow(key, made, seen.at(-1)),
          sandbox.until(async () => (await stage.callbacks.read(id)).status !== seen.at(-1)),
        ]);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body).to.include({ callback_id: id, to_masked: '+96650••••01' });
        const status = String(answer.body?.status);
        if (status !== seen.at(-1)) seen.push(status);
      }
      expect(seen).to.include.members(['initiated', 'answered', 'ended']);
      expect((await follow(key, made, 'ended')).body).to.include({ status: 'ended' });
    });

    it('with a timeout', async () => {
      const { key } = await stage.widget();
      const made = await stage.requested(key);
      expect((await follow(key, made, 'initiated')).body).to.include({ status: 'initiated' });
    });

    it('only with the token that it received, and only for an hour', async () => {
      const { key } = await stage.widget();
      const other = await stage.widget();
      const [made, another] = [await stage.requested(key), await stage.requested(key, { to: '+966501234518' })];
      const forged = { ...made, status_token: String(made.status_token).replace(/^\d+/, '9999999999') };
      for (const [callback, callbackKey] of [
        [{ ...made, status_token: another.status_token }, key],
        [{ ...made, status_token: '' }, key],
        [forged, key],
        [made, other.key],
      ] as const) {
        expect(outcome(await follow(callbackKey, callback as Record<string, string>))).to.equal(
          '404 CALLBACK_NOT_FOUND',
        );
      }
      expect((await follow(key, made)).status).to.equal(200);
      await stage.callbacks.clock.advance(61 * MINUTE_MS);
      expect(outcome(await follow(key, made))).to.equal('404 CALLBACK_NOT_FOUND');
    });
  });

  it('is recorded as the creator of the call', async () => {
    const { key, id } = await stage.widget();
    await stage.requested(key);
    await stage.callbacks.api.audit.flush();
    const [row] = await stage.callbacks.database.db.query<{ key_id: string; details: unknown }>(
      `SELECT key_id, details FROM audit_log WHERE path = '/v1/widget/callbacks' AND key_id = $1`,
      [id],
    );
    expect(JSON.stringify(row?.details)).to.contain('+96650').and.not.to.contain('1234517');
  });
});
