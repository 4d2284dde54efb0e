import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import {
  organizationEach,
  type OrganizationStage,
  type TestOrganization,
} from '../../support/stages/accounts/organization-stage.js';

const PASSWORD = 'a horse counts blue ladders';
const DAY_MS = 86_400_000;

describe('Invitations', function () {
  this.timeout(60_000);
  let stage: OrganizationStage;
  let home: TestOrganization;
  let email: string;

  organizationEach((started, made) => ([stage, home] = [started, made]));
  beforeEach(() => (email = `${newId()}@example.com`));

  const invite = (more: object = {}): Promise<Answer> =>
    stage.as(home.owner, 'POST', '/v1/invites', { email, role: 'developer', ...more });
  const accept = (token: string, more: object = { name: 'Noura', password: PASSWORD }): Promise<Answer> =>
    stage.api.request('POST', '/v1/invites/accept', { json: { token, ...more } });
  const lookup = (token: string): Promise<Answer> => stage.api.request('GET', `/v1/invites/lookup?token=${token}`);

  it('make a member, once', async () => {
    const made = await invite({ project_ids: [home.project.id] });
    expect(codeOf(made)).to.equal('201');
    expect(made.body).to.include({ email, role: 'developer', status: 'pending', inviter: 'Reem' });
    const token = await stage.inviteToken(email);
    expect(made.text).not.to.include(token);
    const seen = await lookup(token);
    expect(seen.body).to.include({ email, role: 'developer', organization: 'Riyadh Dental', inviter: 'Reem' });

    const accepted = await accept(token);
    expect(codeOf(accepted)).to.equal('201');
    const members = await stage.as(home.owner, 'GET', '/v1/members');
    const member = (members.body?.data as Record<string, unknown>[]).find((each) => each.email === email);
    expect(member).to.deep.include({ role: 'developer', project_ids: [home.project.id], name: 'Noura' });
    expect(codeOf(await accept(token))).to.equal('409 INVITE_NOT_PENDING');
    expect(codeOf(await lookup(token))).to.equal('409 INVITE_NOT_PENDING');
    expect(codeOf(await invite())).to.equal('409 INVITE_ALREADY_MEMBER');
  });

  it('make one member, however often they are accepted at the same moment', async () => {
    await invite();
    const token = await stage.inviteToken(email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token)));
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(codeOf))).to.satisfy((codes: Set<string>) =>
      [...codes].every((code) => code === '409 INVITE_NOT_PENDING' || code === '409 INVITE_ALREADY_MEMBER'),
    );
  });

  it('need the details of the new account', async () => {
    await invite();
    const token = await stage.inviteToken(email);
    expect(codeOf(await accept(token, {}))).to.equal('400 INVITE_ACCOUNT_DETAILS_REQUIRED');
    expect(codeOf(await accept(token, { name: 'Noura' }))).to.equal('400 INVITE_ACCOUNT_DETAILS_REQUIRED');
    expect(codeOf(await accept(token, { name: 'Noura', password: 'password' }))).to.equal(
      '400 PASSWORD_VALIDATION_FAILED',
    );
    expect(codeOf(await accept(token))).to.equal('201');
  });

  it('name another organization only to the invited person', async () => {
    const other = await stage.organization();
    email = other.owner.user.email;
    expect(codeOf(await invite())).to.equal('201');
    const token = await stage.inviteToken(email);
    expect(codeOf(await accept(token))).to.equal('409 INVITE_EMAIL_OTHER_ORG');
  });

  it('end after seven days, and can be sent again', async () => {
    const { body } = await invite();
    const old = await stage.inviteToken(email);
    await stage.clock.advance(7 * DAY_MS);
    expect(codeOf(await accept(old))).to.equal('410 INVITE_EXPIRED');
    const owner = await stage.member(home.organization);
    const resent = await stage.as(owner, 'POST', `/v1/invites/${String(body?.id)}/resend`);
    expect(codeOf(resent)).to.equal('200');
    expect(resent.body).to.include({ status: 'pending' });
    expect(codeOf(await accept(old))).to.equal('404 INVITE_NOT_FOUND');
    expect(codeOf(await accept(await stage.inviteToken(email)))).to.equal('201');
  });

  it('can be withdrawn until they are accepted', async () => {
    const { body } = await invite();
    const token = await stage.inviteToken(email);
    const path = `/v1/invites/${String(body?.id)}`;
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('204');
    expect(codeOf(await accept(token))).to.equal('409 INVITE_NOT_PENDING');
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('409 INVITE_NOT_PENDING');
    expect(codeOf(await stage.as(home.owner, 'POST', `${path}/resend`))).to.equal('409 INVITE_NOT_PENDING');
  });

  it('are not accepted with a password that others on the way can read', async () => {
    await invite();
    const token = await stage.inviteToken(email);
    const details = { token, name: 'Noura', password: PASSWORD };
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    const refused = await stage.api.request('POST', '/v1/invites/accept', { json: details, headers });
    expect(codeOf(refused)).to.equal('400 VALIDATION_ERROR');
    expect(refused.body?.message).to.contain('connection: is not encrypted');
    expect(codeOf(await accept(token))).to.equal('201');
  });

  it('replace a pending one to the same address', async () => {
    await invite();
    const first = await stage.inviteToken(email);
    await invite({ email: email.toUpperCase(), role: 'viewer' });
    expect(codeOf(await accept(first))).to.equal('409 INVITE_NOT_PENDING');
    const listed = await stage.as(home.owner, 'GET', '/v1/invites');
    expect((listed.body?.data as { status: string }[]).map(({ status }) => status)).to.deep.equal([
      'pending',
      'revoked',
    ]);
  });

  it('never give more than the inviter has', async () => {
    const admin = await stage.member(home.organization, { role: 'admin' });
    const by = (role: string): Promise<Answer> => stage.as(admin, 'POST', '/v1/invites', { email, role });
    expect(codeOf(await by('owner'))).to.equal('400 INVITE_ROLE_INVALID');
    expect(codeOf(await by('emperor'))).to.equal('400 INVITE_ROLE_INVALID');
    expect(codeOf(await by('admin'))).to.equal('201');
    const developer = await stage.member(home.organization, { role: 'developer' });
    const refused = await stage.as(developer, 'POST', '/v1/invites', { email, role: 'viewer' });
    expect(codeOf(refused)).to.equal('403 INSUFFICIENT_ROLE');
  });

  it('of other organizations do not exist', async () => {
    const { body } = await invite();
    const other = await stage.organization();
    const path = `/v1/invites/${String(body?.id)}`;
    expect(codeOf(await stage.as(other.owner, 'DELETE', path))).to.equal('404 INVITE_NOT_FOUND');
    expect(codeOf(await stage.as(other.owner, 'POST', `${path}/resend`))).to.equal('404 INVITE_NOT_FOUND');
    const listed = await stage.as(other.owner, 'GET', '/v1/invites');
    expect(listed.body?.data).to.deep.equal([]);
  });

  it('are known by their token only', async () => {
    for (const token of ['x', `inv_${'0'.repeat(49)}`, home.owner.token]) {
      expect(codeOf(await lookup(token))).to.equal('404 INVITE_NOT_FOUND');
    }
    await invite();
    const token = await stage.inviteToken(email);
    const rows = await stage.database.db.query(`SELECT * FROM invites WHERE email = $1`, [email]);
    expect(JSON.stringify(rows)).not.to.include(token);
  });
});
