import { expect } from 'chai';
import {
  IDENTITY,
  isWebAor,
  matchesNumber,
  newWebAor,
  NUMBER_PATTERN,
  webSessionStatus,
} from '../../../core/model/web-calling.js';

const NOW = new Date('2026-01-31T06:00:00Z');
const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

describe('a web calling session', () => {
  const session = { connected_at: null, expires_at: at(60), ended_at: null, end_reason: null };

  for (const [what, changes, status] of [
    ['that no browser has used', {}, 'pending'],
    ['with a browser', { connected_at: at(-1) }, 'active'],
    ['whose time is up', { connected_at: at(-1), expires_at: NOW }, 'expired'],
    ['that the sweep ended', { ended_at: at(-1), end_reason: 'expired' }, 'expired'],
    ['that was revoked', { ended_at: at(-1), end_reason: 'revoked' }, 'revoked'],
    ['whose token was used again', { ended_at: at(-1), end_reason: 'reused' }, 'revoked'],
    ['whose agent is gone', { ended_at: at(-1), end_reason: 'agent_removed' }, 'revoked'],
  ] as const) {
    it(`${what} is ${status}`, () => {
      expect(webSessionStatus({ ...session, ...changes }, NOW)).to.equal(status);
    });
  }
});

describe('a pattern of numbers', () => {
  it('is a number in E.164, or its beginning', () => {
    for (const good of ['+966501234567', '+9665*', '+*']) expect(good, good).to.match(NUMBER_PATTERN);
    for (const bad of ['966*', '+0123', '+966**', '*', '+9665 *', '']) expect(bad, bad).to.not.match(NUMBER_PATTERN);
  });

  it('matches whole numbers, or beginnings; no patterns match any', () => {
    expect(matchesNumber('+966501234567', null)).to.equal(true);
    expect(matchesNumber('+966501234567', [])).to.equal(false);
    expect(matchesNumber('+966501234567', ['+96611*', '+9665*'])).to.equal(true);
    expect(matchesNumber('+966501234567', ['+96650123456'])).to.equal(false);
    expect(matchesNumber('+966501234567', ['+966501234567'])).to.equal(true);
  });
});

describe('the SIP user name of a browser', () => {
  it('is no name that an agent can have', () => {
    const aor = newWebAor();
    expect(isWebAor(aor)).to.equal(true);
    expect(newWebAor()).to.not.equal(aor);
    for (const other of ['1001', 'web.1001', 'web.0123456789abcdef0123456789ab-a1b2c3', `x${aor}`]) {
      expect(isWebAor(other), other).to.equal(false);
    }
  });
});

describe('an identity', () => {
  it('fits into a SIP address', () => {
    for (const good of ['reem', 'user-81', 'a.b_c~d']) expect(good, good).to.match(IDENTITY);
    for (const bad of ['', 'a b', 'a@b', 'ريم', 'a/b', 'x'.repeat(65)]) expect(bad, bad).to.not.match(IDENTITY);
  });
});
