import type { DisconnectCause } from '../errors/causes.js';
import type { Volume } from '../quality/monitor.js';
import type { Sample } from '../quality/sample.js';
import type { Warning, WarningName } from '../quality/warnings.js';

/**
 * - `connecting`: on the way to the other side, or to an accepted call
 * - `ringing`: it rings, there or here
 * - `connected`: both can speak
 * - `reconnecting`: the network was interrupted; the package is bringing the call back
 * - `ended`
 */
export type CallState = 'connecting' | 'ringing' | 'connected' | 'reconnecting' | 'ended';

export interface CallEvents {
  /** It rings at the other side. With early media, its sound is played: a ring tone, an announcement. */
  ringing: { readonly earlyMedia: boolean };
  connected: undefined;
  /** The audio (`media`) or only the control of the call (`signalling`) is interrupted. */
  reconnecting: { readonly reason: 'media' | 'signalling' };
  reconnected: undefined;
  disconnected: DisconnectCause;
  muted: boolean;
  held: boolean;
  /** The other side has put the call on hold, or resumed it. */
  remoteHeld: boolean;
  /** Five times a second. */
  volume: Volume;
  /** Once a second. */
  sample: Sample;
  warning: Warning;
  warningCleared: WarningName;
  /** After any other event but `volume` and `sample`: what shows the call should look at it again. */
  changed: undefined;
}

/** The other side. */
export interface Party {
  readonly name: string | null;
  /** Its number, extension or identity. */
  readonly address: string;
}

export interface Feedback {
  /** 1 (bad) to 5 (excellent). */
  readonly score: 1 | 2 | 3 | 4 | 5;
  readonly issue?:
    'audio_latency' | 'choppy_audio' | 'dropped_call' | 'echo' | 'noisy_call' | 'one_way_audio' | 'silence';
  readonly comment?: string;
}
