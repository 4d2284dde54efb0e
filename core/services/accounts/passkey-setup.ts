import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { violatedUnique } from '../../data/errors.js';
import type { Credentials } from '../../data/repositories/accounts/credentials.js';
import type { PasskeyRow, Passkeys } from '../../data/repositories/accounts/passkeys.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { Confirmation } from './confirmation.js';
import type { InSession } from './in-session.js';
import { loadWebauthn, type PasskeyChallenges } from './passkey-challenges.js';

const SITE_NAME = 'Hatif';
const MOST = 20;

const REFUSED: Phrase = {
  en: 'does not answer a challenge that was given to this user in the last 5 minutes',
  ar: 'لا يطابق طلبًا أُرسل إلى هذا المستخدم خلال آخر 5 دقائق',
};
const TOO_MANY: Phrase = {
  en: `cannot be added: a user has at most ${MOST} passkeys`,
  ar: `لا تمكن إضافته: الحد الأقصى لمفاتيح المرور لكل مستخدم هو ${MOST}`,
};
const NO_PASSKEY: Phrase = { en: 'a passkey of this user with this ID', ar: 'مفتاح مرور لهذا المستخدم بهذا المعرّف' };

export interface PasskeySetupOptions {
  readonly passkeys: Passkeys;
  readonly challenges: PasskeyChallenges;
  readonly credentials: Credentials;
  readonly confirmation: Confirmation;
  readonly clock: Clock;
  /** Called after a session was proved or has ended, so that this process sees it at once. */
  readonly onSessionChanged: () => void;
}

/** Adds, lists and removes a user's passkeys. */
export class PasskeySetup {
  constructor(private readonly options: PasskeySetupOptions) {}

  /** What a browser asks an authenticator to make: a passkey that names its user and verifies its owner. */
  async begin(
    user: InSession & { readonly email: string; readonly name: string },
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { passkeys, challenges, confirmation } = this.options;
    await confirmation.require(user);
    const { generateRegistrationOptions } = await loadWebauthn();
    const asked = await generateRegistrationOptions({
      rpName: SITE_NAME,
      rpID: challenges.site().id,
      userID: Uint8Array.from(Buffer.from(user.id, 'utf8')),
      userName: user.email,
      userDisplayName: user.name,
      timeout: challenges.validMs,
      attestationType: 'none',
      excludeCredentials: (await passkeys.list(user.id)).map(({ credential_id: id, transports }) => ({
        id,
        transports: [...transports],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await challenges.keep(asked.challenge, user.id);
    return asked;
  }

  /** @throws HatifError VALIDATION_ERROR; IDENTITY_CONFLICT if the passkey is known. */
  async add(user: InSession, name: string, response: RegistrationResponseJSON): Promise<PasskeyRow> {
    const { passkeys, credentials, clock, onSessionChanged } = this.options;
    const { credential, credentialBackedUp } = await this.#verify(user, response);
    const now = clock.now();
    const row: PasskeyRow = {
      id: newId(),
      user_id: user.id,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: credential.transports ?? [],
      name,
      is_synced: credentialBackedUp,
      created_at: now,
      last_used_at: null,
    };
    try {
      await credentials.transaction(async (tx) => {
        if (!(await passkeys.add(tx, row, MOST))) throw invalidField('credential', TOO_MANY);
        await credentials.prove(user.sessionId, now, true, tx);
        await credentials.reportSecondFactor(tx, user.id, 'passkey_added', now);
      });
    } catch (error) {
      if (violatedUnique(error) === 'passkeys_credential') throw new HatifError('IDENTITY_CONFLICT');
      throw error;
    }
    onSessionChanged();
    return row;
  }

  list({ id }: InSession): Promise<PasskeyRow[]> {
    return this.options.passkeys.list(id);
  }

  /** @throws HatifError NOT_FOUND. */
  async remove(user: InSession, passkeyId: string): Promise<void> {
    const { passkeys, credentials, confirmation, clock } = this.options;
    await confirmation.require(user);
    const now = clock.now();
    await credentials.transaction(async (tx) => {
      if (!(await passkeys.remove(tx, user.id, passkeyId))) throw new HatifError('NOT_FOUND', { what: NO_PASSKEY });
      await credentials.reportSecondFactor(tx, user.id, 'passkey_removed', now);
    });
  }

  async #verify(
    { id: userId }: InSession,
    response: RegistrationResponseJSON,
  ): Promise<NonNullable<VerifiedRegistrationResponse['registrationInfo']>> {
    const { challenges } = this.options;
    const { id, origin } = challenges.site();
    const { verifyRegistrationResponse } = await loadWebauthn();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => challenges.use(challenge, userId),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    }).catch((error: unknown) => {
      throw challenges.asRefusal(error, () => invalidField('credential', REFUSED));
    });
    if (registrationInfo === undefined) throw invalidField('credential', REFUSED);
    return registrationInfo;
  }
}
