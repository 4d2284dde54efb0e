/** A SIP peer of the engine: where calls enter and leave it. */
export interface SipPeer {
  /** The engine's SIP address, `host:port`. */
  readonly sip: string;
  /** The peer's own SIP port. */
  readonly port: number;
  /** The engine's process. */
  readonly pid: number;
}

/** A telephony engine that only the benchmark uses. */
export interface BenchEngine {
  readonly title: 'Asterisk' | 'FreeSWITCH';
  readonly version: string;
  /** Connected to the platform by its trunk, to a bare script, and to a plain dialplan. */
  readonly peers: Readonly<Record<'trunk' | 'bare' | 'plain', SipPeer>>;
  /** The numbers to dial at the peers that bypass the platform. */
  readonly numbers: Readonly<Record<'bare' | 'plain', string>>;
  /** The application's settings for this engine. The application adds the engine in `BENCH_ENGINE` when it starts. */
  readonly settings: Readonly<Record<string, string>>;
  /** Minimal programs that do the same, in `baselines/`, and their environment. */
  readonly scripts: {
    readonly answer: string;
    readonly dial: string;
    readonly environment: Readonly<Record<string, string>>;
  };
  /** Mutes or unmutes a leg with a request to the engine. */
  mute(legId: string, muted: boolean): Promise<void>;
  /** Makes the engine refuse inbound calls above this rate. */
  limit(callsPerSecond: number): Promise<void>;
  /** The number of live calls. */
  calls(): Promise<number>;
  hangUpAll(): Promise<void>;
  stop(): Promise<void>;
}

/** Higher than any rate that the benchmark reaches; the highest that the platform's settings allow. */
export const UNLIMITED = 10_000;
