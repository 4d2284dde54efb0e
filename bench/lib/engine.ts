/** What a call meets at one side of the engine. */
export interface Door {
  /** `host:port` at which the engine takes SIP. */
  readonly sip: string;
  /** Own SIP port of who calls in or is called. */
  readonly port: number;
  /** The engine's process. */
  readonly pid: number;
}

/** A telephony engine for the benchmark alone. */
export interface BenchEngine {
  readonly title: 'Asterisk' | 'FreeSWITCH';
  readonly version: string;
  /** To the platform by its trunk, to a bare script, to a plain dialplan. */
  readonly doors: Readonly<Record<'trunk' | 'bare' | 'plain', Door>>;
  /** What a caller dials at the doors that are not the platform's. */
  readonly numbers: Readonly<Record<'bare' | 'plain', string>>;
  /** With which the application reaches it; `BENCH_ENGINE` is what it adds by itself. */
  readonly settings: Readonly<Record<string, string>>;
  /** The least that could do the same: programs of `baselines/`, and their environment. */
  readonly scripts: {
    readonly answer: string;
    readonly dial: string;
    readonly environment: Readonly<Record<string, string>>;
  };
  /** Mutes or unmutes a leg by the engine's own request. */
  mute(legId: string, muted: boolean): Promise<void>;
  /** Has the engine refuse what comes in faster. */
  limit(callsPerSecond: number): Promise<void>;
  /** How many calls it has. */
  calls(): Promise<number>;
  hangUpAll(): Promise<void>;
  stop(): Promise<void>;
}

/** Faster than anything here. */
export const UNLIMITED = 100_000;
