import { expect } from 'chai';
import { erasureOf, hiddenColumns, listedColumns, secretColumns } from '../../../../core/model/privacy/columns.js';
import { PERSONAL_DATA } from '../../../../core/model/privacy/personal-data.js';

describe('the table of personal data', () => {
  it('lists each column of a table once', () => {
    for (const [table, rule] of Object.entries(PERSONAL_DATA)) {
      const columns = listedColumns(rule);
      expect(columns, table).to.have.lengthOf(new Set(columns).size);
    }
  });

  it('hides secrets and the state of the platform from archives', () => {
    expect(secretColumns('users')).to.include('password_hash');
    expect(hiddenColumns('users')).to.include('password_hash');
    expect(hiddenColumns('call_timeline')).to.deep.equal(['data']);
  });

  it('says what an erasure does with a column', () => {
    expect(erasureOf('charges', 'number')).to.equal('cdr');
    expect(erasureOf('charges', 'kind')).to.be.null;
    expect(erasureOf('no_such_table', 'number')).to.be.null;
  });
});
