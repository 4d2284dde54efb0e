/** A certificate with its chain, and its key: PEM. */
export interface IssuedCertificate {
  readonly chain: string;
  readonly key: string;
}

/** Answers the authority's requests for `/.well-known/acme-challenge/<token>` (HTTP-01, RFC 8555 §8.3). */
export interface ChallengeAnswers {
  put(token: string, answer: string): Promise<void>;
  remove(token: string): Promise<void>;
}

/** An authority that issues certificates over ACME (RFC 8555). */
export interface CertificateAuthority {
  /** A new key of an account: PEM. */
  newAccountKey(): Promise<string>;
  /**
   * Has a certificate issued with a new key of its own. The account is opened if the authority does not know its key.
   * @param names DNS names, which must all reach the challenge answers
   * @throws AuthorityError
   */
  issue(accountKey: string, names: readonly string[], answers: ChallengeAnswers): Promise<IssuedCertificate>;
}

/** No certificate was issued. `message` says why, in the words of the authority if it answered. */
export class AuthorityError extends Error {
  override readonly name = 'AuthorityError';
  /** The authority takes no request before this many seconds have passed; null if it did not say so. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, retryAfterSeconds: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
