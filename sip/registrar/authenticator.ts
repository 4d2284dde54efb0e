import type { AgentRow } from '../../core/data/rows.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import { digestChallenge, isAnsweredBy, parseCredentials, type DigestAlgorithm } from '../message/digest.js';
import type { HeaderFields, SipRequest } from '../message/request.js';
import type { Nonces } from './nonces.js';

export const REALM = 'hatif';

export type Verdict =
  | { readonly type: 'authentic'; readonly aor: string }
  /** No credentials, or a nonce that is too old or used: no mistake of the user. */
  | { readonly type: 'challenge'; readonly stale: boolean }
  /** A wrong password or an unknown user; the answer does not tell which. */
  | { readonly type: 'wrong'; readonly user: string };

export interface AuthenticatorOptions {
  /** The account of a softphone, or of a browser. */
  readonly accountByAor: (aor: string) => Promise<Pick<AgentRow, 'aor' | 'sip_password'> | null>;
  readonly cipher: Pick<Cipher, 'open'>;
  readonly nonces: Nonces;
  /** The offered algorithms, the preferred one first. */
  readonly algorithms: readonly DigestAlgorithm[];
}

/** Digest authentication of softphones (RFC 7616, RFC 8760). */
export class Authenticator {
  constructor(private readonly options: AuthenticatorOptions) {}

  /** Rejects if the database is unavailable. */
  async judge(request: SipRequest): Promise<Verdict> {
    const { nonces, algorithms } = this.options;
    const fields = [...request.headers.all('authorization'), ...request.headers.all('proxy-authorization')];
    const ours = fields.map(parseCredentials).find((one) => one?.realm === REALM);
    if (!ours) return { type: 'challenge', stale: false };
    if (!algorithms.includes(ours.algorithm)) return { type: 'challenge', stale: false };
    const state = nonces.stateOf(ours.nonce);
    if (state === 'stale') return { type: 'challenge', stale: true };
    if (state === 'forged' || !isSameTarget(ours.uri, request.uri)) return { type: 'wrong', user: ours.username };
    const account = await this.options.accountByAor(ours.username);
    const password = account === null ? null : this.options.cipher.open(account.sip_password);
    // An unknown user costs the same time as a wrong password.
    const isAnswered = isAnsweredBy(ours, request.method, password ?? ours.nonce);
    if (account === null || !isAnswered) return { type: 'wrong', user: ours.username };
    // Used only by those who know the password, so that strangers cannot fill the memory.
    if (!(await nonces.use(ours.nonce, ours.count?.nc ?? null))) return { type: 'challenge', stale: true };
    return { type: 'authentic', aor: account.aor };
  }

  /** Sends a challenge: 401 to a REGISTER, as a registrar does, otherwise 407. */
  challenge(request: SipRequest, { stale }: { readonly stale: boolean }): void {
    const isRegistrar = request.method === 'REGISTER';
    const nonce = this.options.nonces.issue();
    const challenges = this.options.algorithms.map((algorithm) => digestChallenge(REALM, nonce, algorithm, { stale }));
    const headers: HeaderFields = { [isRegistrar ? 'WWW-Authenticate' : 'Proxy-Authenticate']: challenges };
    request.answer(isRegistrar ? 401 : 407, { headers });
  }
}

/** Phones write the address of a request and that in their credentials with different ports and parameters. */
function isSameTarget(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [parseSipUri(one), parseSipUri(other)];
  return a !== null && b !== null && a.user === b.user && a.host === b.host;
}
