import type { PostFailure, UrlProblem } from './outbound-http.js';

/** Hatif as an identity provider knows it. */
export interface OpenIdClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Where the secret is sent: in the `Authorization` header, or in the body (RFC 6749 §2.3.1). */
  readonly authentication: 'basic' | 'post';
}

/** A sign-in that begins. */
export interface OpenIdRequest {
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  /** The e-mail address that the person gave. */
  readonly loginHint: string | null;
  /** The person must have proved who it is at the provider within this time; null: at any time. */
  readonly maxAgeSeconds: number | null;
}

/** What shows at the end of a sign-in that it is the one that began. */
export interface OpenIdSecrets {
  readonly nonce: string;
  /** RFC 7636 */
  readonly verifier: string;
}

export interface OpenIdChecks extends OpenIdSecrets {
  readonly state: string;
  readonly maxAgeSeconds: number | null;
  /** If one of these claims is not in the ID token, the provider is asked for it. */
  readonly claims: readonly string[];
}

/** Who signed in, according to the provider. Everything in it was checked. */
export interface OpenIdAssertion {
  /** Unique at the issuer, and never given to somebody else. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the person proved who it is; null if the provider does not say. */
  readonly authenticatedAt: Date | null;
  /** How (RFC 8176). */
  readonly methods: readonly string[];
}

/** Why a provider cannot be used now. */
export type OpenIdOutage = PostFailure | 'bad_status' | 'bad_metadata' | 'other_issuer';

/** Why the answer of a provider is not accepted. */
export type OpenIdFault =
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_nonce'
  | 'wrong_time'
  | 'wrong_signature'
  /** It does not take Hatif's code, client id or secret. */
  | 'client_refused'
  | 'malformed';

/** The provider did not answer as one does. */
export class OpenIdUnavailable extends Error {
  override readonly name = 'OpenIdUnavailable';

  constructor(
    readonly outage: OpenIdOutage,
    options?: ErrorOptions,
  ) {
    super(`the identity provider cannot be used: ${outage}`, options);
  }
}

/** The answer of the provider proves nothing. */
export class OpenIdAnswerError extends Error {
  override readonly name = 'OpenIdAnswerError';

  constructor(
    readonly fault: OpenIdFault,
    options?: ErrorOptions,
  ) {
    super(`the answer of the identity provider is not accepted: ${fault}`, options);
  }
}

/** The provider did not sign the person in. */
export class OpenIdRefusal extends Error {
  override readonly name = 'OpenIdRefusal';

  /** @param code such as `access_denied` (RFC 6749 §4.1.2.1) */
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(`the identity provider refused: ${code}`, options);
  }
}

/**
 * OpenID Connect with the provider that an organization chose. Its addresses are guarded as those of webhooks are. What
 * the provider says of itself and its keys is read at each sign-in, so a change of them needs nothing here.
 */
export interface OpenIdRelyingParty {
  /** Why an issuer would be refused, without resolving its name; null if it is acceptable. */
  problemOf(issuer: string): UrlProblem | null;
  /** Reads what the provider says of itself. @throws OpenIdUnavailable */
  check(client: OpenIdClient): Promise<void>;
  /** @returns where the person signs in, and what the end is checked with @throws OpenIdUnavailable */
  begin(client: OpenIdClient, request: OpenIdRequest): Promise<OpenIdSecrets & { readonly url: string }>;
  /**
   * Uses the answer that the browser brings back.
   * @param callback with its query
   * @throws OpenIdUnavailable, OpenIdAnswerError, OpenIdRefusal
   */
  finish(client: OpenIdClient, callback: URL, checks: OpenIdChecks): Promise<OpenIdAssertion>;
  close(): Promise<void>;
}
