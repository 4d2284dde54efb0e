import { expect } from 'chai';
import {
  Q850_CAUSES,
  causeName,
  hangupCause,
  outcomeOfUnanswered,
  q850FromSip,
  sipFromQ850,
} from '../../../core/model/call/hangup-cause.js';

describe('hangup causes', () => {
  // RFC 3398 §7.2.4.1, in full.
  const toSip: [q850: number, sip: number | null][] = [
    [1, 404],
    [2, 404],
    [3, 404],
    [16, null],
    [17, 486],
    [18, 408],
    [19, 480],
    [20, 480],
    [21, 403],
    [22, 410],
    [23, 410],
    [26, 404],
    [27, 502],
    [28, 484],
    [29, 501],
    [31, 480],
    [34, 503],
    [38, 503],
    [41, 503],
    [42, 503],
    [47, 503],
    [55, 403],
    [57, 403],
    [58, 503],
    [65, 488],
    [70, 488],
    [79, 501],
    [87, 403],
    [88, 503],
    [102, 504],
    [111, 500],
    [127, 500],
  ];
  for (const [q850, sip] of toSip) {
    it(`map ${q850} to SIP ${sip ?? 'BYE or CANCEL'}`, () => expect(sipFromQ850(q850)).to.equal(sip));
  }

  it('map to 500 if RFC 3398 does not list them, even if they are unknown', () => {
    const listed = new Set(toSip.map(([q850]) => q850));
    const others = Q850_CAUSES.filter((q850) => !listed.has(q850));
    expect(others.length).to.be.greaterThan(30);
    for (const q850 of [...others, 0, 15, 200]) expect(sipFromQ850(q850), String(q850)).to.equal(500);
  });

  // RFC 3398 §8.2.6.1, then codes outside its table, which count as their class's x00 (RFC 3261
  // §8.1.3.2).
  const fromSip: [sip: number, q850: number][] = [
    [400, 41],
    [401, 21],
    [402, 21],
    [403, 21],
    [404, 1],
    [405, 63],
    [406, 79],
    [407, 21],
    [408, 102],
    [410, 22],
    [413, 127],
    [414, 127],
    [415, 79],
    [416, 127],
    [420, 127],
    [421, 127],
    [423, 127],
    [480, 18],
    [481, 41],
    [482, 25],
    [483, 25],
    [484, 28],
    [485, 1],
    [486, 17],
    [487, 16],
    [488, 65],
    [500, 41],
    [501, 79],
    [502, 38],
    [503, 41],
    [504, 102],
    [505, 127],
    [513, 127],
    [600, 17],
    [603, 21],
    [604, 1],
    [606, 65],
    [200, 16],
    [302, 23],
    [499, 41],
    [580, 41],
    [699, 17],
    [799, 127],
  ];
  for (const [sip, q850] of fromSip) {
    it(`map SIP ${sip} to ${q850}`, () => expect(q850FromSip(sip)).to.equal(q850));
  }

  const outcomes: [q850: number, outcome: string][] = [
    [17, 'missed busy'],
    [18, 'missed no_answer'],
    [19, 'missed no_answer'],
    [20, 'missed no_answer'],
    [16, 'missed no_answer'],
    [21, 'missed rejected'],
    [24, 'missed rejected'],
    [1, 'failed invalid_number'],
    [5, 'failed invalid_number'],
    [22, 'failed invalid_number'],
    [28, 'failed invalid_number'],
    [34, 'failed congestion'],
    [38, 'failed congestion'],
    [41, 'failed congestion'],
    [42, 'failed congestion'],
    [44, 'failed congestion'],
    [47, 'failed congestion'],
    [3, 'failed failed'],
    [27, 'failed failed'],
    [88, 'failed failed'],
    [127, 'failed failed'],
    [0, 'failed failed'],
    [250, 'failed failed'],
  ];
  for (const [q850, expected] of outcomes) {
    it(`make an unanswered call ${expected} for ${q850}`, () => {
      const { status, disposition } = outcomeOfUnanswered(q850);
      expect(`${status} ${disposition}`).to.equal(expected);
    });
  }

  it('have unique names', () => {
    const names = Q850_CAUSES.map(causeName);
    expect(names).to.not.include(null);
    expect(new Set(names).size).to.equal(Q850_CAUSES.length);
    expect(causeName(17)).to.equal('USER_BUSY');
    expect(causeName(15)).to.equal(null);
  });

  it('keep the SIP code that was received', () => {
    expect(hangupCause(21)).to.deep.equal({ q850: 21, sipCode: 403, text: 'Call rejected' });
    expect(hangupCause(21, 603)).to.deep.equal({ q850: 21, sipCode: 603, text: 'Call rejected' });
    expect(hangupCause(16, null)).to.deep.equal({ q850: 16, sipCode: null, text: 'Normal call clearing' });
    expect(hangupCause(0).text).to.equal('Unknown cause 0');
  });
});
