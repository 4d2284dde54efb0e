import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import { SITE } from '../../support/stages/accounts/credentials-stage.js';
import { Directory, GROUP, refused, type Resource } from '../../support/stages/accounts/directory.js';
import { personOf, type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Groups of a directory', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let home: SsoHome;
  let scim: Directory;

  signOnEach((...made) => ([stage, home] = made));
  beforeEach(async () => {
    scim = await Directory.of(stage, home);
  });

  const rules = async (more: Readonly<Record<string, unknown>>): Promise<void> => {
    const answer = await home.ask('PUT', '/v1/sso', stage.settings(more));
    expect(answer.status, answer.text).to.equal(200);
  };
  const roleOf = async ({ userName }: { readonly userName: string }) => (await stage.userOf(userName))?.role;
  const membersOf = async (id: string): Promise<unknown[]> => {
    const { body } = await scim.ask('GET', `/Groups/${id}`);
    return (body?.members as { value: string }[]).map(({ value }) => value);
  };
  const done = ({ status, text }: Answer): void => {
    expect(status, text).to.equal(204);
  };

  it('are created, read, replaced and removed', async () => {
    const reem = await scim.createUser();
    const members = [{ value: reem.id, display: 'Somebody else' }];
    const sent = { schemas: [GROUP], displayName: 'Engineers', externalId: 'e-1', members };
    const made = await scim.ask('POST', '/Groups', sent);
    expect(made.status, made.text).to.equal(201);
    const { id } = made.body as Resource;
    const address = `${SITE}/scim/v2/Groups/${id}`;
    expect(made.headers.get('location')).to.equal(address);
    const member = { value: reem.id, display: 'Reem Alharbi', type: 'User' };
    expect(made.body).to.deep.include({
      schemas: [GROUP],
      displayName: 'Engineers',
      externalId: 'e-1',
      members: [member],
    });
    expect(made.body?.meta).to.deep.include({ resourceType: 'Group', location: address });
    expect((await scim.ask('GET', `/Groups/${id}`)).body).to.deep.equal(made.body);
    const { groups } = (await scim.ask('GET', `/Users/${reem.id}`)).body ?? {};
    expect(groups).to.deep.equal([{ value: id, display: 'Engineers' }]);
    const replaced = await scim.ask('PUT', `/Groups/${id}`, { schemas: [GROUP], displayName: 'Builders' });
    expect(replaced.body, replaced.text).to.deep.include({ displayName: 'Builders', members: [] });
    expect(replaced.body).to.not.have.property('externalId');
    done(await scim.ask('DELETE', `/Groups/${id}`));
    refused(await scim.ask('GET', `/Groups/${id}`), 404, undefined, `the group ${id}`);
    refused(await scim.ask('DELETE', `/Groups/${id}`), 404, undefined, 'the group');
  });

  it('are found by name, external id and member', async () => {
    const reem = await scim.createUser();
    const made = await scim.createGroup('Money', [reem.id], { externalId: 'm-1' });
    await scim.createGroup('Others');
    for (const filter of [
      'displayName eq "money"',
      'externalId eq "m-1"',
      `id eq "${made.id}"`,
      `members.value eq "${reem.id}"`,
      `members[value eq "${reem.id}"] and displayName eq "Money"`,
    ]) {
      expect(await scim.find('Groups', filter), filter).to.deep.equal([made]);
    }
    expect(await scim.find('Groups', 'displayName eq "Nobody"')).to.deep.equal([]);
    refused(await scim.ask('GET', '/Groups?filter=displayName%20sw%20%22M%22'), 400, 'invalidFilter', 'displayName');
    const short = await scim.ask('GET', '/Groups?excludedAttributes=members&count=1');
    expect(short.body).to.deep.include({ totalResults: 2, itemsPerPage: 1 });
    expect((short.body?.Resources as object[])[0])
      .to.include({ displayName: 'Money' })
      .and.not.have.property('members');
  });

  describe('change their members', () => {
    let one: Resource;
    let two: Resource;
    let id: string;
    beforeEach(async () => {
      [one, two] = [await scim.createUser(), await scim.createUser()];
      ({ id } = await scim.createGroup('Engineers'));
    });
    const patch = (...operations: object[]): Promise<Answer> => scim.patch(`/Groups/${id}`, ...operations);

    it('one after another', async () => {
      done(await patch({ op: 'Add', path: 'members', value: [{ value: one.id }, { value: two.id }] }));
      expect(await membersOf(id)).to.have.members([one.id, two.id]);
      done(await patch({ op: 'add', path: 'members', value: [{ value: one.id.toUpperCase() }] }));
      expect(await membersOf(id)).to.have.members([one.id, two.id]);
      done(await patch({ op: 'remove', path: `members[value eq "${one.id}"]` }));
      expect(await membersOf(id)).to.deep.equal([two.id]);
      done(await patch({ op: 'Remove', path: 'members', value: [{ value: two.id }] }));
      expect(await membersOf(id)).to.deep.equal([]);
    });

    it('all at once', async () => {
      done(await patch({ op: 'add', value: { members: [{ value: one.id }] } }));
      done(await patch({ op: 'replace', path: 'members', value: [{ value: two.id }] }));
      expect(await membersOf(id)).to.deep.equal([two.id]);
      done(await patch({ op: 'remove', path: 'members' }));
      expect(await membersOf(id)).to.deep.equal([]);
    });

    it('with their name, as Okta writes it', async () => {
      done(await patch({ op: 'replace', value: { id, displayName: 'Builders' } }));
      expect((await scim.ask('GET', `/Groups/${id}`)).body).to.include({ id, displayName: 'Builders' });
    });

    it('not to somebody unknown or of another organization, in all operations or none', async () => {
      const foreign = await (await Directory.of(stage, await stage.home())).createUser();
      for (const value of [foreign.id, newId(), id]) {
        const answer = await patch(
          { op: 'add', path: 'members', value: [{ value: one.id }] },
          { op: 'add', path: 'members', value: [{ value }] },
        );
        refused(answer, 400, 'invalidValue', 'no user of the organization');
      }
      refused(await patch({ op: 'add', path: 'members', value: [{ value: 'x' }] }), 400, 'invalidValue', 'members');
      expect(await membersOf(id)).to.deep.equal([]);
    });

    it('and lose who is removed', async () => {
      done(await patch({ op: 'add', path: 'members', value: [{ value: one.id }] }));
      done(await scim.ask('DELETE', `/Users/${one.id}`));
      expect(await membersOf(id)).to.deep.equal([]);
    });
  });

  it('have names of their own', async () => {
    const { id } = await scim.createGroup('Engineers');
    const again = { schemas: [GROUP], displayName: 'ENGINEERS' };
    refused(await scim.ask('POST', '/Groups', again), 409, 'uniqueness', 'another group');
    const other = await scim.createGroup('Others');
    refused(await scim.ask('PUT', `/Groups/${other.id}`, again), 409, 'uniqueness', 'another group');
    expect((await scim.ask('PUT', `/Groups/${id}`, again)).body).to.include({ displayName: 'ENGINEERS' });
    refused(await scim.ask('POST', '/Groups', { schemas: [GROUP] }), 400, 'invalidValue', 'displayName');
    const stranger = await Directory.of(stage, await stage.home());
    expect((await stranger.createGroup('Engineers')).id).to.not.equal(id);
  });

  it('are hidden from other directories', async () => {
    const { id } = await scim.createGroup('Engineers');
    const stranger = await Directory.of(stage, await stage.home());
    const path = `/Groups/${id}`;
    for (const answer of [
      await stranger.ask('GET', path),
      await stranger.ask('PUT', path, { schemas: [GROUP], displayName: 'Mine' }),
      await stranger.patch(path, { op: 'replace', path: 'displayName', value: 'Mine' }),
      await stranger.ask('DELETE', path),
    ]) {
      refused(answer, 404, undefined, 'the group');
    }
    expect(await stranger.find('Groups', 'displayName eq "Engineers"')).to.deep.equal([]);
  });

  describe('give roles', () => {
    it('as soon as somebody is in them, by name or external id', async () => {
      const project_ids = [...home.owner.projectIds];
      await rules({
        group_roles: [
          { group: 'Engineers', role: 'developer', project_ids },
          { group: 'm-1', role: 'finance' },
        ],
      });
      const reem = await scim.createUser();
      const engineers = await scim.createGroup('Engineers', [reem.id]);
      expect(await stage.userOf(reem.userName)).to.deep.include({ role: 'developer', project_ids });
      const money = await scim.createGroup('Money', [reem.id], { externalId: 'm-1' });
      expect(await roleOf(reem), 'the first entry').to.equal('developer');
      done(await scim.patch(`/Groups/${engineers.id}`, { op: 'remove', path: 'members' }));
      expect(await stage.userOf(reem.userName)).to.deep.include({ role: 'finance', project_ids: null });
      done(await scim.patch(`/Groups/${money.id}`, { op: 'remove', path: 'externalId' }));
      expect(await roleOf(reem), 'no entry means the group now').to.equal('viewer');
      done(await scim.patch(`/Groups/${money.id}`, { op: 'replace', path: 'displayName', value: 'Engineers 2' }));
      await rules({ group_roles: [{ group: 'Engineers 2', role: 'admin' }] });
      expect(await roleOf(reem), 'the rules changed').to.equal('admin');
      done(await scim.ask('DELETE', `/Groups/${money.id}`));
      expect(await roleOf(reem), 'the group is gone').to.equal('viewer');
    });

    it('that sessions have within two seconds in every process', async () => {
      await rules({ group_roles: [{ group: 'Chiefs', role: 'admin' }] });
      const other = await stage.accounts.process();
      const reem = await scim.createUser();
      const { id } = await scim.createGroup('Chiefs', [reem.id]);
      const key = await stage.accessOf(await stage.signOn(home, { sub: reem.id, email: reem.userName }));
      expect((await other.request('GET', '/v1/members', { key })).status).to.equal(200);
      done(await scim.ask('DELETE', `/Groups/${id}`));
      expect(codeOf(await stage.api.request('GET', '/v1/members', { key }))).to.equal('403 INSUFFICIENT_ROLE');
      await stage.accounts.clock.advance(2_001);
      expect(codeOf(await other.request('GET', '/v1/members', { key }))).to.equal('403 INSUFFICIENT_ROLE');
    });

    it('or take away the access of those who have none without them', async () => {
      await rules({ group_roles: [{ group: 'Engineers', role: 'developer' }], default_role: null });
      const reem = await scim.createUser();
      const { id } = await scim.createGroup('Engineers', [reem.id]);
      expect(await stage.userOf(reem.userName)).to.include({ role: 'developer', disabled_at: null });
      const key = await stage.accessOf(await stage.signOn(home, { sub: reem.id, email: reem.userName }));
      done(await scim.patch(`/Groups/${id}`, { op: 'remove', path: 'members' }));
      expect((await stage.userOf(reem.userName))?.disabled_at).to.not.equal(null);
      expect(codeOf(await stage.api.request('GET', '/v1/me', { key }))).to.equal('401 INVALID_ACCESS_TOKEN');
      expect((await scim.ask('GET', `/Users/${reem.id}`)).body).to.include({ active: true });
      done(await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: reem.id }] }));
      expect(await stage.userOf(reem.userName)).to.include({ role: 'developer', disabled_at: null });
    });

    it('in place of the claim of the identity provider', async () => {
      await rules({ group_roles: [{ group: 'Chiefs', role: 'admin' }] });
      const reem = await scim.createUser();
      await scim.createGroup('Engineers', [reem.id]);
      const answer = await stage.signOn(home, { sub: reem.id, email: reem.userName, groups: ['Chiefs'] });
      expect((await stage.me(answer)).body).to.include({ role: 'viewer' });
      const newcomer = personOf(home, { groups: ['Chiefs'] });
      expect((await stage.me(await stage.signOn(home, newcomer))).body).to.include({ role: 'viewer' });
    });

    it('but never take the last owner away', async () => {
      await rules({ group_roles: [{ group: 'Owners', role: 'owner' }] });
      const { id: ownerId, email } = home.owner.row;
      const { id } = await scim.createGroup('Owners', [ownerId]);
      const path = `/Groups/${id}`;
      for (const answer of [
        await scim.ask('DELETE', path),
        await scim.patch(path, { op: 'remove', path: 'members' }),
        await scim.patch(path, { op: 'replace', path: 'displayName', value: 'Former owners' }),
      ]) {
        refused(answer, 409, undefined, 'last owner');
      }
      expect(await membersOf(id)).to.deep.equal([ownerId]);
      const second = await scim.createUser();
      done(await scim.patch(path, { op: 'replace', path: 'members', value: [{ value: second.id }] }));
      expect([await roleOf(second), await roleOf({ userName: email })]).to.deep.equal(['owner', 'viewer']);
    });

    it('of owners only if an owner wants that', async () => {
      await rules({ group_roles: [{ group: 'Owners', role: 'owner' }], admits_owners: false });
      const reem = await scim.createUser();
      await scim.createGroup('Owners', [reem.id]);
      expect(await roleOf(reem)).to.equal('viewer');
    });
  });
});
