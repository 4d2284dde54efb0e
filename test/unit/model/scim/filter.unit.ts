import { expect } from 'chai';
import { HatifError } from '../../../../core/model/errors/index.js';
import { parseFilter } from '../../../../core/model/scim/filter.js';

const KNOWN = ['userName', 'externalId', 'active', 'emails.value'];
const read = (text: string) => parseFilter(text, KNOWN);

/** Longer than any honest filter takes, and far shorter than a filter that makes a matcher try every way. */
const MOST_MS = 500;

describe('Filters of SCIM', () => {
  for (const [text, conditions] of [
    ['userName eq "reem@example.com"', [{ attribute: 'userName', value: 'reem@example.com' }]],
    ['  USERNAME   Eq "a"  ', [{ attribute: 'userName', value: 'a' }]],
    [
      'active eq true and externalId eq "7"',
      [
        { attribute: 'active', value: true },
        { attribute: 'externalId', value: '7' },
      ],
    ],
    ['externalId eq 7', [{ attribute: 'externalId', value: 7 }]],
    ['externalId eq null', [{ attribute: 'externalId', value: null }]],
    ['emails.value eq "a"', [{ attribute: 'emails.value', value: 'a' }]],
    ['emails[value eq "a"]', [{ attribute: 'emails.value', value: 'a' }]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [{ attribute: 'userName', value: 'a' }]],
    ['userName eq "say \\"hello\\" \\u0628 \\\\"', [{ attribute: 'userName', value: 'say "hello" ب \\' }]],
    ['userName eq "and eq ] . ["', [{ attribute: 'userName', value: 'and eq ] . [' }]],
  ] as const) {
    it(`understand ${text}`, () => {
      expect(read(text)).to.deep.equal(conditions);
    });
  }

  for (const text of [
    '',
    'userName',
    'userName eq',
    'userName eq reem',
    'userName co "a"',
    'userName pr',
    'title eq "a"',
    'userName eq "a" or active eq true',
    'userName eq "a" active eq true',
    'userName eq "a" and',
    'and userName eq "a"',
    'not (userName eq "a")',
    '(userName eq "a")',
    'userName eq "a',
    'userName eq "\\x"',
    'userName eq "line\nbreak"',
    'emails[value eq "a"',
    'emails[value eq "a"].type eq "b"',
    'emails.value.more eq "a"',
    "userName eq 'a'",
    'userName eq "a"; DROP TABLE users',
    `userName eq "${'a'.repeat(2_000)}"`,
  ]) {
    it(`refuse ${JSON.stringify(text.slice(0, 50))}`, () => {
      expect(() => read(text))
        .to.throw(HatifError)
        .with.nested.property('slots.scim_type', 'invalidFilter');
    });
  }

  for (const [what, text] of [
    ['backslashes without an end', `userName eq "${'\\a'.repeat(990)}`],
    ['quotation marks', '"'.repeat(2_000)],
    ['brackets in brackets', 'emails['.repeat(280)],
    ['parts of parts', 'a.'.repeat(1_000)],
    ['colons', 'a:'.repeat(1_000)],
    ['versions', `urn:${'1.1'.repeat(600)}`],
    ['white space', ' '.repeat(2_000)],
  ] as const) {
    it(`refuse ${what} as quickly as anything else`, () => {
      const startedAt = performance.now();
      expect(() => read(text)).to.throw(HatifError);
      expect(performance.now() - startedAt).to.be.below(MOST_MS);
    });
  }
});
