import type { Call } from '../calls/call.js';
import type { Target } from '../signalling/target.js';
import type { HatifError } from '../errors/error.js';

/**
 * - `new`: not registered yet
 * - `registering`
 * - `registered`: it can call, and be called
 * - `reconnecting`: the network was interrupted; the device is coming back by itself
 * - `unregistered`: by the page, or the session is over
 * - `destroyed`
 */
export type DeviceState = 'new' | 'registering' | 'registered' | 'reconnecting' | 'unregistered' | 'destroyed';

export interface DeviceEvents {
  /** The device can call and be called, for the first time. */
  registered: undefined;
  /** The device calls no more. */
  unregistered: HatifError | null;
  reconnecting: undefined;
  reconnected: undefined;
  incoming: Call;
  /** A call of the page before it was loaded again continues: it is `reconnecting`, and connects by itself. */
  resumed: Call;
  /** Time to refresh the session on your server, and to give the new token to {@link Device.updateToken}. */
  tokenWillExpire: { readonly expiresAt: Date };
  /** The browser plays no ring tone until the person clicked on the page; or it does now. */
  ringtoneBlocked: boolean;
  error: HatifError;
  /** The state, or the list of calls. */
  changed: undefined;
}

export interface DeviceOptions {
  /** The platform's address; by default that of the page. */
  readonly baseUrl?: string;
  /** Puts the TURN servers of this region first. */
  readonly region?: string;
  /** The address of a sound file; `false` for silence. By default the package has a ring tone of its own. */
  readonly ringtone?: string | boolean;
  /** Whether callers hear that it rings at the other side, if the network plays nothing. Default `true`. */
  readonly ringback?: boolean;
  /** What the browser does with the microphone. All are on by default. */
  readonly noiseSuppression?: boolean;
  readonly echoCancellation?: boolean;
  readonly autoGainControl?: boolean;
  /** Audio through TURN servers only. */
  readonly relayOnly?: boolean;
  /** The longest time that a call waits for addresses of this browser. Default 500. */
  readonly gatheringMs?: number;
  /** How long before its end `tokenWillExpire` reports a session. Default 60. */
  readonly refreshSeconds?: number;
  /**
   * Whether the account and the calls are kept in the tab's `sessionStorage`, so that a page that is loaded again needs no
   * new token, and continues its calls. Default `true`.
   */
  readonly resume?: boolean;
  /**
   * Whether calls end at once when the person leaves the page. Default `false`: the other side hears music for up to 30
   * seconds, and the call continues if the page is loaded again.
   */
  readonly hangUpOnLeave?: boolean;
}

export interface ConnectOptions {
  readonly to: Target;
  /** Reach call flows as variables: `orderId` is `web_order_id`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A stream of the page's own, in place of the microphone. */
  readonly stream?: MediaStream;
}
