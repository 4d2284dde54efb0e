import { expect } from 'chai';
import { longestSilenceSeconds, loudSeconds, toneSeconds, type Audio } from '../../support/judges/audio.js';
import { Baresip, Sipp } from '../../support/phones/index.js';

/** Tests of the measuring tools: with a fault here, every test with phones would see nothing. */
describe('SIP phones of the test suite', function () {
  this.timeout(120_000);

  let alice: Baresip;
  let bob: Baresip;

  before(async () => {
    alice = await Baresip.start({ user: 'alice', source: { toneHz: 440 } });
    bob = await Baresip.start({ user: 'bob', source: { toneHz: 700 } });
  });

  after(async () => {
    await Promise.all([alice.close(), bob.close()]);
  });

  const hears =
    (hz: number, seconds: number) =>
    (audio: Audio): boolean =>
      toneSeconds(audio, hz) >= seconds;

  it('hear each other and not themselves', async () => {
    await alice.dial(bob.uri);
    await bob.incoming();
    await bob.answer();
    await Promise.all([alice.waitToHear(hears(700, 1)), bob.waitToHear(hears(440, 1))]);
    await bob.hangup();
    await Promise.all([alice.closed(), bob.closed()]);
    const heard = alice.heard();
    expect(toneSeconds(heard, 440)).to.equal(0);
    expect(longestSilenceSeconds(heard)).to.be.lessThan(0.5);
    expect(alice.missingSeconds()).to.be.within(-1, 1);
  });

  it('accept any number dialled at their address and receive DTMF digits', async () => {
    await alice.dial(`sip:+966500000001@127.0.0.1:${bob.sipPort}`);
    await bob.incoming();
    await bob.answer();
    await alice.sendDtmf('155#*0');
    await bob.digits('155#*0');
    await alice.hangup();
    expect(await bob.closed()).to.contain('reset by peer');
    await alice.closed();
  });

  it('reject calls and cancel calls', async () => {
    await alice.dial(bob.uri);
    await bob.incoming();
    await bob.reject();
    expect(await alice.closed()).to.match(/^486/);
    await alice.dial(bob.uri);
    await bob.incoming();
    await alice.hangup();
    await Promise.all([alice.closed(), bob.closed()]);
    expect(bob.call().establishedAt).to.equal(null);
  });

  it('hold and resume without losing the call', async () => {
    const id = await alice.dial(bob.uri);
    await bob.incoming();
    await bob.answer();
    await alice.waitFor('CALL_ESTABLISHED', { callId: id });
    for (const event of ['hold', 'resume'] as const) {
      const direction = event === 'hold' ? 'recvonly' : 'sendrecv';
      const renegotiated = bob.waitFor('CALL_REMOTE_SDP', { where: (sdp) => sdp.remoteaudiodir === direction });
      await alice[event]();
      await renegotiated;
    }
    await bob.hangup();
    await alice.closed(id);
    await bob.closed();
  });

  it('distinguish silence from sound: a callee that sends nothing is not heard', async () => {
    const carrier = await Sipp.start({ scenario: 'uas-answer' });
    const id = await alice.dial(`sip:+966110000000@${carrier.address}`);
    await alice.waitFor('CALL_ESTABLISHED', { callId: id });
    await alice.sendDtmf('1');
    await alice.hangup();
    await alice.closed(id);
    expect(loudSeconds(alice.heard(id))).to.equal(0);
    expect((await carrier.stop()).successful).to.equal(1);
  });

  it('hear themselves from a carrier that echoes', async () => {
    const carrier = await Sipp.start({ scenario: 'uas-answer', echo: true });
    const id = await alice.dial(`sip:+966110000000@${carrier.address}`);
    await alice.waitToHear(hears(440, 0.5));
    await alice.hangup();
    await alice.closed(id);
    await carrier.stop();
  });

  for (const [status, words] of [
    [404, 'Not Found'],
    [486, 'Busy Here'],
    [503, 'Service Unavailable'],
    [603, 'Decline'],
  ] as const) {
    it(`are refused by a carrier with ${status}`, async () => {
      const carrier = await Sipp.start({ scenario: 'uas-reject', status });
      const id = await alice.dial(`sip:+966110000000@${carrier.address}`);
      expect(await alice.closed(id)).to.equal(`${status} ${words}`);
      expect((await carrier.stop()).failed).to.equal(0);
    });
  }

  it('are hung up by a carrier', async () => {
    const carrier = await Sipp.start({ scenario: 'uas-answer-then-bye', pauseMs: 200 });
    const id = await alice.dial(`sip:+966110000000@${carrier.address}`);
    expect(await alice.closed(id)).to.contain('reset by peer');
    expect((await carrier.stop()).successful).to.equal(1);
  });

  it('cancel a call to a carrier that rings, and to one that does not respond', async () => {
    for (const scenario of ['uas-noanswer', 'uas-silent'] as const) {
      const carrier = await Sipp.start({ scenario, calls: 1, trace: true });
      const id = await alice.dial(`sip:+966110000000@${carrier.address}`);
      if (scenario === 'uas-noanswer') await alice.waitFor('CALL_RINGING', { callId: id });
      else await carrier.message(/^INVITE /m);
      await alice.hangup(id);
      await alice.closed(id);
      expect((await carrier.done).successful, scenario).to.equal(1);
      await carrier.stop();
    }
  });

  it('place many calls at once and count failures', async () => {
    const callee = await Sipp.start({ scenario: 'uas-answer' });
    const callers = await Sipp.run({ scenario: 'uac-call', remote: callee.address, calls: 20, callsPerSecond: 50 });
    expect(callers).to.include({ created: 20, successful: 20, failed: 0, errors: '' });
    await callee.stop();
    const busy = await Sipp.start({ scenario: 'uas-reject', status: 503 });
    const refused = await Sipp.run({ scenario: 'uac-call', remote: busy.address, calls: 2 });
    expect(refused).to.include({ created: 2, successful: 0, failed: 2 });
    expect(refused.errors).to.contain('503 Service Unavailable');
    await busy.stop();
  });

  it('cancel calls as SIPp callers', async () => {
    const callee = await Sipp.start({ scenario: 'uas-noanswer' });
    const result = await Sipp.run({ scenario: 'uac-cancel', remote: callee.address, calls: 2, pauseMs: 50 });
    expect(result).to.include({ successful: 2, failed: 0 });
    await callee.stop();
  });
});
