import { expect } from 'chai';
import { HatifError } from '../../../../core/model/errors/index.js';
import { patched, type PatchOperation } from '../../../../core/model/scim/patch.js';
import { GROUP_SHAPE, USER_SHAPE, type Document, type Shape } from '../../../../core/model/scim/shape.js';

const REEM: Document = {
  userName: 'reem@example.com',
  active: true,
  name: { givenName: 'Reem', familyName: 'Alharbi' },
  emails: [
    { value: 'reem@example.com', type: 'work', primary: true },
    { value: 'reem@home.example', type: 'home' },
  ],
};
const TEAM: Document = { displayName: 'Team', members: [{ value: 'a' }, { value: 'b' }] };

const changed = (operation: PatchOperation, before: Document = REEM, shape: Shape = USER_SHAPE): Document =>
  patched(before, [operation], shape);

describe('Changes of SCIM', () => {
  for (const [what, operation, after] of [
    ['sets an attribute', { op: 'add', path: 'displayName', value: 'R' }, { ...REEM, displayName: 'R' }],
    ['replaces an attribute in any case', { op: 'replace', path: 'ACTIVE', value: false }, { ...REEM, active: false }],
    ['removes an attribute', { op: 'remove', path: 'active' }, { ...REEM, active: undefined }],
    [
      'sets a part',
      { op: 'replace', path: 'name.familyname', value: 'Q' },
      { ...REEM, name: { givenName: 'Reem', familyName: 'Q' } },
    ],
    [
      'adds parts',
      { op: 'add', path: 'name', value: { formatted: 'R' } },
      { ...REEM, name: { ...(REEM.name as object), formatted: 'R' } },
    ],
    ['removes a part', { op: 'remove', path: 'name.givenName' }, { ...REEM, name: { familyName: 'Alharbi' } }],
    [
      'sets a part of one value of a list',
      { op: 'replace', path: 'emails[type eq "HOME"].value', value: 'x' },
      { ...REEM, emails: [(REEM.emails as object[])[0], { value: 'x', type: 'home' }] },
    ],
    [
      'makes the value that it names',
      { op: 'add', path: 'emails[type eq "other"].value', value: 'x' },
      { ...REEM, emails: [...(REEM.emails as object[]), { type: 'other', value: 'x' }] },
    ],
    [
      'removes one value of a list',
      { op: 'remove', path: 'emails[type eq "home"]' },
      { ...REEM, emails: [(REEM.emails as object[])[0]] },
    ],
    [
      'takes several attributes',
      { op: 'replace', value: { active: false, 'name.givenName': 'R', title: 'x' } },
      {
        ...REEM,
        active: false,
        name: { givenName: 'R', familyName: 'Alharbi' },
      },
    ],
    ['passes over attributes that are not kept', { op: 'add', path: 'title', value: 'Dr' }, REEM],
    [
      'passes over extensions, whatever their attributes are called',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:active', value: false },
      REEM,
    ],
    [
      'knows the schema of the resource',
      { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false },
      {
        ...REEM,
        active: false,
      },
    ],
  ] as [string, PatchOperation, Document][]) {
    it(what, () => {
      expect(JSON.parse(JSON.stringify(changed(operation)))).to.deep.equal(JSON.parse(JSON.stringify(after)));
    });
  }

  it('adds to a list what is not in it, and removes what is', () => {
    const team = (operation: PatchOperation) => changed(operation, TEAM, GROUP_SHAPE).members;
    expect(
      team({ op: 'add', path: 'members', value: [{ value: 'b' }, { value: 'c', display: 'C' }] }),
    ).to.have.deep.members([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    expect(team({ op: 'remove', path: 'members', value: [{ value: 'b' }] })).to.deep.equal([{ value: 'a' }]);
    expect(team({ op: 'remove', path: 'members[value eq "a"]' })).to.deep.equal([{ value: 'b' }]);
    expect(team({ op: 'remove', path: 'members' })).to.deep.equal([]);
    expect(team({ op: 'replace', path: 'members', value: [] })).to.deep.equal([]);
  });

  it('leaves the document before as it was', () => {
    const before = structuredClone(REEM);
    changed({ op: 'replace', path: 'emails[type eq "work"].value', value: 'x' });
    expect(REEM).to.deep.equal(before);
  });

  it('keeps the prototype of objects out of reach', () => {
    const after = changed({
      op: 'add',
      value: JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"x": 1}}'),
    });
    expect(after).to.deep.equal(REEM);
    expect(changed({ op: 'add', path: 'name.constructor', value: true }, REEM)).to.deep.equal(REEM);
    expect(() => changed({ op: 'add', path: '__proto__.polluted', value: true })).to.throw(HatifError);
    expect({}).to.not.have.property('polluted');
  });

  for (const [what, operation, type] of [
    ['a removal of nothing', { op: 'remove' }, 'noTarget'],
    ['a path that is none', { op: 'replace', path: 'emails[', value: 1 }, 'invalidPath'],
    ['a path with two filters', { op: 'replace', path: 'emails[type eq "a"][type eq "b"]', value: 1 }, 'invalidPath'],
    ['a part of a simple attribute', { op: 'replace', path: 'active.x', value: 1 }, 'invalidPath'],
    ['a filter on a complex attribute', { op: 'replace', path: 'name[givenName eq "a"]', value: {} }, 'invalidPath'],
    ['no value', { op: 'add', path: 'active' }, 'invalidValue'],
    ['several attributes that are no object', { op: 'add', value: [1] }, 'invalidValue'],
    ['a name that is no object', { op: 'add', path: 'name', value: 'Reem' }, 'invalidValue'],
  ] as [string, PatchOperation, string][]) {
    it(`refuses ${what}`, () => {
      expect(() => changed(operation))
        .to.throw(HatifError)
        .with.nested.property('slots.scim_type', type);
    });
  }
});
