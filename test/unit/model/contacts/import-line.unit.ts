import { expect } from 'chai';
import { columnName, importColumn, repeatedColumns } from '../../../../core/model/contacts/import-columns.js';
import { readImportedNumber, readLine } from '../../../../core/model/contacts/import-line.js';

const columns = (...names: string[]) => names.map((name) => importColumn(name) ?? expect.fail(name));
const faultsOf = (names: string[], values: string[]): string[] => {
  const read = readLine(columns(...names), values);
  return Array.isArray(read) ? read.map(({ column, code }) => `${column ?? 'line'} ${code}`) : [];
};

describe('a line of a file of contacts', () => {
  for (const [name, column] of [
    ['Phone', 'phone'],
    [' رقم الجوال ', 'phone'],
    ['الاسم', 'name_ar'],
    ['custom.orders:number', 'custom.orders:number'],
    ['Custom.City', 'custom.city:text'],
    ['custom.1st', null],
    ['custom.x:date', null],
    ['constructor', null],
    ['', null],
  ] as const) {
    it(`has ${column === null ? 'no column' : `the column ${column}`} «${name}»`, () => {
      const found = importColumn(name);
      expect(found && columnName(found)).to.equal(column);
    });
  }

  it('names each column once', () => {
    expect(repeatedColumns(columns('phone', 'mobile', 'custom.a', 'custom.a:number', 'email'))).to.deep.equal([
      'phone',
      'custom.a',
    ]);
  });

  for (const [text, number] of [
    ['0501234567', '+966501234567'],
    ['501234567', '+966501234567'],
    ['966501234567', '+966501234567'],
    ["'+966501234567", '+966501234567'],
    ['٠٥٠١٢٣٤٥٦٧', '+966501234567'],
    ['9.66501E+11', null],
    ['911', null],
    ['Reem', null],
  ] as const) {
    it(`reads the number ${text} as spreadsheets leave it`, () => {
      expect(readImportedNumber(text)).to.equal(number);
    });
  }

  it('says what its values say; empty ones say nothing', () => {
    const names = ['phone', 'name_ar', 'name_en', 'language', 'tags', 'marketing_opted_out', 'custom.n:number'];
    const values = ['0501234567', ' ريم ', '', 'العربية', 'vip؛ new;vip;', 'لا', '٣.٥'];
    expect(readLine(columns(...names), values)).to.deep.equal({
      ...{ phone: '+966501234567', name_ar: 'ريم', language: 'ar', tags: ['vip', 'new'], marketing_opted_out: false },
      custom_fields: { n: 3.5 },
    });
    expect(readLine(columns('phone', 'email'), ['', 'A@B.co'])).to.deep.equal({ email: 'a@b.co', custom_fields: {} });
  });

  it('has every fault of its values', () => {
    expect(
      faultsOf(
        ['phone', 'email', 'time_zone', 'language', 'custom.n:number', 'custom.b:boolean', 'name_en'],
        ['12', 'x@', 'Riyadh', 'fr', '1e9', 'maybe', 'n'.repeat(101)],
      ),
    ).to.deep.equal([
      'phone INVALID_PHONE_NUMBER',
      ...['email', 'time_zone', 'language', 'custom.n:number', 'custom.b:boolean', 'name_en'].map(
        (column) => `${column} VALIDATION_ERROR`,
      ),
    ]);
    expect(faultsOf(['phone', 'email'], ['', ''])).to.deep.equal(['line VALIDATION_ERROR']);
    expect(faultsOf(['phone'], ['0501234567', 'x'])).to.deep.equal(['line VALIDATION_ERROR']);
    expect(faultsOf(['phone', 'name_en'], ['0501234567', 'a\0'])).to.deep.equal(['name_en VALIDATION_ERROR']);
  });
});
