import type { EngineAddresses, EngineKind } from '../../../core/model/engine-kinds.js';
import type { CallDetail } from '../../../core/ports/call-detail.js';
import type { SipSecurity } from '../../../core/model/sip-security.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Engine } from '../../../core/ports/engine.js';
import type { LegEnds } from '../../../core/ports/leg-ends.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { SessionTimers } from '../../../engine/asterisk/sip/pjsip-objects.js';

/** Address, credentials and limits of one engine. */
export interface EngineAccess<Kind extends EngineKind> {
  readonly address: EngineAddresses[Kind];
  readonly password: string;
  /** The engine accepts no more calls than this at the same time; null: no limit. */
  readonly maxCalls: number | null;
  /** True if this installation owns the engine's record of its legs, and keeps it small. */
  readonly ownsDetails: boolean;
  readonly log: Logger;
}

/** Options of this process for opening engines of any kind. */
export interface KindContext {
  /** Codecs of outgoing legs in order of preference, by Hatif's names. */
  readonly codecs: readonly string[];
  readonly sessionTimers: SessionTimers;
  /** The interval at which engines probe trunks. */
  readonly trunkProbeSeconds: number;
  /** Encryption of signalling and audio. */
  readonly security: SipSecurity;
  /** Folder for generated sounds, which engines see at the same path. */
  readonly mediaDir: string;
  /** Ends of legs that any FreeSWITCH reported to any process over HTTP. */
  readonly legEnds: LegEnds;
  readonly clock: Clock;
}

/** Opens one engine. */
export interface EngineConnection {
  /** Opens a new connection. */
  readonly open: () => Engine;
  /** The engine's own record of its legs, if it keeps one. */
  readonly detail?: (engine: Engine) => CallDetail;
}

/** The platform's support for one kind of engines. */
export interface EngineKindDescriptor<Kind extends EngineKind> {
  /** The engine's names of codecs. Codecs that it does not have are left out. */
  codecs(names: readonly string[]): readonly string[];
  connect(access: EngineAccess<Kind>, context: KindContext): EngineConnection;
}
