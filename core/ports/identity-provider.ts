/** What a person is to confirm. */
export interface IdentityOrder {
  /** Ours, chosen before the provider is called: a known order is not created again. */
  readonly id: string;
  readonly nationalId: string;
  /** The language in which the provider writes to the person. */
  readonly locale: 'ar' | 'en';
}

/** The provider waits for the person. */
export interface StartedIdentity {
  /** The number that the person picks in the provider's app. */
  readonly matchNumber: string;
  readonly expiresAt: Date;
}

/** State of a verification at the provider. Only `pending` ever changes. */
export type ProviderIdentity =
  | { readonly state: 'pending' | 'verified' | 'expired' }
  | { readonly state: 'rejected'; readonly reason: string | null };

/** The provider refused, did not answer, or answered in no agreed form. */
export class IdentityProviderError extends Error {
  override readonly name = 'IdentityProviderError';
}

/** A service that asks people for their national identity. Every method rejects with IdentityProviderError only. */
export interface IdentityProvider {
  /** Starts a verification: the person's app asks for the number. A repeat of the same order starts nothing new. */
  begin(order: IdentityOrder): Promise<StartedIdentity>;
  getState(id: string): Promise<ProviderIdentity>;
}

/** A notice that the provider sent on its own. */
export interface IdentityNotice {
  readonly verificationId: string;
  readonly identity: ProviderIdentity;
}

/** Verifies and parses notices of the provider. */
export interface IdentityNotices {
  /** @returns null for a notice of no interest. @throws NoticeError */
  read(headers: Readonly<Record<string, string>>, body: Buffer): IdentityNotice | null;
}
