import { expect } from 'chai';
import { Emitter } from '../../../packages/web/src/base/emitter.js';
import { causeOf } from '../../../packages/web/src/errors/causes.js';
import { answeredError, HatifError, ownError } from '../../../packages/web/src/errors/error.js';
import { ERRORS } from '../../../packages/web/src/errors/texts.js';
import { RING, toneFile } from '../../../packages/web/src/media/tone.js';
import { mosOf, sampleOf, type Counters } from '../../../packages/web/src/quality/sample.js';
import { connectWithinMs, retryDelayMs } from '../../../packages/web/src/signalling/retry.js';
import { addressOf, dialled, headersOf } from '../../../packages/web/src/signalling/target.js';
import { readWav, rmsDb, slice, toneShare } from '../../support/judges/audio.js';

class Bell extends Emitter<{ ring: number; stop: undefined }> {
  ring(times: number): void {
    this.emit('ring', times);
  }

  stop(): void {
    this.emit('stop');
  }
}

describe('the parts of the browser package', () => {
  it('call listeners in order, once if wished, until they are removed', () => {
    const bell = new Bell();
    const heard: string[] = [];
    const off = bell.on('ring', (times) => heard.push(`a${times}`));
    bell.once('ring', (times) => heard.push(`b${times}`));
    bell.on('stop', () => heard.push('stop'));
    bell.ring(1);
    bell.ring(2);
    off();
    bell.ring(3);
    bell.stop();
    expect(heard).to.deep.equal(['a1', 'b1', 'a2', 'stop']);
  });

  it('have their errors in both languages, and pass those of the platform on', () => {
    for (const [code, { message, messageAr, hint, hintAr }] of Object.entries(ERRORS)) {
      for (const text of [message, hint]) expect(text, code).to.match(/^[A-Z].*\.$/);
      for (const text of [messageAr, hintAr]) expect(text, code).to.match(/[\u0600-\u06ff].*\.$/);
    }
    const own = ownError('MICROPHONE_DENIED');
    expect(own).to.be.instanceOf(HatifError).and.instanceOf(Error);
    expect([own.code, own.status]).to.deep.equal(['MICROPHONE_DENIED', null]);
    const answered = answeredError(401, { error_code: 'WCS_EXPIRED', message: 'Over.', message_ar: 'انتهت.' });
    expect([answered.code, answered.message, answered.messageAr, answered.status]).to.deep.equal([
      ...['WCS_EXPIRED', 'Over.', 'انتهت.', 401],
    ]);
    expect(answeredError(502, '<html>').code).to.equal('UNREACHABLE');
  });

  it('name the end of a call', () => {
    const end = { originator: 'remote', cause: 'Terminated', status: null, reason: null };
    expect(causeOf(end)).to.deep.include({ code: 'hangup', by: 'remote' });
    expect(causeOf({ ...end, cause: 'SIP Failure Code', status: 486 })).to.deep.include({ code: 'busy', status: 486 });
    expect(causeOf({ ...end, cause: 'SIP Failure Code', status: 599 }).code).to.equal('failed');
    const cancelled = { ...end, cause: 'Canceled' };
    expect(causeOf(cancelled).code).to.equal('cancelled');
    expect(causeOf({ ...cancelled, reason: 'SIP;cause=200;text="Call completed elsewhere"' }).code).to.equal(
      'answered_elsewhere',
    );
    expect(causeOf({ ...end, originator: 'local', cause: 'RTP Timeout' })).to.deep.include({
      ...{ code: 'media_failed', by: 'local' },
    });
    expect(causeOf({ ...end, originator: 'system', cause: 'anything' }).by).to.equal('system');
  });

  it('address numbers as people write them, agents, queues and call flows', () => {
    expect(addressOf('+966 11 234-5678')).to.equal('sip:+966112345678@web');
    expect(dialled('٠٥٠١٢٣٤٥١٧')).to.equal('0501234517');
    expect(addressOf({ agent: '1001' })).to.equal('sip:agent.1001@web');
    expect(addressOf({ queue: 'المبيعات' })).to.match(/^sip:queue\.(%[0-9A-F]{2})+@web$/);
    expect(dialled({ callflow: 'f-1' })).to.equal('callflow.f-1');
    for (const wrong of ['', 'a b', 'a@b', '<a>', 'x'.repeat(200)]) {
      expect(() => dialled(wrong), wrong)
        .to.throw(HatifError)
        .with.property('code', 'INVALID_TARGET');
    }
  });

  it('send variables as headers, one line each', () => {
    expect(headersOf({ orderId: 'A-1', vip_level: 'x\r\nVia: y' })).to.deep.equal([
      'X-Hatif-Order-Id: A-1',
      'X-Hatif-Vip-Level: x Via: y',
    ]);
  });

  it('connect again at once, then more slowly, not all at the same time', () => {
    expect(retryDelayMs(0, 0.5, false)).to.equal(0);
    expect([1, 2, 3, 9].map((attempts) => retryDelayMs(attempts, 0, false))).to.deep.equal([250, 500, 1_000, 8_000]);
    expect(retryDelayMs(9, 1, false)).to.equal(4_000);
    expect([0, 1, 2, 3, 9].map((attempts) => retryDelayMs(attempts, 0, true))).to.deep.equal([0, 250, 500, 500, 500]);
  });

  it('give up a connection that a dead network leaves open, sooner while somebody speaks', () => {
    expect([0, 1, 2, 3].map((attempts) => connectWithinMs(attempts, false))).to.deep.equal([
      10_000, 10_000, 10_000, 10_000,
    ]);
    expect([0, 1, 2, 3].map((attempts) => connectWithinMs(attempts, true))).to.deep.equal([
      3_000, 3_000, 10_000, 3_000,
    ]);
  });

  it('ring with a tone of their own', () => {
    const file = toneFile(RING);
    const audio = readWav(file);
    expect(audio.seconds).to.equal(4);
    const ringing = slice(audio, 0.2, 1.2);
    expect([toneShare(ringing, 440), toneShare(ringing, 480)].map((share) => share > 0.3)).to.deep.equal([true, true]);
    expect(rmsDb(slice(audio, 2, 4))).to.be.lessThan(-80);
  });
});

