import * as openid from 'openid-client';
import type { Clock } from '../../core/ports/clock.js';
import {
  OpenIdAnswerError,
  OpenIdUnavailable,
  type OpenIdAssertion,
  type OpenIdChecks,
  type OpenIdClient,
  type OpenIdRelyingParty,
  type OpenIdRequest,
  type OpenIdSecrets,
} from '../../core/ports/openid.js';
import type { UrlProblem } from '../../core/ports/outbound-http.js';
import { problemOfUrl, type GuardOptions } from '../http/guard.js';
import { asOutage, asRefusal } from './errors.js';
import { GuardedFetch } from './guarded-fetch.js';

const TIMEOUT_SECONDS = 10;
/** How far the clocks of the provider and of this machine may be apart. */
const TOLERANCE_SECONDS = 60;

export interface OpenIdConnectOptions extends GuardOptions {
  readonly clock: Pick<Clock, 'now'>;
}

/** OpenID Connect by openid-client: code flow with PKCE, and signed ID tokens. */
export class OpenIdConnect implements OpenIdRelyingParty {
  readonly #http: GuardedFetch;

  constructor(private readonly options: OpenIdConnectOptions) {
    this.#http = new GuardedFetch(options);
  }

  problemOf(issuer: string): UrlProblem | null {
    // OpenID Connect Discovery 1.0 §2: an issuer has no query.
    return problemOfUrl(issuer, this.options) ?? (new URL(issuer).search === '' ? null : 'malformed');
  }

  async check(client: OpenIdClient): Promise<void> {
    await this.#discover(client);
  }

  async begin(client: OpenIdClient, request: OpenIdRequest): Promise<OpenIdSecrets & { readonly url: string }> {
    const provider = await this.#discover(client);
    const nonce = openid.randomNonce();
    const verifier = openid.randomPKCECodeVerifier();
    const { redirectUri, scopes, state, loginHint, maxAgeSeconds } = request;
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(loginHint !== null && { login_hint: loginHint }),
      ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
    });
    return { url: url.href, nonce, verifier };
  }

  async finish(client: OpenIdClient, callback: URL, checks: OpenIdChecks): Promise<OpenIdAssertion> {
    const provider = await this.#discover(client);
    try {
      const tokens = await openid.authorizationCodeGrant(provider, callback, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
        ...(checks.maxAgeSeconds !== null && { maxAge: checks.maxAgeSeconds }),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new OpenIdAnswerError('malformed');
      if (claims.iat * 1000 > this.options.clock.now().getTime() + TOLERANCE_SECONDS * 1000) {
        throw new OpenIdAnswerError('wrong_time');
      }
      const isComplete = checks.claims.every((name) => claims[name] !== undefined);
      const more = isComplete ? {} : await this.#userInfo(provider, tokens.access_token, claims.sub);
      return assertionOf({ ...more, ...claims });
    } catch (error) {
      throw asRefusal(error);
    }
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** @throws OpenIdUnavailable */
  async #discover({ issuer, clientId, clientSecret, authentication }: OpenIdClient): Promise<openid.Configuration> {
    const problem = this.problemOf(issuer);
    if (problem !== null) throw new OpenIdUnavailable(problem);
    const metadata = {
      [openid.clockTolerance]: TOLERANCE_SECONDS,
      // The library reads the machine's clock.
      [openid.clockSkew]: Math.round((this.options.clock.now().getTime() - Date.now()) / 1000),
    };
    try {
      const provider = await openid.discovery(
        new URL(issuer),
        clientId,
        metadata,
        authenticationOf(clientSecret, authentication),
        {
          [openid.customFetch]: this.#http.fetch,
          timeout: TIMEOUT_SECONDS,
          // The guard allows plain HTTP to this machine only, and only for development.
          execute: this.options.allowLoopback
            ? [allowPlainHttp, openid.enableNonRepudiationChecks]
            : [openid.enableNonRepudiationChecks],
        },
      );
      this.#assertMetadata(provider, issuer);
      return provider;
    } catch (error) {
      throw asOutage(error);
    }
  }

  /**
   * A client of the code flow needs all of these endpoints; the person's browser goes to one of them. The library lets one
   * issuer of Microsoft stand for every customer of Microsoft, who could then all name the people of an organization.
   */
  #assertMetadata(provider: openid.Configuration, issuer: string): void {
    const metadata = provider.serverMetadata();
    if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new OpenIdUnavailable('other_issuer');
    }
    for (const endpoint of [metadata.authorization_endpoint, metadata.token_endpoint, metadata.jwks_uri]) {
      if (endpoint === undefined || problemOfUrl(endpoint, this.options) !== null) {
        throw new OpenIdUnavailable('bad_metadata');
      }
    }
  }

  /** What the provider says beside the ID token; nothing if it has no such endpoint. */
  async #userInfo(provider: openid.Configuration, accessToken: string, subject: string): Promise<object> {
    if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
    return openid.fetchUserInfo(provider, accessToken, subject);
  }
}

// eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that nobody uses it by accident
const allowPlainHttp = openid.allowInsecureRequests;

function authenticationOf(secret: string | null, where: OpenIdClient['authentication']): openid.ClientAuth {
  if (secret === null) return openid.None();
  return where === 'basic' ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
}

function assertionOf(claims: Readonly<Record<string, unknown>> & { readonly sub: string }): OpenIdAssertion {
  const { sub: subject, auth_time: seconds, amr } = claims;
  return {
    subject,
    claims,
    authenticatedAt: typeof seconds === 'number' ? new Date(seconds * 1000) : null,
    methods: Array.isArray(amr) ? amr.filter((method): method is string => typeof method === 'string') : [],
  };
}
