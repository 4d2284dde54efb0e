import { expect } from 'chai';
import { HatifError } from '../../../../core/model/errors/index.js';
import { readUser } from '../../../../core/model/scim/user.js';

const read = (sent: object) => readUser({ userName: 'reem@example.com', ...sent });

describe('Users of SCIM', () => {
  it('are named by displayName, else name, else the parts of it, else the address', () => {
    const name = { formatted: 'Reem A.', givenName: 'Reem', familyName: 'Alharbi' };
    expect(read({ displayName: 'ريم', name }).name).to.equal('ريم');
    expect(read({ displayName: ' ', name }).name).to.equal('Reem A.');
    expect(read({ name: { ...name, formatted: null } }).name).to.equal('Reem Alharbi');
    expect(read({ name: { givenName: 'Reem' } }).name).to.equal('Reem');
    expect(read({}).name).to.equal('reem');
    expect(Array.from(read({ displayName: 'ر'.repeat(300) }).name)).to.have.length(100);
  });

  it('have the address of userName, else the primary one, else the first', () => {
    const emails = [{ value: 'first@example.com' }, { value: 'Main@Example.com', primary: 'True' }];
    expect(read({ emails }).email).to.equal('reem@example.com');
    expect(read({ userName: 'reem', emails }).email).to.equal('main@example.com');
    expect(read({ userName: 'reem', emails: emails.slice(0, 1) }).email).to.equal('first@example.com');
    expect(() => read({ userName: 'reem', emails: [] })).to.throw(HatifError, 'e-mail address');
  });

  it('are active unless the directory says otherwise, as a text too', () => {
    expect(
      [{}, { active: null }, { active: true }, { active: 'TRUE' }].map((sent) => read(sent).active),
    ).to.not.include(false);
    expect([{ active: false }, { active: 'False' }].map((sent) => read(sent).active)).to.not.include(true);
  });

  it('have the language of preferredLanguage, else of locale', () => {
    expect(read({ preferredLanguage: 'ar', locale: 'en-US' }).locale).to.equal('ar');
    expect(read({ locale: 'ar-SA' }).locale).to.equal('ar');
    expect(read({ locale: 'arn' }).locale).to.equal('en');
    expect(read({}).locale).to.equal(null);
  });

  it('are read in any case, without what is not kept', () => {
    const wanted = readUser({ USERNAME: 'a@example.com', Name: { GIVENNAME: 'A', middleName: 'B' }, title: 'x' });
    expect(wanted).to.deep.include({ userName: 'a@example.com', name: 'A' });
    expect(wanted.document).to.deep.equal({ name: { givenName: 'A' } });
  });

  for (const [what, sent] of [
    ['a name with line breaks', { displayName: 'a\nb' }],
    ['no userName', { userName: '' }],
    ['a userName that is no text', { userName: 7 }],
    ['an external id that is empty', { externalId: '' }],
    ['a truth value that is none', { active: 'perhaps' }],
    ['too many addresses', { emails: Array.from({ length: 21 }, () => ({ value: 'a@example.com' })) }],
  ] as const) {
    it(`are refused with ${what}`, () => {
      expect(() => read(sent))
        .to.throw(HatifError)
        .with.nested.property('slots.scim_type', 'invalidValue');
    });
  }
});
