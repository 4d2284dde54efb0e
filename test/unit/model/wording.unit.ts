import bidiFactory, { type Bidi } from 'bidi-js';
import { expect } from 'chai';
import { ERROR_CODES, errorRow, HatifError, invalidField, validationError } from '../../../core/model/errors/index.js';
import {
  arabic,
  describeSlots,
  fillSlots,
  isolate,
  plainArabic,
  writtenCount,
} from '../../../core/model/wording/wording.js';

const bidi = (bidiFactory as unknown as () => Bidi)();
const SLOT = /\{(\w+)(?::\w+)?\}/g;
const ISOLATES = /[\u2066-\u2069]/g;

/** Returns the characters of a right-to-left line in visual order, from left to right. */
function shown(text: string): string {
  const levels = bidi.getEmbeddingLevels(text, 'rtl');
  return bidi.getReorderedString(text, levels).replace(ISOLATES, '');
}

/** The parts of a text that are not Arabic: words in other letters with the adjacent characters. */
function foreignParts(text: string): readonly string[] {
  return (
    text
      .replace(/\u2068([^\u2069]*)\u2069/g, (isolated) => isolated.replace(/ /g, '\u00a0'))
      .replace(ISOLATES, '')
      .match(/[^\s\u0600-\u06ff«»]*[A-Za-z0-9][^\s\u0600-\u06ff«»]*/g) ?? []
  )
    .map((part) =>
      part
        .replace(/\u00a0/g, ' ')
        .replace(/[.:)]+$/, '')
        .replace(/^\(+/, ''),
    )
    .filter((part) => part !== '');
}

describe('Arabic texts with values', () => {
  for (const value of [
    '2026-11-22T09:14:03.120Z',
    '+966501234567',
    'https://example.com/hooks?id=7#top',
    '-12.50',
    'events[1]',
    'sk_live_',
    'sip:user@host',
    '10:30',
    '{"challenge": "x"}',
  ]) {
    it(`show ${value} in order in every message of the error catalogue`, () => {
      const wrong: string[] = [];
      for (const code of ERROR_CODES) {
        const text = fillSlots(errorRow(code).message_ar, 'ar', () => value);
        const count = text.split(value).length - 1;
        if (shown(text).split(value).length - 1 !== count) wrong.push(code);
      }
      expect(wrong).to.deep.equal([]);
    });
  }

  it('show every Latin part of the catalogue in order, also in hints, whose pages show backticked parts as code', () => {
    const wrong: string[] = [];
    for (const code of ERROR_CODES) {
      const { message_ar, hint_ar } = errorRow(code);
      for (const template of [message_ar.replace(SLOT, ''), hint_ar]) {
        const text = plainArabic(template);
        const seen = shown(text);
        for (const part of foreignParts(text)) if (!seen.includes(part)) wrong.push(`${code}: ${part}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('would show a date, a number and an amount out of order without isolates', () => {
    for (const value of ['2026-11-22T09:14:03Z', '+966501234567', '-12.50']) {
      expect(shown(`انتهت في ${value}.`)).to.not.contain(value);
      expect(shown(arabic`انتهت في ${value}.`)).to.contain(value);
    }
  });

  it('isolate values that are neither Arabic nor plain numbers', () => {
    expect(isolate('+966')).to.equal('\u2068+966\u2069');
    expect(isolate('30')).to.equal('30');
    expect(isolate('قائمة 1')).to.equal('قائمة 1');
    expect(isolate('')).to.equal('');
    // A value cannot end its isolate.
    expect(isolate('a\u2069b\u202e')).to.equal('\u2068ab\u2069');
    expect(arabic`من ${['a', 'b']}`).to.equal('من \u2068a\u2069، \u2068b\u2069');
    expect(plainArabic('بعد `from`، و`3`')).to.equal('بعد \u2068from\u2069، و3');
  });

  it('isolate values of errors and of their details', () => {
    const error = new HatifError('EXPIRED_API_KEY', { expired_at: '2026-11-22T09:14:03Z' });
    expect(error.messageAr).to.contain('\u20682026-11-22T09:14:03Z\u2069');
    expect(error.message).to.contain('2026-11-22T09:14:03Z').and.to.not.match(ISOLATES);
    const field = invalidField('from', { en: 'must not be later than to', ar: 'يجب ألا يكون بعد `to`' });
    expect(field.messageAr).to.equal('الطلب غير صالح: \u2068from\u2069: يجب ألا يكون بعد \u2068to\u2069');
    expect(field.details?.[0]?.message_ar).to.equal('يجب ألا يكون بعد \u2068to\u2069');
    expect(validationError([{ path: 'to', message: 'is wrong' }]).details?.[0]).to.not.have.property('message_ar');
  });

  it('close the isolates of a truncated value', () => {
    const list = arabic`إحدى القيم: ${Array.from({ length: 200 }, (_, index) => `value-${index}`)}`;
    const { messageAr } = invalidField('kind', { en: 'must be one of them', ar: list });
    expect(messageAr.split('\u2068')).to.have.lengthOf(messageAr.split('\u2069').length);
  });
});

describe('counted slots', () => {
  for (const [seconds, ar, en] of [
    [0, '0 ثانية', '0 seconds'],
    [1, 'ثانية واحدة', '1 second'],
    [2, 'ثانيتين', '2 seconds'],
    [3, '3 ثوانٍ', '3 seconds'],
    [5, '5 ثوانٍ', '5 seconds'],
    [10, '10 ثوانٍ', '10 seconds'],
    [11, '11 ثانية', '11 seconds'],
    [30, '30 ثانية', '30 seconds'],
    [100, '100 ثانية', '100 seconds'],
    [103, '103 ثوانٍ', '103 seconds'],
    [120, '120 ثانية', '120 seconds'],
    [2.5, '2.5 ثانية', '2.5 seconds'],
  ] as const) {
    it(`inflect the noun for ${seconds} seconds`, () => {
      expect(writtenCount(seconds, 'second', 'ar')).to.equal(ar);
      expect(writtenCount(seconds, 'second', 'en')).to.equal(en);
      const error = new HatifError('OTP_RESEND_TOO_SOON', { retry_after_seconds: seconds });
      expect(error.messageAr).to.contain(`بعد ${ar}.`);
      expect(error.message).to.contain(`${en}.`);
      expect(error.retryAfterSeconds).to.equal(seconds);
    });
  }

  for (const [n, days] of [
    [1, 'يوم واحد'],
    [2, 'يومين'],
    [7, '7 أيام'],
    [11, '11 يومًا'],
    [100, '100 يوم'],
  ] as const) {
    it(`inflect a masculine noun for ${n} days`, () => expect(writtenCount(n, 'day', 'ar')).to.equal(days));
  }

  it('use the nominative on request', () =>
    expect(writtenCount(2, 'attempt', 'ar', 'nominative')).to.equal('محاولتان'));

  it('stay unchanged without a value, and are plain slots for other nouns or values', () => {
    expect(fillSlots('بعد {n:second}', 'ar', () => undefined)).to.equal('بعد {n:second}');
    expect(fillSlots('in {n:second}', 'en', () => 'a while')).to.equal('in a while');
    expect(fillSlots('بعد {n:constructor}', 'ar', () => 3)).to.equal('بعد 3');
  });

  it('are shown in documentation by their names', () => {
    expect(describeSlots('بعد {n:second} من {day}', 'ar')).to.equal('بعد `n` ثانية من `day`');
    expect(describeSlots('in {n:second}', 'en')).to.equal('in `n` seconds');
  });
});
