import type { IdentityState } from '../../model/accounts/national-id.js';
import type { ProductionRequestStatus } from '../../model/accounts/production.js';

/** A sandbox organization's request to become a production account. */
export interface ProductionRequestRow {
  readonly id: string;
  readonly organization_id: string;
  readonly status: ProductionRequestStatus;
  readonly company: string;
  readonly commercial_registration: string;
  /** Null: the company is not registered for value added tax. */
  readonly vat_number: string | null;
  readonly use: string;
  /** Calls per month. */
  readonly expected_calls: number;
  /** An administrator accepts it without the owner's national identity. */
  readonly identity_waived: boolean;
  /** The reason for the rejection. */
  readonly reason: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly submitted_at: Date | null;
  readonly ended_at: Date | null;
}

/** One attempt of a person to verify the national identity at the provider. */
export interface IdentityVerificationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly user_id: string;
  /** Keyed hash of the number. */
  readonly hash: string;
  readonly last4: string;
  /** The number that the person picks in the provider's app. */
  readonly match_number: string;
  readonly state: IdentityState;
  /** The provider's reason for a rejection. */
  readonly reason: string | null;
  /** The identity was verified, but belongs to a user of another organization. */
  readonly registered_elsewhere: boolean;
  readonly checks: number;
  readonly next_check_at: Date;
  /** When the provider was asked because the person read the verification. */
  readonly asked_at: Date | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
}
