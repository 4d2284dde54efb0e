import type { SipTransport } from '../../core/model/sip-uri.js';
import type { Headers } from './headers.js';

/** Where a request came from: its sender, or the last proxy or NAT before the edge. */
export interface SipSource {
  readonly host: string;
  readonly port: number;
  readonly transport: SipTransport;
}

/** Fields of a response or request that this side sends; an array writes one field for each value. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

export interface SipAnswer {
  readonly reason?: string;
  readonly headers?: HeaderFields;
}

/** Where a call is passed on to. */
export interface SipTarget {
  readonly uri: string;
  /** Proxies on the way (RFC 3327). */
  readonly path: readonly string[];
}

/** A request outside of dialogs that the edge received. */
export interface SipRequest {
  readonly method: string;
  readonly uri: string;
  readonly headers: Headers;
  readonly body: string;
  readonly source: SipSource;
  /** Milliseconds between its arrival at the edge and the moment at which this process read it. */
  readonly waitedMs: number;
  /** The edge as the sender reaches it, for `Record-Route`. */
  readonly route: string;
  /** Sends the final response. Does nothing after another one. */
  answer(status: number, answer?: SipAnswer): void;
  /** Never answers. */
  ignore(): void;
  /**
   * Passes the request on as a proxy: what follows in the dialog takes the same way, past the decisions made here. Several
   * targets ring at the same time.
   * @param silentAfterMs after which a target that sends nothing is given up
   */
  proxy(targets: readonly SipTarget[], headers: HeaderFields, silentAfterMs: number): Promise<void>;
  /**
   * Passes an INVITE on with a dialog of its own to each target, for phones behind a path, to which drachtio-server cannot
   * pass requests on. The call needs this process until it ends.
   */
  bridge(targets: readonly SipTarget[], headers: HeaderFields): Promise<void>;
}
