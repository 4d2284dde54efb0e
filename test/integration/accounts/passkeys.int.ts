import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { expect } from 'chai';
import type { AccountsStage, TestUser } from '../../support/stages/accounts/accounts-stage.js';
import { codeOf } from '../../support/judges/outcome.js';
import { mailsTo, signedInEach, SITE, type Ask } from '../../support/stages/accounts/credentials-stage.js';
import type { Answer, TestApi } from '../../support/api.js';
import { SoftwareAuthenticator } from '../../support/peers/software-authenticator.js';
import type { TestDatabase } from '../../support/platform/database.js';

const CHALLENGE_MS = 5 * 60_000;

describe('Passkeys of users', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AccountsStage;
  let user: TestUser;
  let ask: Ask;
  let device: SoftwareAuthenticator;

  signedInEach((given) => ({ database, stage, user, ask } = given));
  beforeEach(() => (device = new SoftwareAuthenticator({ origin: SITE })));

  const optionsOf = ({ status, body, text }: Answer): never => {
    expect(status, text).to.equal(200);
    return body?.options as never;
  };
  const made = async (on = device, as = ask): Promise<RegistrationResponseJSON> =>
    on.create(optionsOf(await as('POST', '/v1/me/passkeys/options')));
  const add = (credential: RegistrationResponseJSON, as = ask, name = 'Phone'): Promise<Answer> =>
    as('POST', '/v1/me/passkeys', { json: { name, credential } });
  const signed = async (on = device): Promise<AuthenticationResponseJSON> =>
    on.get(optionsOf(await stage.api.request('POST', '/v1/sessions/passkey/options', { json: {} })));
  const signIn = (
    credential: AuthenticationResponseJSON,
    more: object = {},
    api: TestApi = stage.api,
  ): Promise<Answer> => api.request('POST', '/v1/sessions/passkey', { json: { credential, ...more } });

  it('are added, listed, used to sign in, and removed', async () => {
    const added = await add(await made());
    expect(added.status, added.text).to.equal(201);
    expect(added.body).to.include({ name: 'Phone', synced: false, last_used_at: null });
    const answer = await signIn(await signed());
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body?.user).to.include({ id: user.row.id });
    const key = String(answer.body?.access_token);
    const me = await stage.api.request('GET', '/v1/me', { key });
    expect(me.body?.session).to.include({ second_factor: true });
    expect(me.body?.second_factor).to.deep.equal({ totp: false, passkeys: 1, recovery_codes_left: 0 });
    const { body } = await ask('GET', '/v1/me/passkeys');
    const [listed] = body?.data as Record<string, unknown>[];
    expect(listed).to.include({ id: added.body?.id, last_used_at: stage.clock.now().toISOString() });
    expect(codeOf(await ask('DELETE', `/v1/me/passkeys/${String(added.body?.id)}`))).to.equal('204');
    expect(codeOf(await signIn(await signed()))).to.equal('401 INVALID_CREDENTIALS');
    const changes = (await mailsTo(database, user.row.email)).map(({ data }) => data.change);
    expect(changes).to.deep.equal(['passkey_added', 'passkey_removed']);
  });

  it('name the user to the device, and ask it to verify its owner', async () => {
    const options = optionsOf(await ask('POST', '/v1/me/passkeys/options')) as Record<string, unknown>;
    expect(options.rp).to.deep.equal({ name: 'Hatif', id: 'voice.example.com' });
    expect(options.user).to.include({ name: user.row.email, displayName: user.row.name });
    expect(options.authenticatorSelection).to.include({ residentKey: 'required', userVerification: 'required' });
    expect(options.attestation).to.equal('none');
  });

  it('put a browser’s refresh token into its cookie', async () => {
    await add(await made());
    const answer = await signIn(await signed(), { client: 'browser' });
    expect(answer.body, answer.text).to.include({ refresh_token: null });
    expect(answer.headers.get('set-cookie')).to.match(/^__Host-.*HttpOnly/);
  });

  it('that synchronize do not count their uses', async () => {
    device = new SoftwareAuthenticator({ origin: SITE, syncs: true });
    const added = await add(await made());
    expect(added.body).to.include({ synced: true });
    expect(codeOf(await signIn(await signed()))).to.equal('200');
    expect(codeOf(await signIn(await signed()))).to.equal('200');
  });

  it('confirm a session', async () => {
    await add(await made());
    await stage.clock.advance(CHALLENGE_MS);
    expect(codeOf(await ask('POST', '/v1/me/passkeys/options'))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    const json = { credential: await signed() };
    expect(codeOf(await ask('POST', '/v1/sessions/confirm', { json }))).to.equal('200');
    expect(codeOf(await ask('POST', '/v1/me/passkeys/options'))).to.equal('200');
  });

  describe('are refused at sign-in', () => {
    beforeEach(async () => {
      expect(codeOf(await add(await made()))).to.equal('201');
    });

    it('if the answer is used twice', async () => {
      const credential = await signed();
      expect(codeOf(await signIn(credential))).to.equal('200');
      expect(codeOf(await signIn(credential))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('all but once if two processes get the answer at the same moment', async () => {
      const other = await stage.process();
      const credential = await signed();
      const answers = await Promise.all([stage.api, other].map((api) => signIn(credential, {}, api)));
      expect(answers.map(codeOf).toSorted()).to.deep.equal(['200', '401 INVALID_CREDENTIALS']);
    });

    it('if the challenge is too old', async () => {
      const credential = await signed();
      await stage.clock.advance(CHALLENGE_MS);
      expect(codeOf(await signIn(credential))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if the device signed a challenge of its own', async () => {
      const credential = device.get({ challenge: 'bWFkZSB1cA', rpId: 'voice.example.com' });
      expect(codeOf(await signIn(credential))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if the signature is of another key', async () => {
      const stranger = new SoftwareAuthenticator({ origin: SITE });
      await add(await made(stranger));
      const { response } = await signed(stranger);
      const credential = { ...(await signed()), response };
      expect(codeOf(await signIn(credential))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if the page is of another site', async () => {
      const phishing = new SoftwareAuthenticator({ ...device.options, origin: 'https://voice.example.net' });
      expect(codeOf(await add(await made(phishing)))).to.equal('400 VALIDATION_ERROR');
      const copied = device.copy({ origin: 'https://voice.example.net' });
      expect(codeOf(await signIn(await signed(copied)))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if the device did not verify its owner', async () => {
      const copied = device.copy({ verifiesUser: false });
      expect(codeOf(await signIn(await signed(copied)))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if a copy of the device signed less often than the device', async () => {
      const copied = device.copy();
      expect(codeOf(await signIn(await signed()))).to.equal('200');
      expect(codeOf(await signIn(await signed()))).to.equal('200');
      expect(codeOf(await signIn(await signed(copied)))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if the user is disabled', async () => {
      await database.db.query(`UPDATE users SET disabled_at = now() WHERE id = $1`, [user.row.id]);
      expect(codeOf(await signIn(await signed()))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('if the organization is suspended', async () => {
      await database.db.query(`UPDATE organizations SET suspended_at = now() WHERE id = $1`, [user.organization.id]);
      expect(codeOf(await signIn(await signed()))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });

    it('if what is sent is no answer of a device', async () => {
      const credential = await signed();
      for (const response of [{ clientDataJSON: 'e30' }, { ...credential.response, authenticatorData: 'AAAA' }]) {
        expect(codeOf(await signIn({ ...credential, response } as never))).to.equal('401 INVALID_CREDENTIALS');
      }
      expect(codeOf(await signIn({} as never))).to.equal('400 VALIDATION_ERROR');
    });
  });

  describe('are not added', () => {
    it('twice', async () => {
      const credential = await made();
      expect(codeOf(await add(credential))).to.equal('201');
      expect(codeOf(await add(credential))).to.equal('400 VALIDATION_ERROR');
    });

    it('if another user has the passkey', async () => {
      await add(await made());
      const other = await stage.as(await stage.signUp());
      const options = optionsOf(await other('POST', '/v1/me/passkeys/options')) as Record<string, unknown>;
      // A device that repeats the passkey of another user.
      const [known] = await database.db.query<{ credential_id: string }>(
        `SELECT credential_id FROM passkeys WHERE user_id = $1`,
        [user.row.id],
      );
      const repeating = new SoftwareAuthenticator({ origin: SITE, credentialId: known?.credential_id ?? '' });
      const credential = repeating.create(options as never);
      expect(codeOf(await add(credential, other))).to.equal('409 IDENTITY_CONFLICT');
    });

    it('by another user than the one who got the challenge', async () => {
      const credential = await made();
      const other = await stage.as(await stage.signUp());
      expect(codeOf(await add(credential, other))).to.equal('400 VALIDATION_ERROR');
    });

    it('with a challenge of a sign-in', async () => {
      const options = optionsOf(await ask('POST', '/v1/me/passkeys/options')) as Record<string, unknown>;
      const other = optionsOf(await stage.api.request('POST', '/v1/sessions/passkey/options', { json: {} })) as {
        challenge: string;
      };
      const credential = device.create({ ...options, challenge: other.challenge } as never);
      expect(codeOf(await add(credential))).to.equal('400 VALIDATION_ERROR');
    });

    it('if the device did not verify its owner', async () => {
      const careless = new SoftwareAuthenticator({ origin: SITE, verifiesUser: false });
      expect(codeOf(await add(await made(careless)))).to.equal('400 VALIDATION_ERROR');
    });

    it('to more than twenty', async () => {
      const at = stage.clock.now();
      await database.db.query(
        `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
         SELECT gen_random_uuid(), $1, gen_random_uuid()::text, '', 0, '{}', 'Old', false, $2 FROM generate_series(1, 20)`,
        [user.row.id, at],
      );
      const refused = await add(await made());
      expect(codeOf(refused)).to.equal('400 VALIDATION_ERROR');
      expect(refused.body?.message).to.contain('at most 20');
    });
  });

  it('are removed by their user alone', async () => {
    const { body } = await add(await made());
    const other = await stage.as(await stage.signUp());
    expect(codeOf(await other('DELETE', `/v1/me/passkeys/${String(body?.id)}`))).to.equal('404 NOT_FOUND');
    expect((await other('GET', '/v1/me/passkeys')).body).to.deep.equal({ data: [] });
    expect(codeOf(await signIn(await signed()))).to.equal('200');
  });
});
