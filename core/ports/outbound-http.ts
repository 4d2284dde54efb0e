/** A request to an address that a customer named. */
export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Limit of everything: name, connection, TLS, answer and its body. */
  readonly timeoutMs: number;
  /** Whether the caller wants to read the answer's body (at most 64 KiB of it); otherwise it is thrown away. */
  readonly readBody: boolean;
}

/**
 * Why a URL is never requested.
 *
 * - `malformed`: no absolute URL, longer than 2,048 characters, or with a user name, password or fragment in it.
 * - `not_https`: another scheme than https (http is for loopback only, and only where that is allowed).
 * - `forbidden_address`: an address that is not public: private, loopback, link-local, shared, metadata, multicast, …
 */
export type UrlProblem = 'malformed' | 'not_https' | 'forbidden_address';

export type PostFailure =
  | UrlProblem
  /** The name has no address. */
  | 'unknown_host'
  | 'connection_refused'
  | 'connection_lost'
  | 'tls_error'
  | 'timeout'
  /** Something was answered that is not HTTP. */
  | 'bad_response';

export type PostResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** The `Retry-After` header as it came, if any. */
      readonly retryAfter: string | null;
      /** Empty unless asked for; cut at 64 KiB. */
      readonly body: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failure'; readonly failure: PostFailure; readonly durationMs: number };

/**
 * HTTP towards addresses that customers choose, guarded against server-side request forgery: the address is checked
 * when the connection is made, after the name was resolved, so a name that changes its mind gains nothing. Redirects are
 * not followed. A failure is a result, never a rejection.
 */
export interface OutboundHttp {
  /** What can be said against a URL without resolving its name; null when nothing. */
  problemOf(url: string): UrlProblem | null;
  post(request: OutboundPost): Promise<PostResult>;
  close(): Promise<void>;
}
