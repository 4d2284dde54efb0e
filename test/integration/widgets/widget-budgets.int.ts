import { expect } from 'chai';
import type { WidgetRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { insertRows, numberRow, ownerIn, insertProject } from '../../support/rows/rows.js';
import { outcome, widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';

const MINUTE_MS = 60_000;
const UNAVAILABLE = {
  error_code: 'CALL_FAILED',
  message: 'The call could not be placed: calls are not available now.',
  message_ar: 'تعذّر إجراء المكالمة: المكالمات غير متاحة الآن.',
};

describe('the budgets of a click-to-call widget', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  let numbers: Generator<string>;
  widgetEach((made) => (stage = made));

  beforeEach(() => {
    // The limits of visitors are tested elsewhere.
    Object.assign(stage.limits, { perAddress: 1000 });
    Object.assign(stage.rules, { perAddress: 1000 });
    numbers = (function* () {
      for (let block = 10; ; block += 1) yield `+96650${block}34567`;
    })();
  });

  const next = (): string => String(numbers.next().value);
  const ring = async (key: string, to = next()): Promise<string> => outcome(await stage.request(key, { to }));
  const code = async (key: string, to = next()): Promise<string> =>
    outcome(await stage.ask('POST', 'otp', key, { to, language: 'en' }));
  const RUNG = '202 initiated';
  const REFUSED = '502 CALL_FAILED';

  /** Calls of any kind that a widget caused. */
  async function callsOf({ id }: WidgetRow): Promise<number> {
    const [row] = await stage.callbacks.database.db.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM calls WHERE created_by_key = $1`,
      [id],
    );
    return row?.n ?? 0;
  }

  /** A project that can place calls. */
  async function callable(organizationId?: string): Promise<{ organizationId: string; projectId: string }> {
    const { db } = stage.callbacks.database;
    const owner =
      organizationId === undefined
        ? await ownerIn(db)
        : { organizationId, projectId: await insertProject(db, organizationId) };
    const number = `+96612${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;
    await insertRows(db, 'numbers', [numberRow({ ...owner, engineId: newId() }, number)]);
    await db.query(
      `UPDATE projects SET main_number = $2, default_destination = '{"type":"echo","target":null}' WHERE id = $1`,
      [owner.projectId, number],
    );
    return owner;
  }

  it('end its calls for an hour, and no other widget’s', async () => {
    const widget = await stage.widget({ calls_per_hour: 2 });
    const other = await stage.widget();
    expect([await ring(widget.key), await ring(widget.key)]).to.deep.equal([RUNG, RUNG]);
    const refused = await stage.request(widget.key, { to: next() });
    expect(refused.status).to.equal(502);
    expect(refused.body).to.include(UNAVAILABLE);
    expect(refused.headers.get('retry-after')).to.equal(null);
    expect(await callsOf(widget), 'calls').to.equal(2);
    expect(await ring(other.key)).to.equal(RUNG);
    await stage.callbacks.clock.advance(61 * MINUTE_MS);
    expect(await ring(widget.key)).to.equal(RUNG);
  });

  it('are the operator’s if it has none of its own', async () => {
    Object.assign(stage.limits, { perWidget: 1 });
    const widget = await stage.widget();
    expect([await ring(widget.key), await ring(widget.key)]).to.deep.equal([RUNG, REFUSED]);
    const own = await stage.widget({ calls_per_hour: 2 });
    expect([await ring(own.key), await ring(own.key), await ring(own.key)]).to.deep.equal([RUNG, RUNG, REFUSED]);
  });

  it('are also its project’s, and never another project’s', async () => {
    Object.assign(stage.limits, { perProject: 3 });
    const [one, two] = [await stage.widget({ calls_per_hour: 100 }), await stage.widget()];
    expect([await ring(one.key), await ring(two.key), await ring(one.key)]).to.deep.equal([RUNG, RUNG, RUNG]);
    const refused = await stage.request(two.key, { to: next() });
    expect(refused.body).to.include(UNAVAILABLE);
    expect(await callsOf(one)).to.equal(2);
    expect(await callsOf(two)).to.equal(1);
    const sibling = await stage.widget(await callable(stage.callbacks.phones.ground.organizationId));
    const stranger = await stage.widget(await callable());
    expect([await ring(sibling.key), await ring(stranger.key)]).to.deep.equal([RUNG, RUNG]);
  });

  it('count codes, and the callbacks that follow them', async () => {
    const widget = await stage.widget({ otp: true, calls_per_hour: 3 });
    const to = next();
    const sent = await stage.ask('POST', 'otp', widget.key, { to, language: 'en' });
    expect(sent.status, sent.text).to.equal(202);
    const otp = { id: String(sent.body?.otp_id), code: await stage.spokenCode('en') };
    expect(outcome(await stage.request(widget.key, { to, otp }))).to.equal(RUNG);
    const second = next();
    const other = await stage.ask('POST', 'otp', widget.key, { to: second, language: 'en' });
    expect(other.status, other.text).to.equal(202);
    const proof = { id: String(other.body?.otp_id), code: await stage.spokenCode('en') };
    const calls = await callsOf(widget);
    const refused = await stage.request(widget.key, { to: second, otp: proof });
    expect(refused.body).to.include(UNAVAILABLE);
    const third = await stage.ask('POST', 'otp', widget.key, { to: next() });
    expect(third.status).to.equal(502);
    expect(third.body).to.include(UNAVAILABLE);
    expect(await callsOf(widget), 'calls').to.equal(calls);
  });

  it('are not used up by wrong codes, nor by one visitor alone', async () => {
    Object.assign(stage.limits, { perAddress: 2 });
    const widget = await stage.widget({ otp: true, calls_per_hour: 3 });
    const id = newId();
    for (let times = 0; times < 5; times += 1)
      expect(outcome(await stage.request(widget.key, { to: next(), otp: { id, code: '123456' } }))).to.equal(
        '400 OTP_INVALID',
      );
    expect([await code(widget.key), await code(widget.key)]).to.deep.equal(['202 undefined', '202 undefined']);
    for (let times = 0; times < 5; times += 1) expect(await code(widget.key)).to.equal('429 RATE_LIMIT_EXCEEDED');
    Object.assign(stage.limits, { perAddress: 1000 });
    expect([await code(widget.key), await code(widget.key)]).to.deep.equal(['202 undefined', REFUSED]);
  });

  it('limit each block of numbers, per organization', async () => {
    Object.assign(stage.rules, { perBlock: 2 });
    const [one, two] = [await stage.widget(), await stage.widget({ otp: true })];
    expect([await ring(one.key, '+966501110001'), await code(two.key, '+966501110002')]).to.deep.equal([
      RUNG,
      '202 undefined',
    ]);
    const refused = await stage.request(one.key, { to: '+966501110003' });
    expect(refused.body).to.include(UNAVAILABLE);
    expect(await code(two.key, '+966501110004')).to.equal(REFUSED);
    expect([await callsOf(one), await callsOf(two)]).to.deep.equal([1, 1]);
    expect(await ring(one.key, '+966501120003')).to.equal(RUNG);
    const stranger = await stage.widget(await callable());
    expect(await ring(stranger.key, '+966501110003')).to.equal(RUNG);
    await stage.callbacks.clock.advance(11 * MINUTE_MS);
    expect(await ring(one.key, '+966501110003')).to.equal(RUNG);
  });

  it('limit each recipient and address as verification does', async () => {
    Object.assign(stage.limits, { perNumber: 1000 });
    Object.assign(stage.rules, { perRecipient: 1 });
    const widget = await stage.widget();
    const to = next();
    expect([await ring(widget.key, to), await ring(widget.key, to)]).to.deep.equal([RUNG, REFUSED]);
    Object.assign(stage.rules, { perRecipient: 1000, perAddress: 2 });
    expect(await ring(widget.key)).to.equal(REFUSED);
    expect(await callsOf(widget)).to.equal(1);
  });

  it('close a block whose codes nobody enters', async () => {
    Object.assign(stage.rules, { fraudSends: 3, fraudPercent: 50 });
    const [codes, plain] = [await stage.widget({ otp: true }), await stage.widget()];
    for (const last of [1, 2, 3]) expect(await code(codes.key, `+96650222000${last}`)).to.equal('202 undefined');
    expect(await ring(plain.key, '+966502220004')).to.equal(RUNG);
    await stage.callbacks.clock.advance(6 * MINUTE_MS);
    expect(await code(codes.key, '+966502220005')).to.equal(REFUSED);
    expect(await ring(plain.key, '+966502220006')).to.equal(REFUSED);
    expect([await callsOf(codes), await callsOf(plain)]).to.deep.equal([3, 1]);
    expect(await code(codes.key, '+966502230005')).to.equal('202 undefined');
    const stranger = await stage.widget(await callable());
    expect(await ring(stranger.key, '+966502220007')).to.equal(RUNG);
  });

  it('do not exist in the sandbox, whose visitors use up nothing live', async () => {
    Object.assign(stage.limits, { perAddress: 3, perWidget: 1, perProject: 1 });
    Object.assign(stage.rules, { perBlock: 1, perRecipient: 1 });
    const sandbox = await stage.widget({ sandbox: true, calls_per_hour: 1, countries: ['+971'] });
    for (const last of [1, 2, 3]) expect(await ring(sandbox.key, `+96650000000${last}`)).to.equal(RUNG);
    expect(await ring(sandbox.key, '+966500000006')).to.equal('429 RATE_LIMIT_EXCEEDED');
    const live = await stage.widget();
    expect([await ring(live.key), await ring(live.key)]).to.deep.equal([RUNG, REFUSED]);
  });

  it('are spent in countries that it allows: Saudi Arabia, unless it names others', async () => {
    const { database, phones } = stage.callbacks;
    await database.db.query(`UPDATE projects SET destination_classes = '{national,mobile,foreign}' WHERE id = $1`, [
      phones.ground.projectId,
    ]);
    const [usual, emirates] = [await stage.widget(), await stage.widget({ countries: ['+971'] })];
    const proven = await stage.widget({ otp: true });
    expect(await ring(usual.key, '+971501234567')).to.equal('400 INVALID_PHONE_NUMBER');
    expect(await code(proven.key, '+971501234567')).to.equal('400 INVALID_PHONE_NUMBER');
    expect(await ring(emirates.key)).to.equal('400 INVALID_PHONE_NUMBER');
    expect(await ring(emirates.key, '+96512345678')).to.equal('400 INVALID_PHONE_NUMBER');
    expect([await callsOf(usual), await callsOf(proven), await callsOf(emirates)]).to.deep.equal([0, 0, 0]);
    expect(await ring(emirates.key, '+971501234567')).to.equal(RUNG);
  });
});
