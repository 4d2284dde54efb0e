import { expect } from 'chai';
import { SegmentedMessage } from 'sms-segments-calculator';
import { gsmText, smsParts, smsSegments, ucs2Text } from '../../../../core/model/messaging/sms-text.js';

describe('the text of an SMS', () => {
  const texts: readonly string[] = [
    'Hello',
    '',
    'a'.repeat(160),
    'a'.repeat(161),
    'a'.repeat(306),
    'a'.repeat(307),
    '€'.repeat(80),
    '€'.repeat(81),
    `${'a'.repeat(152)}€${'b'.repeat(10)}`,
    'طلبك في الطريق',
    'ب'.repeat(70),
    'ب'.repeat(71),
    'ب'.repeat(134),
    'ب'.repeat(135),
    `${'ب'.repeat(66)}😀${'ت'.repeat(10)}`,
    '{[~]}|^\\',
    'ÄÖÜ ñ ¿¡ @£$¥',
    'It’s',
  ];
  for (const text of texts) {
    const shown = `${text.slice(0, 12)} (${text.length})`;
    it(`counts the messages of ${shown} like an independent calculator`, () => {
      // It counts an empty text as none.
      const expected = Math.max(1, new SegmentedMessage(text, 'auto', false).segmentsCount);
      expect(smsSegments(text)).to.equal(expected);
    });

    it(`is read again as it was written: ${shown}`, () => {
      for (const referenceBytes of [1, 2] as const) {
        const { encoding, parts } = smsParts(text, referenceBytes);
        const read = encoding === 'gsm7' ? gsmText : ucs2Text;
        expect(parts.map((part) => read(part)).join('')).to.equal(text);
      }
    });
  }

  it('has shorter parts beside a reference of two bytes', () => {
    const lengths = (text: string) => smsParts(text, 2).parts.map(({ length }) => length);
    expect(lengths('a'.repeat(306))).to.deep.equal([152, 152, 2]);
    expect(lengths('ب'.repeat(134))).to.deep.equal([132, 132, 4]);
  });

  it('has a blank for a code that no table knows', () => {
    expect(gsmText(Buffer.from([0x1b, 0x01, 0x41, 0x80]))).to.equal(' A ');
    expect(ucs2Text(Buffer.from([0x06, 0x28, 0x06]))).to.equal('ب');
  });
});
