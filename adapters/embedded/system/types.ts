/**
 * The options and results of the embedded parts. The process entry point converts settings to {@link EmbeddedOptions};
 * nothing in this directory reads the environment or the configuration.
 */

/** Reports the progress of a long step to the user; `fraction` (0 to 1) is present if the total is known. */
export type Progress = (text: string, fraction?: number) => void;

export interface SipOptions {
  /** The address that the SIP transports listen on. */
  readonly bind: string;
  readonly port: number;
  /** The address that peers outside `localNetworks` use; empty or absent without NAT. */
  readonly externalAddress?: string;
  /** CIDR networks without NAT. */
  readonly localNetworks?: readonly string[];
  readonly tls?: SipTlsOptions;
}

export interface SipTlsOptions {
  readonly port: number;
  /** PEM: the certificate, followed by those between it and the root. */
  readonly certificateFile: string;
  readonly privateKeyFile: string;
  /** PEM: the authorities from which certificates of carriers must come. Default: the public ones. */
  readonly authoritiesFile?: string;
  /** Asterisk speaks exactly one version. Default 1.2. */
  readonly version?: '1.2' | '1.3';
}

export interface HepOptions {
  readonly host: string;
  readonly port: number;
  /** Identifies this engine among those that send to the same Homer. */
  readonly captureId: number;
  readonly password?: string;
}

export interface AsteriskOptions {
  readonly sip: SipOptions;
  /** UDP port range for media, inclusive. */
  readonly rtp: { readonly from: number; readonly to: number };
  /** In order of preference; codecs that the build cannot transcode are left out. Default alaw, ulaw, opus, g722. */
  readonly codecs?: readonly string[];
  /** ARI's TCP port on 127.0.0.1; 0 chooses a free one and remembers it. Default 0. */
  readonly ariPort?: number;
  /** Maximum concurrent inbound calls; excess calls get 503 at once, except to emergency numbers. Default 1000. */
  readonly maxCalls?: number;
  /**
   * Maximum new inbound calls per second, with bursts of up to a quarter of a second's worth; excess calls get 503 at
   * once, except to emergency numbers. Default 150.
   */
  readonly maxCallsPerSecond?: number;
  /** The engine's own limit on the duration of an inbound call, if nothing else ends it. Default 14460. */
  readonly maxCallSeconds?: number;
  /** How long an inbound call rings while the application is unreachable, before it gets 503. Default 15. */
  readonly applicationWaitSeconds?: number;
  /** Numbers exempt from all limits. Default 911, 997, 998 and 999. */
  readonly emergencyNumbers?: readonly string[];
  /**
   * Directory of the music on hold: files that Asterisk can read (8 or 16 kHz mono WAV), played in order of their
   * names. Default Asterisk's own.
   */
  readonly holdMusicDir?: string;
  /** The session refresh interval, and the minimum that the remote side may request (RFC 4028). Default 1800 and 90. */
  readonly sessionTimers?: { readonly expiresSeconds: number; readonly minSeconds: number };
  /** The Homer server that receives copies of SIP messages and RTCP reports (HEP 3); absent if none are sent. */
  readonly hep?: HepOptions;
  /** Directory of the configuration templates. Default `config/asterisk` of this package. */
  readonly templatesDir?: string;
}

export interface PackageOptions {
  /** The directory of downloaded packages; several data directories may share it. */
  readonly cacheDir: string;
  /** Base URI of a Debian mirror. Default: the machine's own mirrors. */
  readonly aptMirror?: string;
  /** Use downloaded packages even if the program is on PATH. */
  readonly preferEmbedded?: boolean;
  readonly onProgress?: Progress;
}

export interface EmbeddedOptions extends PackageOptions {
  /** Directory of every part's data, credentials and logs; created if missing. */
  readonly dataDir: string;
  readonly asterisk?: AsteriskOptions;
  readonly turn?: TurnOptions;
}

/** A running part. `adopted` is true if it was already running. */
export interface EmbeddedPart {
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly logFile: string;
  /** Stops it cleanly, or by force after the limit. Data is kept. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StopOptions {
  /** How long Asterisk lets live calls finish while it accepts no new ones. Default 0. */
  readonly drainMs?: number;
}

/** How to spawn a program that may be in a package prefix: `spawn(command, [...args, ...yours], { env })`. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly command: string;
  /** Arguments before the caller's (the loader's, if the program runs from a prefix). */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The prefix it runs from; absent if it was found on PATH. */
  readonly prefix?: string;
}

/**
 * A part is unavailable or cannot be started. `message` says which, why, and what the user can do. `startWith`: a
 * setting with which the start may succeed, for example `SIP_PORT=5062`.
 */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  readonly startWith: string | null;
  constructor(
    readonly part: string,
    message: string,
    options?: ErrorOptions & { readonly startWith?: string },
  ) {
    super(`${part}: ${message}`, options);
    this.startWith = options?.startWith ?? null;
  }
}

/** What a TURN server needs to know. */
export interface TurnOptions {
  /** The address on which it listens; a wildcard: all. */
  readonly bind: string;
  readonly port: number;
  /** Where browsers reach it, if that differs from its own addresses (NAT). */
  readonly externalAddress?: string;
  /** Ports from which it relays. */
  readonly relay: { readonly from: number; readonly to: number };
  /** The media addresses of engines: the only private ones that it relays to. */
  readonly peers: readonly string[];
  /** Shared with the platform; generated and remembered if absent. */
  readonly secret?: string;
}
