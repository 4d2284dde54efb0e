import { expect } from 'chai';
import { entriesAgainst, readBlockedNumber, readBlockedPrefix } from '../../../core/model/number/blocked-caller.js';
import { WITHHELD_NUMBER } from '../../../core/model/phone-numbers.js';

const shown = (caller: string, emergency?: ReadonlySet<string>): string[] =>
  entriesAgainst(caller, emergency).map(({ kind, number }) => `${kind} ${number ?? ''}`.trim());

describe('the entries that block a caller', () => {
  it('are its number, and each prefix of at least three digits', () => {
    expect(shown('+96650123')).to.deep.equal([
      'exact +96650123',
      'prefix +966',
      'prefix +9665',
      'prefix +96650',
      'prefix +966501',
      'prefix +9665012',
      'prefix +96650123',
    ]);
  });

  it('are only `withheld` for a caller without a number', () => {
    expect(shown(WITHHELD_NUMBER)).to.deep.equal(['withheld']);
  });

  it('are those of the international number if the carrier leaves the + out', () => {
    expect(shown('966501234567')).to.deep.equal(shown('+966501234567'));
    expect(shown('442071838750')).to.include('exact +442071838750');
  });

  it('include prefixes of a number that no numbering plan has', () => {
    expect(shown('+96650')).to.deep.equal(['exact +96650', 'prefix +966', 'prefix +9665', 'prefix +96650']);
    expect(shown(`+${'9'.repeat(40)}`).at(-1)).to.equal(`prefix +${'9'.repeat(15)}`);
  });

  for (const caller of ['911', '+911', '+966911', '997', '+966998']) {
    it(`are none for the emergency number ${caller}`, () => {
      expect(shown(caller)).to.deep.equal([]);
    });
  }

  it('follow the emergency numbers of the settings', () => {
    const own = new Set(['112']);
    expect(shown('+966112', own)).to.deep.equal([]);
    expect(shown('+966911', own)).to.include('prefix +966');
  });

  for (const caller of ['1001', 'sales', '', '112345678']) {
    it(`are none for "${caller}", which is no international number`, () => {
      expect(shown(caller)).to.deep.equal([]);
    });
  }
});

describe('the number of an entry', () => {
  it('is read in E.164 and in the Saudi national form', () => {
    expect(readBlockedNumber('0501234567')).to.equal('+966501234567');
    expect(readBlockedNumber('+44 20 7183 8750')).to.equal('+442071838750');
    for (const text of ['911', '+44', 'sales', '']) expect(readBlockedNumber(text), text).to.equal(null);
  });

  it('is read as a prefix of at least three digits', () => {
    for (const [text, prefix] of [
      ['+442', '+442'],
      ['004420', '+4420'],
      ['٠٥٠', '+96650'],
      ['+966501234567890', '+966501234567890'],
    ] as const)
      expect(readBlockedPrefix(text), text).to.equal(prefix);
    for (const text of ['+44', '+', '+44a', '+0442', '', '+9665012345678901'])
      expect(readBlockedPrefix(text), text).to.equal(null);
  });
});
