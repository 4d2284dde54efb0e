import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import { AuthCalls, WORDS } from '../../support/calls/auth-calls.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

/** Two digits that differ from these. */
const wrong = (digits: string): string => (digits === '10' ? '11' : '10');

describe('authentication by telephone', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let auth: AuthCalls;
  verifyEach((made) => {
    stage = made;
    auth = new AuthCalls(made);
  });

  it('approves if the number on the screen is entered', async () => {
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
    expect(await auth.read(id)).to.deep.equal({ ...made, state: 'calling' });
    await auth.said(WORDS.question);
    await auth.press(callId, String(made.match_number));
    expect(await auth.read(id)).to.deep.equal({ ...made, state: 'approved', match_number: null });
    await auth.over(callId);
    expect(stage.phones.said).to.deep.equal([WORDS.greeting(null), WORDS.question, WORDS.approved]);
    const [event, ...more] = await stage.eventData('voice_auth.completed', id);
    expect(event).to.deep.include({
      state: 'approved',
      match_number: null,
      metadata: { session: 'abc' },
      sandbox: false,
    });
    expect(event).not.to.have.property('call_id');
    expect(await stage.phones.eventTypes(callId), 'nobody learns of the call').to.deep.equal([]);
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

  it('allows a second attempt, but no third', async () => {
    for (const [second, state] of [
      ['right', 'approved'],
      ['wrong', 'denied'],
    ] as const) {
      const { id, match, callId } = await auth.started();
      stage.phones.said.length = 0;
      await auth.said(WORDS.question);
      await auth.press(callId, wrong(match));
      await auth.said(WORDS.wrong);
      expect(await auth.stateOf(id)).to.equal('calling');
      await auth.press(callId, second === 'right' ? match : wrong(match));
      expect(await auth.stateOf(id)).to.equal(state);
      // Further digits have no effect.
      await auth.press(callId, match);
      await auth.over(callId);
      expect(await auth.stateOf(id)).to.equal(state);
      expect(await auth.completed(id)).to.deep.equal([state]);
    }
  });

  it('rejects the digits of an earlier challenge', async () => {
    const first = await auth.started();
    await auth.said(WORDS.question);
    await auth.press(first.callId, first.match);
    await auth.over(first.callId);
    stage.phones.said.length = 0;
    const second = await auth.started();
    if (second.match === first.match) {
      await stage.database.db.query('UPDATE voice_auth_challenges SET match_number = $2 WHERE id = $1', [
        second.id,
        wrong(first.match),
      ]);
    }
    await auth.said(WORDS.question);
    await auth.press(second.callId, first.match);
    await auth.said(WORDS.wrong);
    await auth.press(second.callId, first.match);
    await auth.over(second.callId);
    expect([await auth.stateOf(first.id), await auth.stateOf(second.id)]).to.deep.equal(['approved', 'denied']);
    expect(await auth.completed(first.id)).to.deep.equal(['approved']);
  });

  it('treats the hash key and hanging up as a denial', async () => {
    const pressed = await auth.started();
    await auth.said(WORDS.question);
    await auth.press(pressed.callId, '#');
    expect(await auth.stateOf(pressed.id)).to.equal('denied');
    await auth.over(pressed.callId);

    const left = await auth.started();
    await stage.phones.untilStatus(left.callId, 'answered');
    await auth.press(left.callId, '4');
    const [leg] = await stage.phones.legs(left.callId);
    stage.phones.engine.remoteHangup(leg!.id);
    await auth.over(left.callId);
    expect(await auth.stateOf(left.id)).to.equal('denied');
    expect(await auth.completed(left.id)).to.deep.equal(['denied']);
  });

  it('treats silence, as from an answering machine, as no answer', async () => {
    const { id, callId } = await auth.started();
    await auth.over(callId);
    expect(stage.phones.said).to.deep.equal([WORDS.greeting(null), WORDS.question, WORDS.silent, WORDS.denied]);
    expect(await auth.stateOf(id)).to.equal('no_answer');
    expect(await auth.completed(id)).to.deep.equal(['no_answer']);
  });

  for (const [name, party, state] of [
    ['the call is not answered', PARTIES.neverAnswers, 'no_answer'],
    ['the call never rings', PARTIES.neverRings, 'no_answer'],
    ['the number is busy', PARTIES.busy, 'no_answer'],
    ['the call is rejected', PARTIES.rejects, 'no_answer'],
    ['the carrier fails', PARTIES.carrierFails, 'failed'],
    ['the number does not exist', PARTIES.unknownNumber, 'failed'],
  ] as const) {
    it(`ends as ${state} if ${name}`, async () => {
      for (const expires_in_seconds of [30, 300]) {
        const { id, callId } = await auth.started({ expires_in_seconds }, party);
        await auth.over(callId);
        expect(await auth.stateOf(id)).to.equal(state);
        await stage.clock.advance(300_000);
        await stage.settling.run();
        expect(await auth.completed(id)).to.deep.equal([state]);
      }
    });
  }

  it('expires, whatever is entered afterwards', async () => {
    const { id, match, callId } = await auth.started(
      { expires_in_seconds: 30 },
      { ...PARTIES.answers, answersAfterMs: 20_000 },
    );
    await auth.said(WORDS.question);
    await stage.clock.advance(10_100);
    await stage.phones.settle();
    await auth.press(callId, match);
    expect(await auth.read(id)).to.include({ state: 'expired', match_number: null });
    await auth.said(WORDS.over);
    await auth.over(callId);
    expect(await auth.stateOf(id)).to.equal('expired');
    expect(await auth.completed(id)).to.deep.equal(['expired']);
  });

  it('expires even if the call cannot start', async () => {
    await stage.phones.controller.stop();
    const made = await stage.good('POST', '/voice-auth/challenges', { to: NUMBER });
    await stage.clock.advance(120_000);
    expect(await auth.stateOf(String(made.challenge_id))).to.equal('expired');
    await stage.settling.run();
    expect(await auth.completed(String(made.challenge_id))).to.deep.equal(['expired']);
  });

  it('continues after a restart, with the remaining attempts', async () => {
    const { id, match, callId } = await auth.started();
    await auth.said(WORDS.question);
    await auth.press(callId, wrong(match));
    await auth.said(WORDS.wrong);
    await stage.phones.restart();
    await auth.said(WORDS.wrong, 2);
    await auth.press(callId, wrong(match));
    expect(await auth.stateOf(id)).to.equal('denied');

    const again = await auth.started();
    stage.phones.said.length = 0;
    await auth.said(WORDS.question);
    await auth.press(again.callId, again.match[0]!);
    await stage.phones.restart();
    await auth.said(WORDS.question, 2);
    await auth.press(again.callId, again.match);
    expect(await auth.stateOf(again.id)).to.equal('approved');
    await stage.phones.restart();
    await auth.over(again.callId);
    expect(await auth.completed(again.id)).to.deep.equal(['approved']);
  });

  it('fails if the engine loses the call', async () => {
    const { id, callId } = await auth.started();
    await stage.phones.untilStatus(callId, 'answered');
    const [leg] = await stage.phones.legs(callId);
    stage.phones.engine.remoteHangup(leg!.id, 27);
    await auth.over(callId);
    expect(await auth.stateOf(id)).to.equal('failed');
  });
});
