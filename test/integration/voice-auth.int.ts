import { expect } from 'chai';
import type { Party } from '../../engine/simulator/party.js';
import { PARTIES } from '../../engine/simulator/party.js';
import { newId } from '../../core/model/ids.js';
import { AUTH_WORDS } from '../../core/services/voice-auth/words.js';
import { verifyEach, type VerifyStage } from '../support/verify-stage.js';

const NUMBER = '+966501234517';
const WORDS = AUTH_WORDS.en;

/** Two digits that are not these. */
const wrong = (digits: string): string => (digits === '10' ? '11' : '10');

interface Started {
  readonly id: string;
  readonly match: string;
  readonly callId: string;
}

describe('authentication by telephone', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  async function started(json: object = {}, party: Party = PARTIES.answers): Promise<Started> {
    stage.phones.parties.set(NUMBER, party);
    const made = await stage.good('POST', '/voice-auth/challenges', { to: NUMBER, language: 'en', ...json });
    return { id: String(made.challenge_id), match: String(made.match_number), callId: await stage.phones.newest() };
  }
  const read = (id: string, key?: string) => stage.good('GET', `/voice-auth/challenges/${id}`, undefined, key);
  const stateOf = async (id: string) => (await read(id)).state;
  /** Until the voice has said it so often. */
  const said = (text: string, times = 1): Promise<void> =>
    stage.phones.until(() => Promise.resolve(stage.phones.said.filter((one) => one === text).length >= times));
  async function press(callId: string, digits: string): Promise<void> {
    const [leg] = await stage.phones.legs(callId);
    stage.phones.engine.pressDigits(leg!.id, digits);
    await stage.phones.settle();
  }
  async function over(callId: string): Promise<void> {
    await stage.phones.until(async () => ((await stage.phones.calls.find(callId))?.ended_at ?? null) !== null);
    await stage.settling.run();
  }
  async function completed(id: string): Promise<unknown[]> {
    return (await stage.told('voice_auth.completed', id)).map(({ state }) => state);
  }

  it('approves whoever enters the number on the screen', async () => {
    const made = await stage.good('POST', '/voice-auth/challenges', {
      to: '0501234517',
      language: 'en',
      metadata: { session: 'abc' },
    });
    expect(made).to.deep.include({
      state: 'pending',
      assurance: 'number_match',
      to_masked: '+96650••••17',
      brand_id: null,
      metadata: { session: 'abc' },
    });
    expect(made.match_number).to.match(/^[1-9]\d$/);
    const [id, callId] = [String(made.challenge_id), await stage.phones.newest()];
    await stage.phones.untilStatus(callId, 'ringing');
    expect(await read(id)).to.deep.equal({ ...made, state: 'calling' });
    await said(WORDS.question);
    await press(callId, String(made.match_number));
    expect(await read(id)).to.deep.equal({ ...made, state: 'approved', match_number: null });
    await over(callId);
    expect(stage.phones.said).to.deep.equal([WORDS.greeting(null), WORDS.question, WORDS.approved]);
    const [told, ...more] = await stage.told('voice_auth.completed', id);
    expect(told).to.deep.include({
      state: 'approved',
      match_number: null,
      metadata: { session: 'abc' },
      call_id: callId,
    });
    expect(more).to.deep.equal([]);
    const lines = await stage.database.db.query<{ type: string; data: object }>(
      `SELECT type, data FROM call_timeline WHERE call_id = $1`,
      [callId],
    );
    expect(lines.filter(({ type }) => type.startsWith('voice_auth.')).map(({ data }) => data)).to.deep.equal([
      { try: 1 },
      {},
    ]);
  });

  it('gives a second try, and no third', async () => {
    for (const [second, state] of [
      ['right', 'approved'],
      ['wrong', 'denied'],
    ] as const) {
      const { id, match, callId } = await started();
      stage.phones.said.length = 0;
      await said(WORDS.question);
      await press(callId, wrong(match));
      await said(WORDS.wrong);
      expect(await stateOf(id)).to.equal('calling');
      await press(callId, second === 'right' ? match : wrong(match));
      expect(await stateOf(id)).to.equal(state);
      // More digits change nothing.
      await press(callId, match);
      await over(callId);
      expect(await stateOf(id)).to.equal(state);
      expect(await completed(id)).to.deep.equal([state]);
    }
  });

  it('takes the digits of an earlier challenge for wrong ones', async () => {
    const first = await started();
    await said(WORDS.question);
    await press(first.callId, first.match);
    await over(first.callId);
    stage.phones.said.length = 0;
    const second = await started();
    if (second.match === first.match) {
      await stage.database.db.query('UPDATE voice_auth_challenges SET match_number = $2 WHERE id = $1', [
        second.id,
        wrong(first.match),
      ]);
    }
    await said(WORDS.question);
    await press(second.callId, first.match);
    await said(WORDS.wrong);
    await press(second.callId, first.match);
    await over(second.callId);
    expect([await stateOf(first.id), await stateOf(second.id)]).to.deep.equal(['approved', 'denied']);
    expect(await completed(first.id)).to.deep.equal(['approved']);
  });

  it('takes the hash key and hanging up for a denial', async () => {
    const pressed = await started();
    await said(WORDS.question);
    await press(pressed.callId, '#');
    expect(await stateOf(pressed.id)).to.equal('denied');
    await over(pressed.callId);

    const left = await started();
    await stage.phones.untilStatus(left.callId, 'answered');
    await press(left.callId, '4');
    const [leg] = await stage.phones.legs(left.callId);
    stage.phones.engine.remoteHangup(leg!.id);
    await over(left.callId);
    expect(await stateOf(left.id)).to.equal('denied');
    expect(await completed(left.id)).to.deep.equal(['denied']);
  });

  it('takes silence, as of an answering machine, for no answer', async () => {
    const { id, callId } = await started();
    await over(callId);
    expect(stage.phones.said).to.deep.equal([WORDS.greeting(null), WORDS.question, WORDS.silent, WORDS.denied]);
    expect(await stateOf(id)).to.equal('no_answer');
    expect(await completed(id)).to.deep.equal(['no_answer']);
  });

  for (const [name, party, state] of [
    ['nobody picks up', PARTIES.neverAnswers, 'no_answer'],
    ['it never rings', PARTIES.neverRings, 'no_answer'],
    ['it is busy', PARTIES.busy, 'no_answer'],
    ['it is rejected', PARTIES.rejects, 'no_answer'],
    ['the carrier fails', PARTIES.carrierFails, 'failed'],
    ['there is no such number', PARTIES.unknownNumber, 'failed'],
  ] as const) {
    it(`ends as ${state} where ${name}`, async () => {
      for (const expires_in_seconds of [30, 300]) {
        const { id, callId } = await started({ expires_in_seconds }, party);
        await over(callId);
        expect(await stateOf(id)).to.equal(state);
        await stage.clock.advance(300_000);
        await stage.settling.run();
        expect(await completed(id)).to.deep.equal([state]);
      }
    });
  }

  it('expires, whatever is entered then', async () => {
    const { id, match, callId } = await started(
      { expires_in_seconds: 30 },
      { ...PARTIES.answers, answersAfterMs: 20_000 },
    );
    await said(WORDS.question);
    await stage.clock.advance(10_100);
    await stage.phones.settle();
    await press(callId, match);
    expect(await read(id)).to.include({ state: 'expired', match_number: null });
    await said(WORDS.over);
    await over(callId);
    expect(await stateOf(id)).to.equal('expired');
    expect(await completed(id)).to.deep.equal(['expired']);
  });

  it('expires where the call cannot even begin', async () => {
    await stage.phones.conductor.stop();
    const made = await stage.good('POST', '/voice-auth/challenges', { to: NUMBER });
    await stage.clock.advance(120_000);
    expect(await stateOf(String(made.challenge_id))).to.equal('expired');
    await stage.settling.run();
    expect(await completed(String(made.challenge_id))).to.deep.equal(['expired']);
  });

  it('goes on where the application went, with the tries that are left', async () => {
    const { id, match, callId } = await started();
    await said(WORDS.question);
    await press(callId, wrong(match));
    await said(WORDS.wrong);
    await stage.phones.restart();
    await said(WORDS.wrong, 2);
    await press(callId, wrong(match));
    expect(await stateOf(id)).to.equal('denied');

    const again = await started();
    stage.phones.said.length = 0;
    await said(WORDS.question);
    await press(again.callId, again.match[0]!);
    await stage.phones.restart();
    await said(WORDS.question, 2);
    await press(again.callId, again.match);
    expect(await stateOf(again.id)).to.equal('approved');
    await stage.phones.restart();
    await over(again.callId);
    expect(await completed(again.id)).to.deep.equal(['approved']);
  });

  it('fails where the engine lost the call in the middle', async () => {
    const { id, callId } = await started();
    await stage.phones.untilStatus(callId, 'answered');
    const [leg] = await stage.phones.legs(callId);
    stage.phones.engine.remoteHangup(leg!.id, 27);
    await over(callId);
    expect(await stateOf(id)).to.equal('failed');
  });

  describe('refuses', () => {
    const post = (json: object, key?: string) => stage.refused('POST', '/voice-auth/challenges', json, key);

    it('what is wrong, by name', async () => {
      const refused: [object, string][] = [
        [{}, '400 VALIDATION_ERROR to'],
        [{ to: '12' }, '400 INVALID_PHONE_NUMBER to'],
        [{ to: '911' }, '400 INVALID_PHONE_NUMBER'],
        [{ to: NUMBER, assurance: 'voice_print' }, '422 VOICE_AUTH_ASSURANCE_UNSUPPORTED'],
        [{ to: NUMBER, brand_id: newId() }, '400 VALIDATION_ERROR brand_id'],
        [{ to: NUMBER, expires_in_seconds: 29 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, expires_in_seconds: 301 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, language: 'fr' }, '400 VALIDATION_ERROR language'],
        [{ to: NUMBER, match_number: '11' }, '400 VALIDATION_ERROR match_number'],
      ];
      for (const [json, expected] of refused) expect(await post(json), JSON.stringify(json)).to.equal(expected);
    });

    it('a fourth call within ten minutes', async () => {
      for (let times = 0; times < 3; times += 1) await over((await started({}, PARTIES.neverAnswers)).callId);
      const fourth = await stage.request('POST', '/voice-auth/challenges', { to: NUMBER });
      expect([fourth.status, fourth.body?.error_code]).to.deep.equal([429, 'VOICE_AUTH_RATE_LIMITED']);
      expect(Number(fourth.headers.get('retry-after'))).to.be.within(1, 601);
      await stage.clock.advance(601_000);
      await started();
    });

    it('numbers that denied three times in a day, and blocked ones', async () => {
      for (let times = 0; times < 3; times += 1) {
        const { callId } = await started();
        stage.phones.said.length = 0;
        await said(WORDS.question);
        await press(callId, '#');
        await over(callId);
        await stage.clock.advance(601_000);
      }
      expect(await post({ to: NUMBER })).to.equal('403 VOICE_AUTH_BLOCKED');
      await stage.good('POST', '/voice-auth/challenges', { to: '+966501234518' });
      await stage.clock.advance(24 * 60 * 60_000);
      await started();
      expect(await post({ to: '+966599990000' })).to.equal('403 VOICE_AUTH_BLOCKED');
    });

    it('what cannot be called, and forgets it', async () => {
      stage.away.voice = true;
      expect(await post({ to: NUMBER })).to.equal('502 CALL_FAILED');
      stage.away.voice = false;
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect(await post({ to: NUMBER })).to.equal('502 CALL_FAILED');
      const kept = await stage.database.db.query(`SELECT id FROM voice_auth_challenges WHERE project_id = $1`, [
        stage.projectId,
      ]);
      expect(kept).to.deep.equal([]);
    });

    it('strangers, those who may not, and everybody while it is off', async () => {
      const { id } = await started();
      const { key: stranger } = await stage.api.key();
      for (const key of [stranger, stage.sandboxKey]) {
        expect(await stage.refused('GET', `/voice-auth/challenges/${id}`, undefined, key)).to.equal(
          '404 VOICE_AUTH_NOT_FOUND',
        );
      }
      for (const unknown of [newId(), 'x']) {
        expect(await stage.refused('GET', `/voice-auth/challenges/${unknown}`)).to.equal('404 VOICE_AUTH_NOT_FOUND');
      }
      const { key: reader } = await stage.api.key({ projectId: stage.projectId, scopes: ['voice_auth:read'] });
      expect(await post({ to: NUMBER }, reader)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      const { projectId } = await stage.api.owner({ voice_auth: false });
      const { key } = await stage.api.key({ projectId });
      expect(await post({ to: NUMBER }, key)).to.equal('503 VOICE_AUTH_DISABLED');
      expect(await stage.refused('GET', '/voice-auth/brands', undefined, key)).to.equal('503 VOICE_AUTH_DISABLED');
    });
  });

  describe('brands', () => {
    const names = { name_en: 'Riyadh Coffee', name_ar: 'قهوة الرياض' };

    it('are drafts, wait for the operator, and are then spoken', async () => {
      const made = await stage.good('POST', '/voice-auth/brands', {
        name_en: '  Riyadh   Coffee ',
        name_ar: names.name_ar,
      });
      expect(made).to.deep.include({ ...names, status: 'draft', rejection_reason: null, submitted_at: null });
      const id = String(made.id);
      const use = { to: NUMBER, brand_id: id };
      expect(await stage.refused('POST', '/voice-auth/challenges', use)).to.equal('403 VOICE_AUTH_BRAND_NOT_APPROVED');
      const submitted = await stage.good('POST', `/voice-auth/brands/${id}/submit`);
      expect(submitted).to.include({ status: 'pending' });
      expect(await stage.refused('POST', '/verify', use)).to.equal('403 VOICE_AUTH_BRAND_NOT_APPROVED');
      expect(await stage.refused('POST', `/voice-auth/brands/${id}/submit`)).to.equal(
        '409 VOICE_AUTH_BRAND_INVALID_STATE',
      );
      expect((await stage.brands.waiting()).map((row) => row.id)).to.include(id);
      await stage.brands.approve(id);
      expect(await stage.good('GET', `/voice-auth/brands/${id}`)).to.include({ status: 'approved' });

      await started({ brand_id: id });
      await said(WORDS.greeting('Riyadh Coffee'));
      await stage.good('POST', '/verify', { ...use, channel: 'sms', language: 'ar' });
      expect(stage.sent.at(-1)?.brand).to.equal(names.name_ar);
    });

    it('are rejected with a reason, and may be tried again', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      await stage.good('POST', `/voice-auth/brands/${String(id)}/submit`);
      await stage.brands.reject(String(id), 'Not yours');
      expect(await stage.good('GET', `/voice-auth/brands/${String(id)}`)).to.include({
        status: 'rejected',
        rejection_reason: 'Not yours',
      });
      const again = await stage.good('POST', '/voice-auth/brands', names);
      const list = await stage.good('GET', '/voice-auth/brands?limit=1');
      expect((list.data as { id: string }[]).map((brand) => brand.id)).to.deep.equal([again.id]);
      const next = await stage.good('GET', `/voice-auth/brands?limit=1&cursor=${String(list.next_cursor)}`);
      expect((next.data as { id: string }[]).map((brand) => brand.id)).to.deep.equal([id]);
      expect(next.next_cursor).to.equal(null);
      const rejected = await stage.good('GET', '/voice-auth/brands?status=rejected');
      expect((rejected.data as { id: string }[]).map((brand) => brand.id)).to.deep.equal([id]);
    });

    it('have a name of their own in the organization', async () => {
      await stage.good('POST', '/voice-auth/brands', names);
      const taken = (json: object) => stage.refused('POST', '/voice-auth/brands', { ...names, ...json });
      expect(await taken({ name_en: 'RIYADH coffee', name_ar: 'أخرى' })).to.equal('409 VOICE_AUTH_BRAND_DUPLICATE');
      expect(await taken({ name_en: 'Another' })).to.equal('409 VOICE_AUTH_BRAND_DUPLICATE');
      const { key } = await stage.api.key();
      await stage.good('POST', '/voice-auth/brands', names, key);
    });

    it('are short and can be said', async () => {
      for (const bad of ['', 'A', 'Nineteen characters', '<b>Bank</b>', 'Bank!', 'بنك', '-Bank']) {
        const answer = await stage.refused('POST', '/voice-auth/brands', { ...names, name_en: bad });
        expect(answer, bad).to.equal('400 VALIDATION_ERROR name_en');
      }
      for (const bad of ['Bank', 'بنك'.repeat(7), 'بنك\u202e']) {
        const answer = await stage.refused('POST', '/voice-auth/brands', { ...names, name_ar: bad });
        expect(answer, bad).to.equal('400 VALIDATION_ERROR name_ar');
      }
    });

    it('of others are not there, and those of the sandbox never on a telephone', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      const { key: stranger } = await stage.api.key();
      for (const key of [stranger, stage.sandboxKey]) {
        const not = '404 VOICE_AUTH_BRAND_NOT_FOUND';
        expect(await stage.refused('GET', `/voice-auth/brands/${String(id)}`, undefined, key)).to.equal(not);
        expect(await stage.refused('POST', `/voice-auth/brands/${String(id)}/submit`, undefined, key)).to.equal(not);
        expect((await stage.good('GET', '/voice-auth/brands', undefined, key)).data).to.deep.equal([]);
      }
      const sandboxed = await stage.good('POST', '/voice-auth/brands', names, stage.sandboxKey);
      const path = `/voice-auth/brands/${String(sandboxed.id)}/submit`;
      expect(await stage.good('POST', path, undefined, stage.sandboxKey)).to.include({ status: 'approved' });
      const use = { to: NUMBER, brand_id: sandboxed.id };
      expect(await stage.refused('POST', '/voice-auth/challenges', use)).to.equal('400 VALIDATION_ERROR brand_id');
      await stage.good('POST', '/voice-auth/challenges', { ...use, to: '+966500000001' }, stage.sandboxKey);
    });
  });

  describe('in the sandbox', () => {
    for (const [last, state] of [
      ['1', 'approved'],
      ['8', 'denied'],
      ['2', 'no_answer'],
      ['3', 'no_answer'],
      ['4', 'failed'],
      ['5', 'no_answer'],
      ['7', 'no_answer'],
    ] as const) {
      it(`…00${last} ends as ${state}`, async () => {
        const json = { to: `+96650000000${last}` };
        const made = await stage.good('POST', '/voice-auth/challenges', json, stage.sandboxKey);
        const [call] = await stage.database.db.query<{ id: string }>(`SELECT id FROM calls WHERE project_id = $1`, [
          stage.projectId,
        ]);
        const { calls } = stage.sandbox;
        await stage.sandbox.until(async () => ((await calls.find(call!.id))?.ended_at ?? null) !== null);
        await stage.settling.run();
        expect(await read(String(made.challenge_id), stage.sandboxKey)).to.include({ state });
        expect(await completed(String(made.challenge_id))).to.deep.equal([state]);
      });
    }

    it('has its own numbers only', async () => {
      const refused = (to: string) => stage.refused('POST', '/voice-auth/challenges', { to }, stage.sandboxKey);
      expect(await refused(NUMBER)).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await refused('+966500000017')).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
    });
  });
});
