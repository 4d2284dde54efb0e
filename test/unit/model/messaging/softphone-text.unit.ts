import { expect } from 'chai';
import fc from 'fast-check';
import { failureOf, sipUserOf, textParts } from '../../../../core/model/messaging/softphone-text.js';

describe('a text to a softphone', () => {
  it('is one text up to 800 bytes', () => {
    expect(textParts('a'.repeat(800))).to.have.length(1);
    expect(textParts('a'.repeat(801)).map(({ length }) => length)).to.deep.equal([800, 1]);
    expect(textParts('مرحبًا')).to.deep.equal(['مرحبًا']);
  });

  it('is cut after a word, and loses nothing', () => {
    const words = 'طلبك في الطريق '.repeat(40);
    const parts = textParts(words);
    expect(parts.join('')).to.equal(words);
    expect(parts.length).to.be.within(2, 3);
    for (const part of parts.slice(0, -1)) expect(part.endsWith(' ')).to.equal(true);
  });

  it('keeps marks with their letters and halves of a character together', () => {
    const one = 'بً👨‍👩‍👧';
    const parts = textParts(one.repeat(60));
    for (const part of parts.slice(0, -1)) expect(part.startsWith('ب') || part.startsWith('👨'), part).to.equal(true);
    expect(parts.join('')).to.equal(one.repeat(60));
  });

  it('has parts of at most 800 bytes whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (text) => {
        const parts = textParts(text);
        expect(parts.join('')).to.equal(text);
        for (const part of parts) expect(Buffer.byteLength(part)).to.be.at.most(800);
      }),
      { numRuns: 50 },
    );
  });

  it('is from a user that an address can have', () => {
    expect(['+966112345678', '1001', 'My Shop', 'HATIF-AD'].map(sipUserOf)).to.deep.equal([
      ...['+966112345678', '1001', 'My-Shop', 'HATIF-AD'],
    ]);
    expect(sipUserOf('a@b>\r\nX: 1')).to.equal('a-b---X--1');
  });

  it('fails for the reason of the response', () => {
    expect([404, 403, 603, 415, 480, 486, 408, 500, 503, 600, null].map(failureOf)).to.deep.equal([
      ...['invalid_recipient', 'blocked', 'blocked', 'content_refused', 'unreachable', 'unreachable', 'unreachable'],
      ...['unreachable', 'unreachable', 'unreachable', 'unreachable'],
    ]);
  });
});
