import { expect } from 'chai';
import { estimateMos, mediaQuality, type Impairments, type MediaFacts } from '../../../core/model/call/quality.js';

const CLEAN: Impairments = { codec: 'alaw', lossShare: 0, jitterMs: 0, roundTripMs: 0 };

const FACTS: MediaFacts = {
  codec: 'alaw',
  packetsSent: 500,
  packetsReceived: 500,
  packetsLost: 0,
  jitterMs: 1,
  roundTripMs: 10,
};

describe('estimated MOS', () => {
  const cases: readonly (readonly [what: string, Partial<Impairments>, mos: number])[] = [
    ['no impairment', {}, 4.4],
    ['an unknown codec', { codec: null }, 4.4],
    ['a wideband codec', { codec: 'opus' }, 4.4],
    ['1 % loss', { lossShare: 0.01 }, 3.82],
    ['5 % loss', { lossShare: 0.05 }, 2.14],
    ['20 % loss', { lossShare: 0.2 }, 1.11],
    ['nothing but loss', { lossShare: 1 }, 1],
    ['G.729', { codec: 'g729' }, 4.09],
    ['G.729 with 5 % loss', { codec: 'g729', lossShare: 0.05 }, 3.32],
    ['a round trip of 200 ms', { roundTripMs: 200 }, 4.35],
    ['a round trip of 600 ms', { roundTripMs: 600 }, 3.59],
    ['a satellite and a poor network', { roundTripMs: 1_200, jitterMs: 60, lossShare: 0.03 }, 1],
    ['30 ms of jitter', { jitterMs: 30 }, 4.37],
    ['an extreme delay', { roundTripMs: 10_000 }, 1],
  ];
  for (const [what, impairments, mos] of cases) {
    it(`${what}: ${mos}`, () => {
      expect(estimateMos({ ...CLEAN, ...impairments })).to.be.closeTo(mos, 0.01);
    });
  }

  it('never rises when an impairment grows', () => {
    for (const name of ['lossShare', 'jitterMs', 'roundTripMs'] as const) {
      const step = name === 'lossShare' ? 0.01 : 10;
      const scores = Array.from({ length: 101 }, (_, at) => estimateMos({ ...CLEAN, [name]: at * step }));
      expect(scores).to.deep.equal([...scores].sort((a, b) => b - a));
    }
  });
});

describe('media quality', () => {
  it('gives loss as a share of expected packets', () => {
    expect(mediaQuality({ ...FACTS, packetsReceived: 90, packetsLost: 10 })).to.include({ lossShare: 0.1, mos: 1.46 });
  });

  it('has no loss or MOS if no audio arrived', () => {
    const silent = { ...FACTS, packetsReceived: 0, packetsLost: 0 };
    expect(mediaQuality(silent)).to.deep.equal({ ...silent, lossShare: null, mos: null });
  });

  it('is null if no packet was sent or received', () => {
    expect(mediaQuality({ ...FACTS, packetsSent: 0, packetsReceived: 0 })).to.equal(null);
  });

  it('counts unmeasured values as no impairment', () => {
    const unmeasured = mediaQuality({ ...FACTS, jitterMs: null, roundTripMs: null });
    expect(unmeasured).to.include({ jitterMs: null, roundTripMs: null, lossShare: 0, mos: 4.4 });
  });
});
