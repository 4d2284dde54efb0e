import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import { ID_TOKEN_SECONDS, newKey } from '../../support/peers/openid-provider.js';
import { personOf, type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Identity providers', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home] = made));
  afterEach(() => {
    stage.peer.tamper = null;
    stage.peer.signsWith = null;
  });

  const person = () => personOf(home);
  const begin = () => stage.begin({ organization: home.organizationId });
  const refused = (answer: Answer, code: string, reason: string): void => {
    expect(codeOf(answer), answer.text).to.equal(code);
    expect(answer.body?.message).to.contain(reason);
    expect(answer.body?.message_ar).to.match(/[\u0600-\u06ff]/);
    expect(answer.headers.get('set-cookie')).to.equal(null);
  };

  it('change their keys without a change here', async () => {
    const who = person();
    expect((await stage.signOn(home, who)).status).to.equal(303);
    stage.peer.rotateKeys();
    expect((await stage.signOn(home, who)).status).to.equal(303);
    stage.peer.signsWith = newKey();
    refused(await stage.signOn(home, who), '401 SSO_ANSWER_INVALID', 'its signature is not of a key of the provider');
  });

  it('are not believed if the claims were changed after they were signed', async () => {
    const { kid } = newKey();
    stage.peer.signsWith = { ...newKey(), kid };
    refused(
      await stage.signOn(home, person()),
      '401 SSO_ANSWER_INVALID',
      'its signature is not of a key of the provider',
    );
  });

  for (const [what, change, reason] of [
    ['another issuer', { iss: 'https://other.example' }, 'it comes from another issuer'],
    ['another client', { aud: 'somebody-else' }, 'it is meant for another client'],
    [
      'several clients, of which another one asked',
      { aud: ['hatif', 'other'], azp: 'other' },
      'it is meant for another client',
    ],
    ['another sign-in', { nonce: 'another-nonce' }, 'it belongs to another sign-in'],
    ['no sign-in', { nonce: undefined }, 'is not what OpenID Connect prescribes'],
    ['nobody', { sub: undefined }, 'is not what OpenID Connect prescribes'],
  ] as const) {
    it(`are refused with a token for ${what}`, async () => {
      stage.peer.tamper = (claims) => ({ ...claims, ...change });
      const answer = await stage.signOn(home, person());
      expect(codeOf(answer), answer.text).to.equal('401 SSO_ANSWER_INVALID');
      expect(answer.body?.message).to.contain(reason);
    });
  }

  it('may have a clock that is a minute off, and not more', async () => {
    const expired = async (aheadSeconds: number): Promise<Answer> => {
      stage.peer.tamper = (claims) => {
        const now = Math.floor(stage.accounts.clock.now().getTime() / 1000);
        return { ...claims, iat: now - ID_TOKEN_SECONDS + aheadSeconds, exp: now + aheadSeconds };
      };
      return stage.signOn(home, person());
    };
    expect((await expired(-50)).status, 'behind').to.equal(303);
    refused(await expired(-65), '401 SSO_ANSWER_INVALID', 'the clocks of both sides may differ by more than a minute');
    const early = async (aheadSeconds: number): Promise<Answer> => {
      stage.peer.tamper = (claims) => {
        const iat = Math.floor(stage.accounts.clock.now().getTime() / 1000) + aheadSeconds;
        return { ...claims, iat, exp: iat + ID_TOKEN_SECONDS };
      };
      return stage.signOn(home, person());
    };
    expect((await early(50)).status, 'ahead').to.equal(303);
    refused(await early(65), '401 SSO_ANSWER_INVALID', 'the clocks of both sides may differ by more than a minute');
  });

  describe('send the browser back', () => {
    it('once', async () => {
      await stage.sync();
      const begun = await begin();
      const back = await stage.atProvider(person(), begun);
      const answers = await Promise.all([stage.finish(back, begun.cookie), stage.finish(back, begun.cookie)]);
      expect(answers.map(codeOf).toSorted()).to.deep.equal(['303', '400 SSO_STATE_INVALID']);
      expect(codeOf(await stage.finish(back, begun.cookie))).to.equal('400 SSO_STATE_INVALID');
    });

    it('to the browser that began, and no other', async () => {
      await stage.sync();
      const begun = await begin();
      const back = await stage.atProvider(person(), begun);
      const other = await begin();
      expect(codeOf(await stage.finish(back, ''))).to.equal('400 SSO_STATE_INVALID');
      expect(codeOf(await stage.finish(back, other.cookie))).to.equal('400 SSO_STATE_INVALID');
      expect((await stage.finish(back, begun.cookie)).status).to.equal(303);
    });

    it('within ten minutes, with a state that was made here', async () => {
      await stage.sync();
      const begun = await begin();
      const back = await stage.atProvider(person(), begun);
      const forged = new URL(back);
      forged.searchParams.set('state', 'x'.repeat(43));
      expect(codeOf(await stage.finish(forged, begun.cookie))).to.equal('400 SSO_STATE_INVALID');
      await stage.accounts.clock.advance(600_000);
      expect(codeOf(await stage.finish(back, begun.cookie))).to.equal('400 SSO_STATE_INVALID');
    });

    it('with their own name, and another one is refused', async () => {
      await stage.sync();
      const begun = await begin();
      const back = await stage.atProvider(person(), begun);
      expect(back.searchParams.get('iss')).to.equal(stage.peer.issuer);
      back.searchParams.set('iss', 'https://other.example');
      refused(await stage.finish(back, begun.cookie), '401 SSO_ANSWER_INVALID', 'it comes from another issuer');
    });

    it('with a code of theirs, and another one is refused', async () => {
      await stage.sync();
      const begun = await begin();
      const back = await stage.atProvider(person(), begun);
      back.searchParams.set('code', 'made-up');
      refused(
        await stage.finish(back, begun.cookie),
        '401 SSO_ANSWER_INVALID',
        'does not accept the client id, the secret or the code',
      );
    });

    it('with the reason if they signed nobody in', async () => {
      const begun = await begin();
      const back = await stage.atProvider(null, begun);
      refused(await stage.finish(back, begun.cookie), '403 SSO_NOT_ADMITTED', 'did not sign you in (access_denied)');
    });

    it('and are not asked if the organization chose another one meanwhile', async () => {
      await stage.sync();
      const begun = await begin();
      const back = await stage.atProvider(person(), begun);
      await home.ask('PUT', '/v1/sso', stage.settings({ client_id: 'another', enabled: true }));
      expect(codeOf(await stage.finish(back, begun.cookie))).to.equal('400 SSO_STATE_INVALID');
      await home.ask('PUT', '/v1/sso', stage.settings({ enabled: false }));
      const off = await begin();
      expect(codeOf(off.answer)).to.equal('404 SSO_NOT_CONFIGURED');
    });
  });

  it('that do not know the secret of the organization say so', async () => {
    await home.ask('PUT', '/v1/sso', stage.settings({ client_secret: 'a wrong one' }));
    refused(
      await stage.signOn(home, person()),
      '401 SSO_ANSWER_INVALID',
      'does not accept the client id, the secret or the code',
    );
  });

  it('that are away are an error of their own, at the beginning and at the end', async () => {
    await stage.sync();
    const begun = await begin();
    const back = await stage.atProvider(person(), begun);
    await stage.peer.goAway();
    try {
      const first = await begin();
      refused(first.answer, '502 SSO_PROVIDER_UNAVAILABLE', 'the connection was refused');
      refused(await stage.finish(back, begun.cookie), '502 SSO_PROVIDER_UNAVAILABLE', 'the connection was refused');
    } finally {
      await stage.peer.comeBack();
    }
    expect((await stage.signOn(home, person())).status).to.equal(303);
  });

  describe('of a machine whose clock is behind', () => {
    // Last: the platform's clock stays ahead.
    it('are checked by the clock of the platform', async () => {
      // The machine's clock is behind the platform's: for the platform, the token of the provider has expired.
      await stage.sync(ID_TOKEN_SECONDS + 70);
      const begun = await begin();
      const answer = await stage.finish(await stage.atProvider(person(), begun), begun.cookie);
      refused(answer, '401 SSO_ANSWER_INVALID', 'its time is over');
    });
  });
});
