import type * as Webauthn from '@simplewebauthn/server';
import type { Passkeys } from '../../data/repositories/accounts/passkeys.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import { relyingPartyOf, type RelyingParty } from '../../model/access/relying-party.js';
import { HatifError } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';

const NO_SITE = {
  en: 'passkeys, because the public address of this installation is no domain name',
  ar: 'مفاتيح المرور، لأن العنوان العام لهذا النظام ليس اسم نطاق',
};

/** The library of passkeys, which takes long to load: a process loads it at the first passkey. */
export const loadWebauthn = (): Promise<typeof Webauthn> => import('@simplewebauthn/server');

export interface PasskeyChallengesOptions {
  readonly passkeys: Passkeys;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** The challenges that authenticators sign: kept here, for one use each. */
export class PasskeyChallenges {
  readonly validMs = 5 * 60_000;

  constructor(private readonly options: PasskeyChallengesOptions) {}

  /** @throws HatifError NOT_FOUND: browsers make no passkeys for the address of this installation. */
  site(): RelyingParty {
    const site = relyingPartyOf(this.options.publicUrl());
    if (site === null) throw new HatifError('NOT_FOUND', { what: NO_SITE });
    return site;
  }

  /** @param userId whose new passkey signs it; null for a sign-in */
  async keep(challenge: string, userId: string | null): Promise<void> {
    const { passkeys, clock } = this.options;
    const now = clock.now();
    await passkeys.addChallenge(challenge, userId, new Date(now.getTime() + this.validMs), now);
  }

  /** Whether this is a challenge of ours that nobody has used. Then it is used now. */
  use(challenge: string, userId: string | null): Promise<boolean> {
    const { passkeys, clock } = this.options;
    return passkeys.useChallenge(challenge, userId, clock.now());
  }

  /** The verifier throws for every answer that it does not accept; only a lost database is a fault of ours. */
  asRefusal(error: unknown, refusal: () => HatifError): unknown {
    return error instanceof DatabaseUnavailable ? error : refusal();
  }
}
