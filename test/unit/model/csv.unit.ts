import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvLine } from '../../../core/model/csv.js';

describe('a line of CSV', () => {
  for (const [name, fields, line] of [
    ['joins its fields with commas', ['a', 1, true, null, 1.5], 'a,1,true,,1.5'],
    ['quotes fields with separators, quotes or line breaks', ['a,b', 'a"b', 'a\nb'], '"a,b","a""b","a\nb"'],
    ['keeps Arabic unchanged', ['قائمة، المبيعات', 'مكالمة'], 'قائمة، المبيعات,مكالمة'],
    ['neutralises formulas', ['=1+1', '@SUM(A1)', '-2+3', '+cmd|x', '\t=1'], "'=1+1,'@SUM(A1),'-2+3,'+cmd|x,'\t=1"],
    ['keeps numbers unchanged', ['+966501234517', '+96650••••17', '-12.5'], '+966501234517,+96650••••17,-12.5'],
  ] as const) {
    it(name, () => {
      expect(csvLine(fields)).to.equal(`${line}\r\n`);
    });
  }

  it('is parsed back by another program, whatever the fields', () => {
    const field = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(fc.array(field, { minLength: 2, maxLength: 8 }), (fields) => {
        const [read] = parse(csvLine(fields), { record_delimiter: '\r\n' });
        expect(read).to.have.length(fields.length);
        for (const [index, given] of fields.entries()) {
          const parsed = read![index]!;
          expect(
            parsed === given || parsed === `'${given}`,
            `${JSON.stringify(given)} is ${JSON.stringify(parsed)}`,
          ).to.equal(true);
          expect(parsed).not.to.match(/^[=@\t\r]/);
        }
      }),
    );
  });
});
