import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { rolesTables } from '../../support/roles-page.js';

const PAGE = new URL('../../../docs/reference/accounts/roles.md', import.meta.url);
const START = '<!-- The tables are written by `HATIF_WRITE_ROLES=1 npm test -- roles-page`. -->';
const END = '<!-- End of the tables. -->';

describe('The page of roles', () => {
  it('has the table of the code', () => {
    const text = readFileSync(PAGE, 'utf8');
    const [before = '', rest = ''] = text.split(START);
    const [tables = '', after = ''] = rest.split(END);
    if (process.env.HATIF_WRITE_ROLES === '1') {
      writeFileSync(PAGE, `${before}${START}\n\n${rolesTables()}\n\n${END}${after}`);
      return;
    }
    expect(tables.trim()).to.equal(rolesTables());
  });
});
