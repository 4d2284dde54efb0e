import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { PasskeyRow, Passkeys } from '../../data/repositories/accounts/passkeys.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import { loadWebauthn, type PasskeyChallenges } from './passkey-challenges.js';

export interface PasskeySignInOptions {
  readonly passkeys: Passkeys;
  readonly challenges: PasskeyChallenges;
  readonly clock: Clock;
}

/** Signing in with a passkey: the device verifies its owner, so it stands for password and second factor. */
export class PasskeySignIn {
  constructor(private readonly options: PasskeySignInOptions) {}

  /** What a browser asks its authenticators. It names no passkeys, so it does not say who has an account. */
  async begin(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { challenges } = this.options;
    const { id: rpID } = challenges.site();
    const { generateAuthenticationOptions } = await loadWebauthn();
    const asked = await generateAuthenticationOptions({
      rpID,
      userVerification: 'required',
      timeout: challenges.validMs,
    });
    await challenges.keep(asked.challenge, null);
    return asked;
  }

  /**
   * Uses an authenticator's answer.
   * @returns the ID of the user whose passkey signed it
   * @throws HatifError INVALID_CREDENTIALS: the answer is wrong, late, or was used before.
   */
  async verify(response: AuthenticationResponseJSON): Promise<string> {
    const { passkeys, clock } = this.options;
    const passkey = await passkeys.findByCredential(response.id);
    if (passkey === null) throw new HatifError('INVALID_CREDENTIALS');
    const counter = await this.#counterOf(response, passkey);
    if (!(await passkeys.use(passkey.id, counter, clock.now()))) throw new HatifError('INVALID_CREDENTIALS');
    return passkey.user_id;
  }

  async #counterOf(response: AuthenticationResponseJSON, passkey: PasskeyRow): Promise<number> {
    const { challenges } = this.options;
    const { id, origin } = challenges.site();
    const { verifyAuthenticationResponse } = await loadWebauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => challenges.use(challenge, null),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
    }).catch((error: unknown) => {
      throw challenges.asRefusal(error, () => new HatifError('INVALID_CREDENTIALS', {}, { cause: error }));
    });
    if (!verified) throw new HatifError('INVALID_CREDENTIALS');
    return authenticationInfo.newCounter;
  }
}
