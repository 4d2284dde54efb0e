import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { Person } from '../../support/peers/openid-provider.js';
import { personOf, type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Single sign-on gives a role', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home] = made));

  const person = (more: Partial<Person> = {}): Person => personOf(home, more);
  const me = (answer: Answer): Promise<Answer> => stage.me(answer);

  const rules = async (more: object): Promise<void> => {
    const answer = await home.ask('PUT', '/v1/sso', stage.settings({ ...more }));
    expect(answer.status, answer.text).to.equal(200);
  };
  const roleOf = async (who: Person): Promise<unknown> => {
    const answer = await stage.signOn(home, who);
    return answer.status === 303 ? (await me(answer)).body?.role : codeOf(answer);
  };

  it('by the first entry that fits, at each sign-in, with its projects', async () => {
    const project_ids = [...home.owner.projectIds];
    const entries = [
      { group: 'money', role: 'finance' },
      { group: 'engineers', role: 'developer', project_ids },
    ];
    await rules({ group_roles: entries });
    const who = person({ groups: ['engineers', 'money'] });
    expect(await roleOf(who)).to.equal('finance');
    const answer = await stage.signOn(home, { ...who, groups: ['engineers'] });
    expect((await me(answer)).body).to.deep.include({ role: 'developer', project_ids });
    expect(await roleOf({ ...who, groups: [] })).to.equal('viewer');
    await rules({ group_roles: entries, default_role: null });
    expect(await roleOf({ ...who, groups: ['others'] })).to.equal('403 SSO_NOT_ADMITTED');
    const refused = person({ groups: ['others'] });
    expect(await roleOf(refused)).to.equal('403 SSO_NOT_ADMITTED');
    expect(await stage.userOf(String(refused.email))).to.equal(null);
  });

  it('to the sessions that the member has, too', async () => {
    await rules({ group_roles: [{ group: 'admins', role: 'admin' }] });
    const who = person({ groups: ['admins'] });
    const key = await stage.accessOf(await stage.signOn(home, who));
    expect((await stage.api.request('GET', '/v1/members', { key })).status).to.equal(200);
    await stage.signOn(home, { ...who, groups: [] });
    expect(codeOf(await stage.api.request('GET', '/v1/members', { key }))).to.equal('403 INSUFFICIENT_ROLE');
  });

  it('by a part of a claim, and by one text', async () => {
    await rules({ group_claim: 'access.roles', group_roles: [{ group: 'boss', role: 'admin' }] });
    stage.peer.tamper = (claims) => ({ ...claims, access: { roles: ['boss'] } });
    expect(await roleOf(person())).to.equal('admin');
    stage.peer.tamper = (claims) => ({ ...claims, access: { roles: 'boss' } });
    expect(await roleOf(person())).to.equal('admin');
    stage.peer.tamper = (claims) => ({ ...claims, access: { roles: { boss: true } } });
    expect(await roleOf(person())).to.equal('viewer');
    stage.peer.tamper = null;
  });

  it('to nobody if the provider does not list the groups because they are too many', async () => {
    await rules({ group_roles: [{ group: 'boss', role: 'admin' }] });
    stage.peer.tamper = (claims) => ({ ...claims, _claim_names: { groups: 'src1' } });
    const answer = await stage.signOn(home, person());
    expect(codeOf(answer)).to.equal('403 SSO_NOT_ADMITTED');
    expect(answer.body?.message).to.contain('too many');
    stage.peer.tamper = null;
  });

  it('to owners only if an entry has it, and leaves the last one', async () => {
    await rules({ group_roles: [{ group: 'money', role: 'finance' }] });
    const owner = person({ email: home.owner.row.email });
    expect(await roleOf(owner)).to.equal('owner');
    await rules({ group_roles: [{ group: 'chiefs', role: 'owner' }] });
    expect(await roleOf(owner), 'the last owner').to.equal('owner');
    expect(await roleOf(person({ groups: ['chiefs'] }))).to.equal('owner');
    expect(await roleOf(owner), 'there is another one now').to.equal('viewer');
  });

  it('and lets owners in only if an owner wants that', async () => {
    await rules({ admits_owners: false, group_roles: [{ group: 'chiefs', role: 'owner' }] });
    const answer = await stage.signOn(home, person({ email: home.owner.row.email }));
    expect(codeOf(answer)).to.equal('403 SSO_NOT_ADMITTED');
    expect(answer.body?.message).to.contain('owners may not sign in this way');
    expect(await roleOf(person({ groups: ['chiefs'] }))).to.equal('viewer');
  });

  it('without projects that are gone', async () => {
    const extra = await home.ask('POST', '/v1/projects', { name: 'extra' });
    const [first] = home.owner.projectIds;
    await rules({ group_roles: [{ group: 'both', role: 'developer', project_ids: [first, extra.body?.id] }] });
    expect((await home.ask('DELETE', `/v1/projects/${String(extra.body?.id)}`)).status).to.equal(204);
    const answer = await stage.signOn(home, person({ groups: ['both'] }));
    expect((await me(answer)).body).to.deep.include({ project_ids: [first] });
  });
});
