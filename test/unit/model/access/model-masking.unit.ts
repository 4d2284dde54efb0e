import { expect } from 'chai';
import fc from 'fast-check';
import { maskNumber } from '../../../../core/model/access/masking.js';

const BULLETS = '\u2022\u2022\u2022\u2022';

describe('masking', () => {
  const masked: [address: string, shown: string][] = [
    ['+966501234517', `+96650${BULLETS}17`],
    ['+9668001234567', `+96680${BULLETS}67`],
    ['+12025550123', `+12025${BULLETS}23`],
    ['0501234517', `05${BULLETS}17`],
    ['1234567', `12${BULLETS}67`],
    ['920012', `${BULLETS}2`],
    ['1001', `${BULLETS}1`],
    ['911', BULLETS],
    ['', BULLETS],
    ['anonymous', 'anonymous'],
    ['Anonymous', 'Anonymous'],
    ['sip:+966501234517@carrier.example.com:5060;user=phone', `sip:+96650${BULLETS}17@carrier.example.com:5060`],
    ['sip:alice@example.com', `sip:${BULLETS}e@example.com`],
    ['sips:+966501234517:secret@example.com?Subject=x', `sips:+96650${BULLETS}17@example.com`],
    ['sip:anonymous@anonymous.invalid', 'sip:anonymous@anonymous.invalid'],
    ['sip:example.com', `sip:${BULLETS}`],
    ['sip:+966501234517', `sip:${BULLETS}`],
  ];
  for (const [address, shown] of masked) {
    it(`shows ${JSON.stringify(address)} as ${shown}`, () => expect(maskNumber(address)).to.equal(shown));
  }

  it('never reveals the middle digits', () => {
    const digits = fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 8, maxLength: 15 });
    fc.assert(
      fc.property(digits, fc.constantFrom('', '+', '00', 'sip:', 'sip:+'), (number, before) => {
        const shown = maskNumber(before.startsWith('sip:') ? `${before}${number}@host` : before + number);
        const [head = '', tail = ''] = shown.split(BULLETS);
        const full = before.replace('sip:', '') + number;
        const visible = head.replace('sip:', '').length + tail.replace('@host', '').length;
        expect(full.length - visible, shown).to.be.at.least(3);
        expect(full.startsWith(head.replace('sip:', ''))).to.equal(true);
        expect(full.endsWith(tail.replace('@host', ''))).to.equal(true);
      }),
    );
  });

  it('gives the same text for two numbers that differ only in the middle', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 9999 }), (one, other) => {
        const number = (middle: number) => `+966501${String(middle).padStart(4, '0')}17`;
        expect(maskNumber(number(one))).to.equal(maskNumber(number(other)));
      }),
    );
  });

  it('shows at most one character of an address of up to six', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789+')), maxLength: 6 }), (short) => {
        expect(maskNumber(short).replace(BULLETS, '').length).to.be.at.most(1);
      }),
    );
  });
});
