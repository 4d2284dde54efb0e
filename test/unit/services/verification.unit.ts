import { expect } from 'chai';
import type { ChallengeView } from '../../../core/data/repositories/verification/challenges.js';
import { maskEmail } from '../../../core/model/access/masking.js';
import { blockOf, isBlocked } from '../../../core/services/verify/limits.js';
import { completedChallenge, endOf } from '../../../core/services/voice-auth/present.js';
import { allAuthWords } from '../../../core/services/voice-auth/words.js';

const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);

/** A challenge of two minutes, created at 0. */
const challenge = (changes: Partial<ChallengeView>): ChallengeView =>
  ({
    state: 'pending',
    expires_at: at(120),
    call_status: 'ringing',
    call_answered_at: null,
    call_ended_at: null,
    call_q850: null,
    ...changes,
  }) as ChallengeView;

describe('the derived end of a challenge', () => {
  const over = (call_status: ChallengeView['call_status'], seconds: number) => ({
    call_status,
    call_ended_at: at(seconds),
  });
  const answered = { call_answered_at: at(5) };
  for (const [what, row, seconds, end] of [
    ['is null while the telephone rings', {}, 119, null],
    ['is null during the conversation', { call_status: 'answered', ...answered }, 119, null],
    ['is expiry at the exact time', {}, 120, 'expired'],
    ['is expiry during the conversation', { call_status: 'answered', ...answered }, 120, 'expired'],
    ['is expiry before a call', { call_status: null }, 120, 'expired'],
    ['is a denial if the callee hung up', { ...over('ended', 10), ...answered, call_q850: 16 }, 10, 'denied'],
    ['is still a denial later', { ...over('ended', 10), ...answered, call_q850: 16 }, 500, 'denied'],
    ['is a failure if the line broke', { ...over('ended', 10), ...answered, call_q850: 27 }, 10, 'failed'],
    ['is expiry if the callee hung up after it', { ...over('ended', 125), ...answered, call_q850: 16 }, 130, 'expired'],
    ['is no_answer if nobody answered', over('missed', 45), 45, 'no_answer'],
    ['is no_answer if it never rang', over('timeout', 45), 500, 'no_answer'],
    ['is a failure of the carrier', over('failed', 1), 1, 'failed'],
    ['is a failure if the call was cancelled', over('cancelled', 1), 1, 'failed'],
    ['does not change a final state', { ...over('ended', 10), ...answered, state: 'approved' }, 500, 'approved'],
  ] as const satisfies readonly (readonly [string, Partial<ChallengeView>, number, string | null])[]) {
    it(what, () => expect(endOf(challenge(row), at(seconds))).to.equal(end));
  }
});

describe('the event of a challenge that has ended', () => {
  for (const sandbox of [true, false]) {
    it(`is ${sandbox ? 'a sandbox' : 'a live'} event, and says so, if the challenge is one`, () => {
      const event = completedChallenge(challenge({ number: '+966501234517', state: 'approved', sandbox }), at(60));
      expect(event).to.deep.include({ type: 'voice_auth.completed', sandbox, created_at: at(60) });
      expect(event.data).to.include({ state: 'approved', match_number: null, sandbox });
    });
  }
});

describe('recipients', () => {
  it('are masked except for the domain', () => {
    expect(maskEmail('reem@example.com')).to.equal('re••••@example.com');
    expect(maskEmail('"a@b"@example.com')).to.equal('"a••••@example.com');
    expect(maskEmail('al@example.com')).to.equal('••••@example.com');
    expect(maskEmail('nobody')).to.equal('••••');
  });

  it('are grouped in blocks of numbers', () => {
    expect(blockOf('+966501234517')).to.equal(blockOf('+966501239999')).and.not.to.equal(blockOf('+966501244517'));
  });

  it('are blocked by prefix', () => {
    expect(isBlocked('+88212345678', ['+881', '+882'])).to.equal(true);
    expect(isBlocked('+966882123456', ['+882'])).to.equal(false);
    expect(isBlocked('+966501234517', [])).to.equal(false);
  });
});

describe('the texts of authentication calls', () => {
  it('exist in both languages, with and without a brand', () => {
    for (const language of ['ar', 'en'] as const) {
      const texts = allAuthWords(language, 'Acme');
      expect(texts.filter((text) => text.includes('Acme'))).to.have.length(1);
      expect(allAuthWords(language, null).join(' ')).not.to.contain('null');
      expect(new Set(texts).size).to.equal(texts.length);
      for (const text of texts) expect(/[\u0600-\u06ff]/.test(text)).to.equal(language === 'ar');
    }
  });
});
