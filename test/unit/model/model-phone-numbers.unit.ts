import { expect } from 'chai';
import fc from 'fast-check';
import { asciiDigits, groupedNumber, parseNumber } from '../../../core/model/phone-numbers.js';

describe('phone numbers', () => {
  const accepted: [input: string, e164: string, kind: string][] = [
    ['+966501234567', '+966501234567', 'mobile'],
    ['00966501234567', '+966501234567', 'mobile'],
    ['0501234567', '+966501234567', 'mobile'],
    ['050 123 4567', '+966501234567', 'mobile'],
    ['+966 50-123-4567', '+966501234567', 'mobile'],
    ['+966.50.123.4567', '+966501234567', 'mobile'],
    ['  0501234567\t', '+966501234567', 'mobile'],
    ['\u200f0501234567\u200e', '+966501234567', 'mobile'],
    ['٠٥٠١٢٣٤٥٦٧', '+966501234567', 'mobile'],
    ['+۹۶۶۵۰۱۲۳۴۵۶۷', '+966501234567', 'mobile'],
    ['+966500000001', '+966500000001', 'mobile'],
    ['0112345678', '+966112345678', 'geographic'],
    ['(011) 234-5678', '+966112345678', 'geographic'],
    ['(011)2345678', '+966112345678', 'geographic'],
    ['+966 (11) 234 5678', '+966112345678', 'geographic'],
    ['0171234567', '+966171234567', 'geographic'],
    ['8001234567', '+9668001234567', 'toll_free'],
    ['800 123 4567', '+9668001234567', 'toll_free'],
    ['+9668001234567', '+9668001234567', 'toll_free'],
    ['920012345', '+966920012345', 'unified'],
    ['9200 12345', '+966920012345', 'unified'],
    ['+966920012345', '+966920012345', 'unified'],
    ['911', '911', 'emergency'],
    ['997', '997', 'emergency'],
    ['998', '998', 'emergency'],
    ['٩٩٩', '999', 'emergency'],
  ];
  for (const [input, e164, kind] of accepted) {
    it(`parse ${JSON.stringify(input)}`, () => expect(parseNumber(input)).to.deep.equal({ e164, kind }));
  }

  const refused = [
    '',
    '+',
    '966501234567',
    '501234567',
    '+96650123456',
    '+9665012345678',
    '05012345678',
    '+966101234567',
    '+966181234567',
    '0181234567',
    '+966801234567',
    '+966800123456',
    '08001234567',
    '0920012345',
    '+966921012345',
    '+966701234567',
    '+9660501234567',
    '0966501234567',
    '++966501234567',
    '+966+501234567',
    '050  1234567',
    '050--1234567',
    '0501234567-',
    '-0501234567',
    '0501234567 ext 5',
    '050123456a',
    'tel:+966501234567',
    '+966(501234567',
    '(0501234567',
    '+911',
    '912',
    '112233',
    '0501234567\n0501234567',
    '0501234567;phone-context=evil',
    `0501234567${' '.repeat(100)}`,
    '٠'.repeat(41),
  ];
  for (const input of refused) {
    it(`reject ${JSON.stringify(input.slice(0, 45))}`, () => {
      expect(parseNumber(input)).to.equal(null);
      expect(parseNumber(input, { allowForeign: true })).to.equal(null);
    });
  }

  const foreign: [input: string, e164: string][] = [
    ['+971501234567', '+971501234567'],
    ['00971 50 123 4567', '+971501234567'],
    ['+1 (202) 555-0123', '+12025550123'],
    ['+44 20 7183 8750', '+442071838750'],
  ];
  for (const [input, e164] of foreign) {
    it(`parse ${input} only if foreign numbers are allowed`, () => {
      expect(parseNumber(input)).to.equal(null);
      expect(parseNumber(input, { allowForeign: false })).to.equal(null);
      expect(parseNumber(input, { allowForeign: true })).to.deep.equal({ e164, kind: 'foreign' });
    });
  }

  for (const input of ['+97150', '+9990000000000', '+0501234567', '+12025550123456789', '+1202555']) {
    it(`reject the foreign ${input}`, () => expect(parseNumber(input, { allowForeign: true })).to.equal(null));
  }

  it('stay the same when parsed again', () => {
    for (const [input] of [...accepted, ...foreign]) {
      const once = parseNumber(input, { allowForeign: true })!;
      expect(parseNumber(once.e164, { allowForeign: true })).to.deep.equal(once);
    }
  });

  it('are always E.164 or an emergency number, whatever the input', () => {
    const written = fc.string({ unit: fc.constantFrom(...Array.from('0123456789+ -().٥۵a\u200f')), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(written, fc.string()), (input) => {
        const number = parseNumber(input, { allowForeign: true });
        if (number !== null) expect(number.e164).to.match(/^\+[1-9]\d{6,14}$|^(911|997|998|999)$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('have their Arabic digits converted', () => {
    expect(asciiDigits('٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹ x7')).to.equal('0123456789 0123456789 x7');
  });

  for (const [e164, grouped] of [
    ['+966501234567', '050-123-4567'],
    ['+966115550101', '011-555-0101'],
    ['+9668001234567', '800-123-4567'],
    ['+966920012345', '9200-12345'],
    ['+971501234567', '971-501-234-567'],
    ['+442079460000', '442-079-460-000'],
    ['911', '911'],
    ['1001', '1001'],
  ] as const) {
    it(`groups ${e164} as people say it`, () => expect(groupedNumber(e164)).to.equal(grouped));
  }
});
