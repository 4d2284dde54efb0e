/**
 * What the embedded parts need and give. The process entry turns settings into {@link EmbeddedOptions};
 * nothing in this folder reads the environment or the configuration.
 */

/** Tells a person what a long step is doing; `fraction` (0 to 1) is present when the length is known. */
export type Progress = (text: string, fraction?: number) => void;

export interface SipOptions {
  /** Address the SIP transports listen on. */
  readonly bind: string;
  readonly port: number;
  /** Address peers outside `localNetworks` reach us under; empty or absent when there is no address translation. */
  readonly externalAddress?: string;
  /** CIDR networks that need no address translation. */
  readonly localNetworks?: readonly string[];
  readonly tls?: { readonly port: number; readonly certificateFile: string; readonly privateKeyFile: string };
}

export interface HepOptions {
  readonly host: string;
  readonly port: number;
  /** Which engine sends, among those that send to the same Homer. */
  readonly captureId: number;
  readonly password?: string;
}

export interface AsteriskOptions {
  readonly sip: SipOptions;
  /** UDP ports for media, both inclusive. */
  readonly rtp: { readonly from: number; readonly to: number };
  /** In order of preference; those the build cannot transcode are left out. Default alaw, ulaw, opus, g722. */
  readonly codecs?: readonly string[];
  /** TCP port of ARI on 127.0.0.1; 0 chooses a free one and remembers it. Default 0. */
  readonly ariPort?: number;
  /** Inbound calls admitted at once; those above it get 503 at once, emergency numbers excepted. Default 1000. */
  readonly maxCalls?: number;
  /** New inbound calls a second, evenly or a quarter of a second's worth at once; those above it get 503, emergency numbers excepted. Default 150. */
  readonly maxCallsPerSecond?: number;
  /** Engine-side limit on an inbound call, should nobody else end it. Default 14460. */
  readonly maxCallSeconds?: number;
  /** How long an inbound call rings for an application that is away before it gets 503. Default 15. */
  readonly applicationWaitSeconds?: number;
  /** Numbers that bypass every limit. Default 911, 997, 998 and 999. */
  readonly emergencyNumbers?: readonly string[];
  /** Folder of the music for held calls: files that Asterisk can read (wav of 8 or 16 kHz, mono), in the order of their names. Default its own. */
  readonly holdMusicDir?: string;
  /** How often a call is refreshed, and the shortest time that the other side may ask for (RFC 4028). Default 1800 and 90. */
  readonly sessionTimers?: { readonly expiresSeconds: number; readonly minSeconds: number };
  /** Where Homer takes copies of SIP messages and RTCP reports (HEP 3); absent where none are sent. */
  readonly hep?: HepOptions;
  /** Folder of the configuration templates. Default `config/asterisk` of this package. */
  readonly templatesDir?: string;
}

export interface PackageOptions {
  /** Where fetched packages are kept; may be shared by many data folders. */
  readonly cacheDir: string;
  /** Base URI of a Debian mirror; default the machine's own. */
  readonly aptMirror?: string;
  /** Use fetched packages although the program is on PATH. */
  readonly preferEmbedded?: boolean;
  readonly onProgress?: Progress;
}

export interface EmbeddedOptions extends PackageOptions {
  /** Holds data, credentials and logs of every part. Made when missing. */
  readonly dataDir: string;
  readonly asterisk?: AsteriskOptions;
}

/** A running part. `adopted`: it was already running and was taken over, not started. */
export interface EmbeddedPart {
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly logFile: string;
  /** Ends it cleanly, and by force after the limit. Data is kept. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long Asterisk lets live calls finish (it takes no new ones meanwhile). Default 0. */
  readonly drainMs?: number;
}

/** How to spawn a program that may live in a package prefix: `spawn(command, [...args, ...yours], { env })`. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly command: string;
  /** Arguments that come before the caller's own (the loader's, when the program runs from a prefix). */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The prefix it runs from; absent when it was found on PATH. */
  readonly prefix?: string;
}

/** A part could not be had or started. `message` says which, why, and what a person can do. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  constructor(
    readonly part: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${part}: ${message}`, options);
  }
}
