import { expect } from 'chai';
import { loudSeconds } from '../../support/judges/audio.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

/** One number for each test: a denial blocks a number. */
const NUMBERS = ['+966501234510', '+966501234511', '+966501234512', '+966501234513', '+966501234514'];
const wrong = (digits: string): string => (digits === '10' ? '11' : '10');

describe('authentication by telephone', function () {
  this.timeout(120_000);
  let stage: TestPlatform;
  let carrier: Baresip;
  const unused = [...NUMBERS];

  withPlatform(async (made) => {
    stage = made;
    carrier = await stage.carrier();
  });

  async function started(): Promise<{ readonly id: string; readonly match: string; readonly call: string }> {
    const { status, body, text } = await stage.request('POST', '/v1/voice-auth/challenges', {
      json: { to: unused.pop(), language: 'en' },
    });
    expect(status, text).to.equal(202);
    const call = await carrier.incoming();
    return { id: String(body?.challenge_id), match: String(body?.match_number), call };
  }
  const heard = (call: string, seconds: number): Promise<unknown> =>
    carrier.waitToHear((audio) => loudSeconds(audio) > seconds, { callId: call });
  async function ended(id: string): Promise<unknown> {
    const { data } = await stage.receiver.waitFor(
      ({ type, data: { challenge_id } }) => type === 'voice_auth.completed' && challenge_id === id,
      'the end of the challenge',
    );
    const { body } = await stage.request('GET', `/v1/voice-auth/challenges/${id}`);
    expect(body).to.deep.include({ state: data.state, match_number: null });
    return data.state;
  }

  it('approves when the customer presses the digits on the screen', async () => {
    const { id, match, call } = await started();
    await carrier.answer(call);
    await heard(call, 1);
    await carrier.sendDtmf(match);
    expect(await ended(id)).to.equal('approved');
    await carrier.closed(call);
  });

  it('denies after two wrong entries', async () => {
    const { id, match, call } = await started();
    await carrier.answer(call);
    await heard(call, 1);
    await carrier.sendDtmf(wrong(match));
    await heard(call, loudSeconds(carrier.heard(call)) + 1);
    await carrier.sendDtmf(wrong(match));
    expect(await ended(id)).to.equal('denied');
    await carrier.closed(call);
  });

  it('denies after a hang-up in the middle', async () => {
    const { id, call } = await started();
    await carrier.answer(call);
    await heard(call, 0.5);
    await carrier.hangup(call);
    expect(await ended(id)).to.equal('denied');
  });

  it('reports that nobody answered', async () => {
    const { id, call } = await started();
    await carrier.reject(call);
    expect(await ended(id)).to.equal('no_answer');
  });

  it('asks again after a restart of the application', async () => {
    const { id, match, call } = await started();
    await carrier.answer(call);
    await heard(call, 1);
    await stage.halt();
    await stage.resume();
    await heard(call, loudSeconds(carrier.heard(call)) + 1);
    await carrier.sendDtmf(match);
    expect(await ended(id)).to.equal('approved');
    await carrier.closed(call);
  });
});
