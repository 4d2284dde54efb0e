/** A request to an address chosen by a customer. */
export interface OutboundPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Limit for everything: DNS, connection, TLS, response and its body. */
  readonly timeoutMs: number;
  /** Whether to return the response body (at most 64 KiB of it); otherwise it is discarded. */
  readonly readBody: boolean;
}

/**
 * Why a URL is never requested.
 *
 * - `malformed`: not an absolute URL, longer than 2,048 characters, or with a user name, password
 *   or fragment.
 * - `not_https`: a scheme other than https (http is for loopback only, and only if that is
 *   allowed).
 * - `forbidden_address`: an address that is not public: private, loopback, link-local, shared,
 *   metadata, multicast, …
 */
export type UrlProblem = 'malformed' | 'not_https' | 'forbidden_address';

export type PostFailure =
  | UrlProblem
  /** The name has no address. */
  | 'unknown_host'
  | 'connection_refused'
  | 'connection_lost'
  | 'tls_error'
  /** The server answers an https URL without TLS. */
  | 'no_tls'
  | 'timeout'
  /** The response is not HTTP. */
  | 'bad_response';

export type PostResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** The `Retry-After` header as received, if any. */
      readonly retryAfter: string | null;
      /** Empty unless requested; cut at 64 KiB. */
      readonly body: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failure'; readonly failure: PostFailure; readonly durationMs: number };

/**
 * HTTP to addresses that customers choose, guarded against server-side request forgery: the address
 * is checked when the connection is made, after the name was resolved, so DNS rebinding gains
 * nothing. Redirects are not followed. A failure is a result, never a rejection.
 */
export interface OutboundHttp {
  /** Why a URL would be refused, without resolving its name; null if it is acceptable. */
  problemOf(url: string): UrlProblem | null;
  post(request: OutboundPost): Promise<PostResult>;
  close(): Promise<void>;
}
