/** The events that an engine sends through the engine port; `engine.ts` has the commands. */

import type { CallerId } from '../model/call/caller-id.js';
import type { HangupCause } from '../model/call/hangup-cause.js';
import type { ReceivedText } from '../model/messaging/softphone-text.js';
import type { MediaQuality } from '../model/call/quality.js';

interface LegEventBase {
  /** For a playback into a bridge: the bridge's id. */
  readonly legId: string;
  /** Time of the event according to the engine, or our clock if the engine gives none. */
  readonly at: Date;
}

export type LegEvent =
  /**
   * Repeated, with the same leg id, to an application that (re)starts while the call is unanswered.
   */
  | (LegEventBase & {
      readonly type: 'leg.incoming';
      readonly source:
        | { readonly type: 'trunk'; readonly trunkId: string }
        | { readonly type: 'softphone'; readonly aor: string }
        /** The leg of this engine that was originated to the endpoint `inside`. */
        | { readonly type: 'inside'; readonly legId: string };
      /** The dialled number as received (no normalisation). */
      readonly dialled: string;
      readonly callerId: CallerId;
      /** The `X-Hatif-…` headers of a softphone's or browser's INVITE, by name; absent without one. */
      readonly headers?: Readonly<Record<string, string>>;
    })
  | (LegEventBase & { readonly type: 'leg.ringing' })
  /** Early media (183 with SDP). */
  | (LegEventBase & { readonly type: 'leg.progress' })
  | (LegEventBase & { readonly type: 'leg.answered' })
  | (LegEventBase & { readonly type: 'leg.dtmf'; readonly digit: string; readonly durationMs: number })
  /** The phone's own hold button (re-INVITE with sendonly/inactive). */
  | (LegEventBase & { readonly type: 'leg.phone_held' })
  | (LegEventBase & { readonly type: 'leg.phone_resumed' })
  /**
   * A softphone asks for a transfer (REFER, RFC 3515). `dialled` is the target as received (no
   * normalisation); null for an attended transfer (Replaces, RFC 3891), where the target is the
   * other party of another call of this softphone. `replaces` is the softphone's leg in that call
   * if this engine has it.
   */
  | (LegEventBase & {
      readonly type: 'leg.transfer_requested';
      readonly dialled: string | null;
      readonly replaces?: string | null;
    })
  | (LegEventBase & { readonly type: 'play.started'; readonly playbackId: string })
  | (LegEventBase & {
      readonly type: 'play.finished';
      readonly playbackId: string;
      readonly outcome: 'completed' | 'stopped' | 'failed';
    })
  /**
   * Always the last event of a leg, exactly once. `quality` is absent if unknown: the leg had no
   * audio, or it ended while the application was not listening.
   */
  | (LegEventBase & { readonly type: 'leg.ended'; readonly cause: HangupCause; readonly quality?: MediaQuality });

export type EngineEvent =
  | LegEvent
  /**
   * The recording ended with its leg or bridge, at its limit, or because it was stopped; its audio
   * can be collected. May follow `leg.ended`.
   */
  | { readonly type: 'recording.finished'; readonly recordingId: string; readonly at: Date }
  | { readonly type: 'registration.changed'; readonly aor: string; readonly registered: boolean }
  /** A softphone has sent a text (SIP MESSAGE, RFC 3428), and the engine has accepted it. */
  | ({ readonly type: 'text.received' } & ReceivedText)
  /**
   * Connected and subscribed; sent at the first connect and at each reconnect. `bootId` changes
   * when the engine restarted.
   */
  | { readonly type: 'engine.connected'; readonly bootId: string; readonly version: string }
  | { readonly type: 'engine.unreachable'; readonly reason: string };
