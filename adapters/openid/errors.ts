import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import {
  OpenIdAnswerError,
  OpenIdRefusal,
  OpenIdUnavailable,
  type OpenIdFault,
  type OpenIdOutage,
} from '../../core/ports/openid.js';
import { FetchFailed } from './guarded-fetch.js';

/** By the codes of openid-client: the provider did not answer as one does. */
const OUTAGES: Readonly<Record<string, OpenIdOutage>> = {
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'bad_status',
  OAUTH_RESPONSE_IS_NOT_JSON: 'bad_metadata',
  OAUTH_TIMEOUT: 'timeout',
  OAUTH_ABORT: 'timeout',
};

/** By the claim that is not as expected (RFC 7519 §4.1). */
const FAULTS_OF_CLAIMS: Readonly<Record<string, OpenIdFault>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  azp: 'wrong_audience',
  nonce: 'wrong_nonce',
};

const ISSUER_OF_ANSWER = /"iss" \(issuer\) response parameter|response parameter "iss"/;

/** An error while the provider described itself. */
export function asOutage(error: unknown): Error {
  if (error instanceof OpenIdUnavailable) return error;
  const outage =
    outageIn(error) ?? (codeOf(error) === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' ? 'other_issuer' : null);
  return new OpenIdUnavailable(outage ?? 'bad_metadata', { cause: plain(error) });
}

/** An error while the answer that the browser brought was used. */
export function asRefusal(error: unknown): Error {
  if (error instanceof OpenIdAnswerError || error instanceof OpenIdUnavailable) return error;
  const options = { cause: plain(error) };
  if (error instanceof AuthorizationResponseError) return new OpenIdRefusal(shortCode(error.error), options);
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    const isDown = error.status >= 500;
    return isDown ? new OpenIdUnavailable('bad_status', options) : new OpenIdAnswerError('client_refused', options);
  }
  const outage = outageIn(error);
  if (outage !== null) return new OpenIdUnavailable(outage, options);
  return new OpenIdAnswerError(faultIn(error), options);
}

function outageIn(error: unknown): OpenIdOutage | null {
  const failed = chainOf(error).find((each) => each instanceof FetchFailed);
  return failed?.failure ?? OUTAGES[codeOf(error)] ?? null;
}

function faultIn(error: unknown): OpenIdFault {
  const chain = chainOf(error);
  const messages = chain.map(({ message }) => message).join('\n');
  switch (codeOf(error)) {
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return 'wrong_time';
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return FAULTS_OF_CLAIMS[claimIn(chain)] ?? 'malformed';
    case 'OAUTH_KEY_SELECTION_FAILED':
      return 'wrong_signature';
    default:
      if (messages.includes('signature verification failed')) return 'wrong_signature';
      return ISSUER_OF_ANSWER.test(messages) ? 'wrong_issuer' : 'malformed';
  }
}

/** What the errors say, without what they hold: tokens and claims, which no log may have. */
function plain(error: unknown): Error {
  return new Error(
    chainOf(error)
      .map(({ message }) => message)
      .join(': '),
  );
}

/** The code comes with the query, so it may be anybody's text. */
function shortCode(code: string): string {
  return /^[\w.-]{1,64}$/.test(code) ? code : 'error';
}

/** The errors from the outermost to the first cause. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 10; each = each.cause) chain.push(each);
  return chain;
}

/** The claim that the innermost error names. */
function claimIn(chain: readonly Error[]): string {
  const cause: unknown = chain.at(-1)?.cause;
  const claim = typeof cause === 'object' && cause !== null && 'claim' in cause ? cause.claim : '';
  return typeof claim === 'string' ? claim : '';
}

function codeOf(error: unknown): string {
  return error instanceof ClientError && error.code !== undefined ? error.code : '';
}
