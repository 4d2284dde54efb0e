import { expect } from 'chai';
import type { Sample } from '../../../packages/web/src/quality/sample.js';
import { WARNINGS } from '../../../packages/web/src/quality/warning-texts.js';
import { Warnings, type Surroundings } from '../../../packages/web/src/quality/warnings.js';

const GOOD: Sample = {
  atMs: 0,
  ...{ roundTripMs: 40, jitterMs: 3, lossPercent: 0, mos: 4.4 },
  ...{ packetsOut: 50, packetsIn: 50, bytesOut: 8_000, bytesIn: 8_000 },
  ...{ levelOut: 0.1, levelIn: 0.1, hasSoundOut: true, hasSoundIn: true },
  ...{ codec: 'opus', path: 'host' },
};
const AROUND: Surroundings = { isMuted: false, isHeld: false, microphone: 'live', isPlaybackBlocked: false };

/** What a call with these samples, a second apart, reports: `+name reason` and `-name`, with the second. */
function reported(samples: readonly Partial<Sample>[], around: Partial<Surroundings> = {}): string[] {
  const warnings = new Warnings();
  return samples.flatMap((sample, second) => {
    const { raised, cleared } = warnings.add({ ...GOOD, ...sample, atMs: second * 1_000 }, { ...AROUND, ...around });
    return [
      ...raised.map(({ name, reason }) => `${second} +${name} ${reason}`),
      ...cleared.map((name) => `${second} -${name}`),
    ];
  });
}

const times = (count: number, sample: Partial<Sample>): Partial<Sample>[] =>
  Array.from({ length: count }, () => sample);

describe('the warnings of a call in the browser', () => {
  it('report nothing of a good call', () => {
    expect(reported(times(20, {}))).to.deep.equal([]);
  });

  it('report silence after three seconds, with its side and reason, and its end', () => {
    const silent = { packetsIn: 0, hasSoundIn: false };
    expect(reported([{}, ...times(4, silent), {}])).to.deep.equal([
      '3 +no_audio_in nothing_received',
      '5 -no_audio_in',
    ]);
    expect(reported([...times(3, { hasSoundIn: false })])).to.deep.equal(['2 +no_audio_in silence_received']);
    expect(reported(times(3, { hasSoundOut: false }))).to.deep.equal(['2 +no_audio_out microphone_silent']);
    expect(reported(times(3, { packetsOut: 0 }))).to.deep.equal(['2 +no_audio_out nothing_sent']);
    expect(reported(times(3, { packetsOut: 0, hasSoundOut: false }))).to.deep.equal([
      '2 +no_audio_out microphone_paused',
    ]);
    expect(reported(times(2, silent))).to.deep.equal([]);
  });

  it('report a microphone that is gone or muted by the system, and sound that the browser blocks', () => {
    expect(reported(times(3, {}), { microphone: 'gone' })).to.deep.equal(['2 +no_audio_out microphone_gone']);
    expect(reported(times(3, {}), { microphone: 'muted' })).to.deep.equal(['2 +no_audio_out microphone_muted']);
    expect(reported(times(3, {}), { isPlaybackBlocked: true })).to.deep.equal(['2 +no_audio_in playback_blocked']);
  });

  it('take silence that a person wanted for no fault', () => {
    const silent = { packetsIn: 0, packetsOut: 0, hasSoundIn: false, hasSoundOut: false };
    expect(reported(times(9, silent), { isHeld: true })).to.deep.equal([]);
    expect(reported(times(9, { hasSoundOut: false }), { isMuted: true })).to.deep.equal([]);
  });

  it('report a new reason of the same silence', () => {
    const samples = [...times(3, { hasSoundOut: false }), { packetsOut: 0 }];
    expect(reported(samples)).to.deep.equal(['2 +no_audio_out microphone_silent', '3 +no_audio_out nothing_sent']);
  });

  it('report bad quality when it lasts, and its end when it is good for five seconds', () => {
    const bad = { lossPercent: 9 };
    expect(reported([bad, {}, {}, {}, {}, bad, {}, {}])).to.deep.equal([]);
    expect(reported([bad, {}, bad, bad, ...times(5, {})])).to.deep.equal(['3 +high_loss high_loss', '8 -high_loss']);
    expect(reported(times(3, { roundTripMs: 900, jitterMs: 90, mos: 2 }))).to.deep.equal([
      '2 +high_round_trip high_round_trip',
      '2 +high_jitter high_jitter',
      '2 +low_mos low_mos',
    ]);
  });

  it('forget how long there was silence after an interruption', () => {
    const warnings = new Warnings();
    const silent = { ...GOOD, packetsIn: 0 };
    warnings.add({ ...silent, atMs: 0 }, AROUND);
    warnings.restart();
    expect(warnings.add({ ...silent, atMs: 2_000 }, AROUND).raised).to.deep.equal([]);
    expect(warnings.add({ ...silent, atMs: 4_000 }, AROUND).raised).to.have.length(1);
    expect(warnings.active.map(({ side }) => side)).to.deep.equal(['in']);
  });

  it('have texts and advice in both languages', () => {
    for (const [reason, { message, hint, messageAr, hintAr }] of Object.entries(WARNINGS)) {
      for (const text of [message, hint]) expect(text, reason).to.match(/^[A-Z].*\.$/);
      for (const text of [messageAr, hintAr]) expect(text, reason).to.match(/^[\u0600-\u06ff].*\.$/);
    }
  });
});