describe('the samples of a call in the browser', () => {
  const COUNTERS: Counters = {
    atMs: 0,
    ...{ packetsOut: 100, packetsIn: 100, packetsLost: 0, bytesOut: 1_000, bytesIn: 1_000 },
    ...{ energyOut: 1, energyIn: 1, jitterSeconds: 0.004, roundTripSeconds: 0.05 },
    ...{ levelOut: 0.2, levelIn: 0.3, codec: 'opus', path: 'relay' },
  };

  it('are what happened since the one before', () => {
    const now = {
      ...COUNTERS,
      atMs: 1_000,
      packetsOut: 150,
      packetsIn: 145,
      packetsLost: 5,
      energyOut: 1,
      energyIn: 2,
    };
    expect(sampleOf(COUNTERS, now)).to.deep.include({
      ...{ packetsOut: 50, packetsIn: 45, lossPercent: 10, roundTripMs: 50, jitterMs: 4 },
      ...{ hasSoundOut: false, hasSoundIn: true, codec: 'opus', path: 'relay' },
    });
  });

  it('know nothing of what a browser does not count, or of a stream that began again', () => {
    const restarted = { ...COUNTERS, packetsIn: 3, energyIn: null };
    const sample = sampleOf(COUNTERS, restarted);
    expect([sample.packetsIn, sample.lossPercent, sample.hasSoundIn, sample.mos]).to.deep.equal([
      ...[null, null, null, null],
    ]);
  });

  it('estimate what a listener thinks', () => {
    expect(mosOf(20, 2, 0)).to.be.within(4.3, 4.45);
    expect(mosOf(500, 40, 1)).to.be.within(3, 4);
    expect(mosOf(100, 10, 60)).to.equal(1);
    expect(mosOf(20, 2, null)).to.equal(null);
  });
});
