import type { Identities } from '../../../data/repositories/accounts/identities.js';
import type { IdentityVerificationRow } from '../../../data/rows.js';
import type { Cipher } from '../../../model/access/cipher.js';
import { isNationalId, type IdentityState } from '../../../model/accounts/national-id.js';
import { HatifError } from '../../../model/errors/index.js';
import { newId } from '../../../model/ids.js';
import { arabic } from '../../../model/wording/wording.js';
import type { Clock } from '../../../ports/clock.js';
import {
  IdentityProviderError,
  type IdentityNotice,
  type IdentityNotices,
  type IdentityProvider,
  type StartedIdentity,
} from '../../../ports/identity-provider.js';
import type { Logger } from '../../../ports/logger.js';
import { NoticeError } from '../../../ports/notice.js';
import type { IdentityLimits } from './limits.js';
import { pollIdentity } from './poller.js';
import type { IdentitySettlement } from './settlement.js';

export interface IdentityVerificationsOptions {
  readonly identities: Identities;
  readonly settlement: IdentitySettlement;
  readonly limits: IdentityLimits;
  /** Null if none is configured. */
  readonly provider: IdentityProvider | null;
  readonly notices: IdentityNotices | null;
  readonly cipher: Pick<Cipher, 'mac'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A verification as the API shows it to the person. */
export interface IdentityVerificationObject {
  readonly verification_id: string;
  readonly state: IdentityState;
  readonly match_number: string;
  readonly last_four: string;
  readonly reason: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly ended_at: string | null;
}

/** The person whose identity is verified. */
export interface Claimant {
  readonly id: string;
  readonly organizationId: string;
}

/** No verification stays open longer, whatever the provider says. */
const LONGEST_MS = 3_600_000;
/** When the poller asks for the first time. */
const FIRST_CHECK_MS = 5_000;
/** Between two requests to the provider because the person reads a verification. */
const ASK_PAUSE_SECONDS = 2;

/** Verifies the national identities of people at the provider. */
export class IdentityVerifications {
  constructor(private readonly options: IdentityVerificationsOptions) {}

  /**
   * @throws HatifError INVALID_NATIONAL_ID, NATIONALID_ALREADY_VERIFIED, RATE_LIMIT_EXCEEDED,
   * NATIONALID_ALREADY_REGISTERED, NATIONALID_INITIATE_FAILED
   */
  async begin(nationalId: string, who: Claimant): Promise<IdentityVerificationObject> {
    const { identities, limits, cipher, clock } = this.options;
    if (!isNationalId(nationalId)) throw new HatifError('INVALID_NATIONAL_ID');
    const hash = cipher.mac('national-id', nationalId);
    if (await identities.isVerified(who.id)) throw new HatifError('NATIONALID_ALREADY_VERIFIED');
    // Before the next check, which would otherwise tell whose numbers are registered here.
    await limits.take(who.id, hash);
    if (await identities.isRegisteredElsewhere(hash, who.organizationId)) throw registeredElsewhere();
    const id = newId();
    const { matchNumber, expiresAt } = await this.#started(id, nationalId, await identities.localeOf(who.id));
    const now = clock.now();
    const row: IdentityVerificationRow = {
      id,
      organization_id: who.organizationId,
      user_id: who.id,
      hash,
      last4: nationalId.slice(-4),
      match_number: matchNumber,
      state: 'pending',
      reason: null,
      registered_elsewhere: false,
      checks: 0,
      next_check_at: new Date(now.getTime() + FIRST_CHECK_MS),
      asked_at: null,
      created_at: now,
      expires_at: new Date(Math.min(expiresAt.getTime(), now.getTime() + LONGEST_MS)),
      ended_at: null,
    };
    await identities.insert(row);
    return present(row);
  }

  /** The person's own attempts, newest first. */
  async list(userId: string, beforeId: string | null, limit: number): Promise<IdentityVerificationObject[]> {
    return (await this.options.identities.page(userId, beforeId, limit)).map(present);
  }

