import { expect } from 'chai';
import fc from 'fast-check';
import { readNumberLines } from '../../../core/model/number/import.js';
import { PORTING_STATUSES, portingStatusesBefore } from '../../../core/model/number/porting.js';
import { ANY_NUMBER, matchesSearch, likePatterns, readPattern, readPrefix } from '../../../core/model/number/search.js';
import { isNumberMove, NUMBER_STATES } from '../../../core/model/number/states.js';

describe('states of numbers', () => {
  const moves = NUMBER_STATES.flatMap((from) =>
    NUMBER_STATES.filter((to) => isNumberMove(from, to)).map((to) => `${from} ${to}`),
  );

  it('change only as listed', () => {
    expect(moves).to.deep.equal([
      'available reserved',
      'available assigned',
      'available released',
      'reserved available',
      'reserved assigned',
      'reserved released',
      'assigned released',
      'assigned quarantined',
      'porting assigned',
      'porting released',
      'released available',
      'released reserved',
      'released assigned',
      'released porting',
      'quarantined available',
      'quarantined released',
    ]);
  });

  it('never assign a quarantined number directly', () => {
    expect(
      moves.filter((move) => move.startsWith('quarantined ') && /reserved|assigned|porting/.test(move.slice(12))),
    ).to.deep.equal([]);
  });
});

describe('a search for numbers', () => {
  const prefixes: [string, string | null][] = [
    ['+96611', '+96611'],
    ['0096611', '+96611'],
    ['96611', '+96611'],
    ['011', '+96611'],
    ['٠١١', '+96611'],
    ['05', '+9665'],
    ['800', '+966800'],
    ['9200', '+9669200'],
    ['+1', '+1'],
    ['00', null],
    ['', null],
    ['abc', null],
    ['+', null],
    ['11%', null],
  ];
  for (const [text, read] of prefixes)
    it(`parses the prefix ${text} as ${String(read)}`, () => expect(readPrefix(text)).to.equal(read));

  const patterns: [string, string | null][] = [
    ['*5555', '*5555'],
    ['**5555', '*5555'],
    ['+966*', '966*'],
    ['*٥٥', '*55'],
    ['?????', '?????'],
    ['5_5', null],
    ['%', null],
    ['', null],
    ['*'.repeat(33), null],
  ];
  for (const [text, read] of patterns)
    it(`parses the pattern ${text} as ${String(read)}`, () => expect(readPattern(text)).to.equal(read));

  it('matches like the database', () => {
    // The semantics of SQL's LIKE.
    const like = (text: string, pattern: string): boolean =>
      new RegExp(`^${pattern.replace('+', '\\+').replaceAll('%', '.*').replaceAll('_', '.')}$`).test(text);
    const digits = fc.stringMatching(/^[0-9]{1,12}$/);
    fc.assert(
      fc.property(digits, fc.stringMatching(/^[0-3*?]{1,8}$/), (number, text) => {
        const pattern = readPattern(text);
        if (pattern === null) return;
        const e164 = `+${number.replace(/[4-9]/g, '2')}`;
        const search = { ...ANY_NUMBER, pattern };
        const [, wanted] = likePatterns(search);
        expect(matchesSearch({ e164, kind: 'foreign' }, search)).to.equal(like(e164, wanted));
      }),
    );
  });

  it('is not slowed down by a hostile pattern', () => {
    const search = { ...ANY_NUMBER, pattern: '*1*1*1*1*1*1*1*1*1*1*1*1*1*1*1*2' };
    expect(matchesSearch({ e164: `+${'1'.repeat(15)}`, kind: 'foreign' }, search)).to.equal(false);
  });
});

describe('a file of numbers', () => {
  const read = (...lines: [string, string?][]) =>
    readNumberLines(lines.map(([number, type = ''], index) => ({ line: index + 2, number, type })));

  it('contains numbers and ranges', () => {
    const { numbers, faults } = read(['0115550001'], ['+966115550010-+966115550012', 'geographic'], ['800 123 4567']);
    expect(faults).to.deep.equal([]);
    expect(numbers.map(({ line, e164, kind }) => `${line} ${e164} ${kind}`)).to.deep.equal([
      '2 +966115550001 geographic',
      '3 +966115550010 geographic',
      '3 +966115550011 geographic',
      '3 +966115550012 geographic',
      '4 +9668001234567 toll_free',
    ]);
  });

  it('reports faults line by line', () => {
    const { numbers, faults } = read(
      ['12'],
      ['911'],
      ['0115550001', 'mobile'],
      ['+966115550010-+966115550009'],
      ['+966115550010-+9661155500110'],
      ['+966180000000-+966180000001'],
      ['0115550001'],
      ['+966115550001'],
      ['+966100000000-+966199999999'],
    );
    expect(numbers.map(({ line }) => line)).to.deep.equal([8]);
    expect(faults.map(({ line, message }) => `${line}: ${message}`)).to.deep.equal([
      '2: 12 is not a phone number',
      '3: 911 is not a phone number',
      '4: +966115550001 is geographic, not mobile',
      '5: +966115550010-+966115550009 is not a range: the last number comes before the first',
      '6: +966115550010-+9661155500110 is not a range: the last number comes before the first',
      '7: +966180000000-+966180000001 is not a range of phone numbers: +966180000000 is not valid',
      '9: +966115550001 is already in line 8',
      '10: +966100000000-+966199999999 is a range of more than 1000000 numbers',
    ]);
  });
});

describe('a porting request', () => {
  it('changes status only as listed', () => {
    const steps = PORTING_STATUSES.map((to) => `${portingStatusesBefore(to).join('|')} → ${to}`);
    expect(steps).to.deep.equal([
      ' → draft',
      'draft → submitted',
      'submitted → in_review',
      'in_review → scheduled',
      'scheduled → completed',
      'submitted|in_review|scheduled → rejected',
      'draft|submitted|in_review|scheduled → cancelled',
    ]);
  });
});
