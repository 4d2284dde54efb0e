import type { GroupRole } from '../../model/access/group-roles.js';
import type { Role } from '../../model/access/roles.js';
import type { SessionClient } from './users.js';

/** The identity provider of an organization, and what its groups may do here. */
export interface SsoSettingsRow {
  readonly organization_id: string;
  readonly issuer: string;
  readonly client_id: string;
  /** Sealed; null for a public client. */
  readonly client_secret: string | null;
  /** Where the secret is sent. */
  readonly client_authentication: 'basic' | 'post';
  readonly scopes: readonly string[];
  /** The claim that lists the groups of a person. */
  readonly group_claim: string;
  readonly group_roles: readonly GroupRole[];
  readonly default_role: Role | null;
  readonly default_project_ids: readonly string[] | null;
  /** Whether owners sign in through it, and groups may have the role of owners. */
  readonly admits_owners: boolean;
  readonly enabled: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A domain of e-mail addresses that an organization claims. */
export interface SsoDomainRow {
  readonly organization_id: string;
  /** In lower case and ASCII. */
  readonly domain: string;
  /** What the TXT record must have; everybody can read it there. */
  readonly token: string;
  /** Whether people with an address in it sign in through the identity provider only. */
  readonly forced: boolean;
  readonly verified_at: Date | null;
  readonly verified_by: 'dns' | 'administrator' | null;
  readonly created_at: Date;
}

/** A sign-in that a browser began, and that its return from the identity provider ends. */
export interface SsoFlowRow {
  /** SHA-256 of what names it at the provider. */
  readonly state_hash: string;
  /** SHA-256 of the cookie of the browser. */
  readonly browser_hash: string;
  readonly organization_id: string;
  readonly issuer: string;
  readonly client_id: string;
  /** Sealed JSON: the nonce and the PKCE verifier. */
  readonly secrets: string;
  readonly max_age_seconds: number | null;
  readonly client: SessionClient;
  /** A path of the platform for a browser; a URL of the machine itself for a program. */
  readonly target: string;
  /** Base64url SHA-256 of what the program keeps; null for a browser. */
  readonly challenge: string | null;
  readonly expires_at: Date;
}

/** A single sign-on that has succeeded, whose session a program has yet to fetch. */
export interface SsoCodeRow {
  /** SHA-256 */
  readonly hash: string;
  readonly user_id: string;
  readonly challenge: string;
  readonly second_factor: boolean;
  readonly confirmed_at: Date | null;
  readonly expires_at: Date;
}