  /** Asks the provider while the verification is pending. @throws HatifError NOT_FOUND */
  async get(userId: string, id: string): Promise<IdentityVerificationObject> {
    return present(await this.#current(userId, id));
  }

  /**
   * @throws HatifError NOT_FOUND, NATIONALID_NOT_VERIFIED while it is pending, NATIONALID_REJECTED, NATIONALID_EXPIRED,
   * NATIONALID_ALREADY_REGISTERED
   */
  async confirm(userId: string, id: string): Promise<IdentityVerificationObject> {
    const row = await this.#current(userId, id);
    switch (row.state) {
      case 'verified':
        return present(row);
      case 'pending':
        throw new HatifError('NATIONALID_NOT_VERIFIED');
      case 'expired':
        throw new HatifError('NATIONALID_EXPIRED');
      case 'rejected':
        throw row.registered_elsewhere ? registeredElsewhere() : new HatifError('NATIONALID_REJECTED');
    }
  }

  /**
   * Handles a notice of the provider. One about a verification that has ended changes nothing.
   * @throws HatifError NATIONALID_INVALID_WEBHOOK, WEBHOOK_PAYLOAD_INVALID, NOT_FOUND
   */
  async handleNotice(headers: Readonly<Record<string, string>>, body: Buffer): Promise<void> {
    const notice = this.#read(headers, body);
    if (!notice) return;
    const { verificationId: id, identity } = notice;
    if (!(await this.options.settlement.apply(id, identity))) throw unknownVerification(id);
  }

  #read(headers: Readonly<Record<string, string>>, body: Buffer): IdentityNotice | null {
    const { notices } = this.options;
    if (!notices) throw new HatifError('NATIONALID_INVALID_WEBHOOK');
    try {
      return notices.read(headers, body);
    } catch (error) {
      if (!(error instanceof NoticeError)) throw error;
      if (error.problem === 'unauthorized') throw new HatifError('NATIONALID_INVALID_WEBHOOK', {}, { cause: error });
      throw new HatifError('WEBHOOK_PAYLOAD_INVALID', { reason: error.message }, { cause: error });
    }
  }

  /** @throws HatifError NATIONALID_INITIATE_FAILED */
  async #started(id: string, nationalId: string, locale: 'ar' | 'en'): Promise<StartedIdentity> {
    const { provider, log } = this.options;
    if (!provider) throw new HatifError('NATIONALID_INITIATE_FAILED');
    try {
      return await provider.begin({ id, nationalId, locale });
    } catch (error) {
      if (!(error instanceof IdentityProviderError)) throw error;
      log.warn({ err: error, verification: id }, 'failed to start a verification of a national identity');
      throw new HatifError('NATIONALID_INITIATE_FAILED', {}, { cause: error });
    }
  }

  async #current(userId: string, id: string): Promise<IdentityVerificationRow> {
    const { identities, settlement, provider, clock, log } = this.options;
    const row = await identities.get(userId, id);
    if (!row) throw unknownVerification(id);
    if (row.state !== 'pending') return row;
    if (!(await identities.takeOne(id, clock.now(), ASK_PAUSE_SECONDS))) return row;
    return (await pollIdentity(row, { settlement, provider, clock, log })) ?? row;
  }
}

function unknownVerification(id: string): HatifError {
  return new HatifError('NOT_FOUND', {
    what: { en: `the verification ${id}`, ar: arabic`عملية التحقق ${id}` },
  });
}

function registeredElsewhere(): HatifError {
  return new HatifError('NATIONALID_ALREADY_REGISTERED');
}

function present(row: IdentityVerificationRow): IdentityVerificationObject {
  return {
    verification_id: row.id,
    state: row.state,
    match_number: row.match_number,
    last_four: row.last4,
    reason: row.reason,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}
