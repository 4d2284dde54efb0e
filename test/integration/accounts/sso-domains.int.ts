import { expect } from 'chai';
import { addAdministrator } from '../../support/rows/administrators.js';
import { addMember } from '../../support/rows/members.js';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Domains of organizations', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;
  let domain: string;
  let names = 0;

  signOnEach((...made) => ([stage, home, database] = made), null);
  beforeEach(() => {
    domain = `claimed-${++names}.example`;
    stage.dns.fails = false;
  });

  interface Claimed {
    readonly record: { readonly name: string; readonly value: string };
  }
  const claim = async (by: SsoHome, name = domain): Promise<Claimed> => {
    const answer = await by.ask('POST', '/v1/sso/domains', { domain: name });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body as unknown as Claimed;
  };
  const verify = (by: SsoHome, name = domain): Promise<Answer> => by.ask('POST', `/v1/sso/domains/${name}/verify`);
  const publish = ({ record }: Claimed, ...more: string[]): void =>
    void stage.dns.records.set(record.name, [...more, record.value]);

  it('are proved by a record of the DNS, which stays the same', async () => {
    const claimed = await claim(home);
    expect(claimed).to.deep.include({ domain, status: 'pending', verified_by: null, verified_at: null, forced: false });
    expect(claimed.record).to.deep.include({ type: 'TXT', name: `_hatif-challenge.${domain}` });
    expect(claimed.record.value).to.match(/^hatif-domain=\w{27}$/);
    expect(await claim(home)).to.deep.equal(claimed);
    publish(claimed, 'v=spf1 -all', 'x'.repeat(300));
    const answer = await verify(home);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.include({ status: 'verified', verified_by: 'dns' });
    stage.dns.records.clear();
    expect((await verify(home)).body).to.deep.equal(answer.body);
    const listed = await home.ask('GET', '/v1/sso/domains');
    expect((listed.body?.data as { domain: string }[]).map((each) => each.domain)).to.deep.equal([domain, home.domain]);
  });

  it('are not verified without the record, with another value, or while the DNS does not answer', async () => {
    const claimed = await claim(home);
    const missing = await verify(home);
    expect(codeOf(missing)).to.equal('422 SSO_DOMAIN_NOT_VERIFIED');
    expect(missing.body?.message).to.contain(claimed.record.name).and.to.contain(claimed.record.value);
    stage.dns.records.set(claimed.record.name, ['hatif-domain=another']);
    expect(codeOf(await verify(home))).to.equal('422 SSO_DOMAIN_NOT_VERIFIED');
    publish(claimed);
    stage.dns.fails = true;
    const silent = await verify(home);
    expect(codeOf(silent)).to.equal('422 SSO_DOMAIN_NOT_VERIFIED');
    expect(silent.body?.message).to.contain('the DNS did not answer');
    stage.dns.fails = false;
    expect((await verify(home)).status).to.equal(200);
  });

  it('can be looked up thirty times in a quarter of an hour', async () => {
    await claim(home);
    for (let n = 0; n < 30; n += 1) expect(codeOf(await verify(home))).to.equal('422 SSO_DOMAIN_NOT_VERIFIED');
    expect(codeOf(await verify(home))).to.equal('429 RATE_LIMIT_EXCEEDED');
  });

  it('are claimed by several organizations, and belong to the first that proves one', async () => {
    const other = await stage.home(null);
    const [mine, theirs] = [await claim(home), await claim(other)];
    expect(mine.record.value).to.not.equal(theirs.record.value);
    stage.dns.records.set(mine.record.name, [theirs.record.value]);
    expect(codeOf(await verify(home))).to.equal('422 SSO_DOMAIN_NOT_VERIFIED');
    expect((await verify(other)).status).to.equal(200);
    publish(mine, theirs.record.value);
    expect(codeOf(await verify(home))).to.equal('409 SSO_DOMAIN_TAKEN');
    expect(codeOf(await (await stage.home(null)).ask('POST', '/v1/sso/domains', { domain }))).to.equal(
      '409 SSO_DOMAIN_TAKEN',
    );
    expect((await other.ask('DELETE', `/v1/sso/domains/${domain}`)).status).to.equal(204);
    expect((await verify(home)).status).to.equal(200);
  });

  it('that two organizations prove at the same moment belong to one', async () => {
    const other = await stage.home(null);
    const [mine, theirs] = [await claim(home), await claim(other)];
    publish(mine, theirs.record.value);
    const codes = (await Promise.all([verify(home), verify(other)])).map(codeOf);
    expect(codes.toSorted()).to.deep.equal(['200', '409 SSO_DOMAIN_TAKEN']);
  });

  for (const bad of [
    'example',
    'https://example.com',
    'reem@example.com',
    '10.0.0.1',
    '-a.example',
    'a..example',
    '',
    'example.com/x',
  ]) {
    it(`are none: «${bad}»`, async () => {
      const answer = await home.ask('POST', '/v1/sso/domains', { domain: bad });
      expect(codeOf(answer), answer.text).to.equal('400 VALIDATION_ERROR');
      expect(answer.body?.details).to.have.nested.property('[0].path', 'domain');
    });
  }

  it('are the same in capitals, and international ones in ASCII', async () => {
    const answer = await home.ask('POST', '/v1/sso/domains', { domain: ` ${domain.toUpperCase()} ` });
    expect(answer.body).to.include({ domain });
    const arabic = await home.ask('POST', '/v1/sso/domains', { domain: `هاتف-${names}.السعودية` });
    expect(arabic.body?.domain).to.match(/^xn--[a-z0-9-]+\.xn--mgberp4a5d4ar$/);
  });

  it('are at most fifty', async () => {
    for (let n = 1; n < 50; n += 1) await claim(home, `n${n}.${domain}`);
    expect(codeOf(await home.ask('POST', '/v1/sso/domains', { domain }))).to.equal('400 VALIDATION_ERROR');
  });

  it('are unknown to other organizations and other roles', async () => {
    await claim(home);
    const other = await stage.home(null);
    expect(codeOf(await verify(other))).to.equal('404 NOT_FOUND');
    expect(codeOf(await other.ask('DELETE', `/v1/sso/domains/${domain}`))).to.equal('404 NOT_FOUND');
    expect(codeOf(await home.ask('DELETE', '/v1/sso/domains/unknown.example'))).to.equal('404 NOT_FOUND');
    const { token } = await addMember(
      database.db,
      home.organizationId,
      { role: 'developer' },
      {},
      stage.accounts.clock.now(),
    );
    const limited = await addMember(
      ...([database.db, home.organizationId, { role: 'admin', project_ids: [] }, {}] as const),
      stage.accounts.clock.now(),
    );
    for (const key of [token, limited.token]) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', `/${domain}/verify`],
        ['DELETE', `/${domain}`],
      ] as const) {
        expect(codeOf(await stage.api.request(method, `/v1/sso/domains${path}`, { key }))).to.equal(
          '403 INSUFFICIENT_ROLE',
        );
      }
    }
  });

  describe('that an administrator of the installation sets', () => {
    let key: string;
    before(async () => {
      key = await addAdministrator(database.db);
    });
    const path = (of: SsoHome, name = domain): string =>
      `/v1/admin/organizations/${of.organizationId}/sso-domains/${name}`;

    it('need no record, and can be taken away', async () => {
      const set = await stage.api.request('PUT', path(home), { key });
      expect(set.status, set.text).to.equal(200);
      expect(set.body).to.include({ domain, status: 'verified', verified_by: 'administrator' });
      const other = await stage.home(null);
      expect(codeOf(await stage.api.request('PUT', path(other), { key }))).to.equal('409 SSO_DOMAIN_TAKEN');
      expect((await stage.api.request('DELETE', path(home), { key })).status).to.equal(204);
      expect(codeOf(await stage.api.request('DELETE', path(home), { key }))).to.equal('404 NOT_FOUND');
      expect((await stage.api.request('PUT', path(other), { key })).status).to.equal(200);
      expect(codeOf(await stage.api.request('PUT', path(home, 'no domain'), { key }))).to.equal('400 VALIDATION_ERROR');
    });

    it('are of organizations that exist', async () => {
      const unknown = { ...home, organizationId: '0197f3a0-5c00-7000-8000-000000000009' };
      expect(codeOf(await stage.api.request('PUT', path(unknown), { key }))).to.equal('404 NOT_FOUND');
      const sso = `/v1/admin/organizations/${home.organizationId}/sso`;
      expect(codeOf(await stage.api.request('DELETE', sso, { key }))).to.equal('404 SSO_NOT_CONFIGURED');
    });
  });
});
