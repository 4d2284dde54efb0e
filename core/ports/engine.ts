/**
 * The engine port: the nouns with which Hatif drives a telephony engine.
 *
 * The caller chooses the ids of legs, bridges, playbacks and recordings (UUID v7) *before* it sends
 * anything to the engine, so no event can arrive for an unknown id. A command resolves when the
 * engine accepted it; its result arrives as an event. Every rejection is an {@link EngineError}
 * whose kind says what the caller may do next.
 */

import type { EngineKind } from '../model/engine-kinds.js';
import type { CallerId } from '../model/call/caller-id.js';
import type { ForwardCase } from '../model/call/forwarding.js';
import type { RejectStatus } from '../model/call/refusal.js';
import type { SoftphoneText, TextResult } from '../model/messaging/softphone-text.js';
import type { MessageCounts } from '../model/voicemail.js';
import type { EngineEvent, LegEvent } from './engine-events.js';
import type { Registrations, Trunks } from './engine/peers.js';

/** What an engine can do. Any other command rejects with kind `unsupported`. */
export type EngineCapability =
  | 'play'
  | 'dtmf'
  | 'hold'
  | 'mute'
  | 'record'
  | 'echo'
  | 'monitor'
  | 'registrations'
  | 'trunks'
  | 'mwi'
  | 'texts'
  /** A leg can join a bridge before it answers, so the others hear its early media. */
  | 'early_media';

export type EngineErrorKind =
  /** No connection: nothing was sent. */
  | 'unreachable'
  /** The leg, bridge or playback does not exist (any more). */
  | 'no_such_leg'
  /** The engine understood the command and refused it. */
  | 'rejected'
  /** This engine does not support the command at all. */
  | 'unsupported'
  /** No answer in time to a command that is safe to retry. */
  | 'timeout'
  /** Unknown outcome of a command that must not be retried (an originate). */
  | 'indeterminate';

/**
 * A command that the engine did not carry out. `cause` keeps the engine's own error for the log.
 */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  constructor(
    readonly kind: EngineErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Where an outbound leg is sent. */
export type LegEndpoint =
  /** A softphone registered at the engine; `aor` is the name given to {@link Registrations.put}. */
  | {
      readonly type: 'softphone';
      readonly aor: string;
      /**
       * The leg of a browser that comes back after its page was loaded again: how long ago it was
       * first connected. Sent as the header `X-Hatif-Resumed`.
       */
      readonly resumedSeconds?: number;
      /** The leg of the page that was left; the engine ignores it. */
      readonly after?: string;
    }
  /** A number through a trunk that was pushed with {@link Trunks.put}. */
  | {
      readonly type: 'trunk';
      readonly trunkId: string;
      readonly number: string;
      /**
       * The softphone at another engine of this installation behind this peer trunk; this engine
       * ignores it.
       */
      readonly aor?: string;
      readonly diversion?: Diverted;
      /** The extension of the agent who forwards the call by this leg; the engine ignores it. */
      readonly forwarder?: string;
      /** The leg that another trunk did not carry, and in whose place this one is dialled; the engine ignores it. */
      readonly after?: string;
    }
  /** Any SIP address (RFC 3261 §19.1), sent without registration. */
  | { readonly type: 'sip'; readonly uri: string }
  /**
   * A number of this installation: the engine calls itself, without a carrier. A second leg comes
   * in for the number (`leg.incoming` from `inside`). Audio, digits, ringing, the answer and the
   * causes of hangups pass between both legs; if one ends, the other ends.
   */
  | { readonly type: 'inside'; readonly number: string; readonly diversion?: Diverted };

/** Whose call a leg forwards. Trunks get it as a Diversion header (RFC 5806), if the engine can send one. */
export interface Diverted {
  /** E.164 */
  readonly number: string;
  readonly case: ForwardCase;
}

/** What a carrier gets to know about a caller beside From. */
export interface Identity {
  /** P-Asserted-Identity (RFC 3325): E.164; null: what {@link Trunk.assertsCaller} says. */
  readonly asserted: string | null;
  /** Sends `Privacy: id` (RFC 3323). */
  readonly isPrivate: boolean;
}

export interface OriginateRequest {
  readonly legId: string;
  readonly endpoint: LegEndpoint;
  readonly callerId: CallerId;
  /** Only for a trunk. */
  readonly identity?: Identity;
  /** The engine stops ringing by itself after this time. */
  readonly ringTimeoutSeconds: number;
  /** The engine ends the leg by itself after this time, counted from its creation. */
  readonly maxDurationSeconds: number;
}

/** One thing to play. Files are absolute paths *without* extension of audio the engine can read (8 kHz `.wav`, 16 kHz `.wav16`). */
export type MediaItem =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'tone'; readonly tone: 'ringback' | 'busy' | 'congestion' | 'beep' }
  /** One channel of a finished recording that the engine still holds. */
  | { readonly type: 'recording'; readonly recordingId: string }
  | { readonly type: 'silence'; readonly durationMs: number };

export type MediaTarget = { readonly legId: string } | { readonly bridgeId: string };

/** Records a leg, or the mix of a bridge (one channel). */
export type RecordRequest = MediaTarget & {
  readonly recordingId: string;
  /**
   * For a leg, 2: its phone's audio in the first channel, what it hears in the second; 1: both
   * mixed.
   */
  readonly channels: 1 | 2;
  /** The engine stops recording by itself after this time. */
  readonly maxSeconds: number;
};

export interface PlayRequest {
  readonly playbackId: string;
  readonly target: MediaTarget;
  /**
   * Played one after another as one playback, with a single `play.finished` at the end. A beep
   * ends by itself; other tones last until stopped.
   */
  readonly items: readonly MediaItem[];
  /** How many times the whole list is played; 1 by default. */
  readonly loop?: number;
}

export interface Legs {
  /**
   * Creates the leg, then dials it. No `leg.created` event is sent. These events follow:
   * `leg.ringing`?, `leg.progress`?, then `leg.answered` or `leg.ended`. The engine adapter never
   * retries: it rejects with kind `indeterminate` if the outcome is unknown. A leg that {@link
   * Engine.list} shows as `created` is only dialled.
   */
  originate(request: OriginateRequest): Promise<void>;
  /** Answers an incoming leg. A repeat does nothing. */
  answer(legId: string): Promise<void>;
  /** Sends 180 Ringing on an incoming leg. */
  ring(legId: string): Promise<void>;
  /** Ends the leg with a Q.850 cause (16 normal by default). Does nothing for an ended leg. */
  hangup(legId: string, q850?: number): Promise<void>;
  /**
   * Rejects an incoming leg that is not answered with this SIP status. A leg from `inside` gets
   * Q.850 21. Does nothing for an ended leg.
   */
  reject(legId: string, status: RejectStatus): Promise<void>;
  /**
   * Parks the leg with music and takes it out of its bridge: it hears nobody and nobody hears it.
   */
  hold(legId: string): Promise<void>;
  /** Undoes {@link hold}; the caller puts the leg back in a bridge. */
  unhold(legId: string): Promise<void>;
  /** Silences what the leg's phone sends; the phone still hears the others. */
  mute(legId: string): Promise<void>;
  unmute(legId: string): Promise<void>;
  /**
   * Sends digits to the leg's phone as RFC 4733 events; `w` waits 0.5 s. Resolves when accepted.
   */
  sendDtmf(legId: string, digits: string): Promise<void>;
  /**
   * Sends the leg its own audio back until it ends or {@link stopEcho}, even while the application
   * is down.
   */
  echo(legId: string): Promise<void>;
  stopEcho(legId: string): Promise<void>;
  /**
   * Reports the outcome of a transfer to the phone that requested it (`leg.transfer_requested`; RFC
   * 3515 §2.4.4). The engine does nothing else about the transfer. Does nothing for a phone that
   * requested none.
   */
  reportTransfer(legId: string, outcome: TransferOutcome): Promise<void>;
}

/** `declined`: the transfer was not started. */
export type TransferOutcome = 'completed' | 'failed' | 'declined';

export interface Bridges {
  /**
   * Creates a mixing bridge: every leg in it hears all the others. Does nothing if the bridge
   * exists.
   */
  create(bridgeId: string): Promise<void>;
  /** Adds the leg, taking it out of its previous bridge. */
  add(bridgeId: string, legId: string): Promise<void>;
  remove(bridgeId: string, legId: string): Promise<void>;
  /** Destroys the bridge; its legs stay up. Does nothing for an unknown bridge. */
  destroy(bridgeId: string): Promise<void>;
}

export interface Media {
  /** Resolves when accepted; `play.finished` follows exactly once. */
  play(request: PlayRequest): Promise<void>;
  /** Stopping a finished playback does nothing. */
  stop(playbackId: string): Promise<void>;
}

/**
 * Recordings of single legs and of bridges. They continue while the application is down, keep the
 * call's timing even when no audio arrives, and end with their leg or when their bridge is
 * destroyed. A bridge recording lasts as long as the bridge, regardless of who joins and leaves.
 */
export interface Recordings {
  /**
   * Resolves when the recording runs. A repeat leaves running channels as they are.
   * `recording.finished` follows once.
   */
  start(request: RecordRequest): Promise<void>;
  /** Records silence until {@link resume}. */
  pause(recordingId: string): Promise<void>;
  resume(recordingId: string): Promise<void>;
  /** Stopping a finished or unknown recording does nothing. */
  stop(recordingId: string): Promise<void>;
  /**
   * Copies a finished recording's audio into the folder: one mono 16-bit PCM wav file per channel,
   * in channel order; null for a channel that the engine does not have. The channels end at the
   * same moment but may start at different ones. Rejects as `rejected` while the recording still
   * runs.
   */
  collect(recordingId: string, channels: 1 | 2, folder: string): Promise<readonly (string | null)[]>;
  /** Deletes a finished recording's audio in the engine. */
  discard(recordingId: string): Promise<void>;
  /** The finished recordings whose audio the engine still holds. */
  finished(): Promise<readonly string[]>;
}

export interface MonitorRequest {
  /** The supervisor's leg, which listens. */
  readonly legId: string;
  /** The leg that is listened to. */
  readonly targetLegId: string;
  /** True: the monitored phone alone hears the supervisor. False: nobody hears the supervisor. */
  readonly whispers: boolean;
}

/**
 * Legs that hear what another leg's phone says and hears, in any bridge. To be heard by everybody,
 * a leg joins their bridge instead.
 */
export interface Monitors {
  /**
   * Replaces what the leg did before: takes it out of its bridge and of another monitoring.
   * Continues without the application until the leg goes elsewhere or either leg ends. If the
   * monitored leg ends, the supervisor's leg stays in silence.
   */
  start(request: MonitorRequest): Promise<void>;
  /** Ends the monitoring; the leg stays up, alone. Does nothing if the leg monitors nobody. */
  stop(legId: string): Promise<void>;
}

/** Message waiting indicators (MWI) of softphones. */
export interface Mwi {
  /**
   * Sends the waiting message counts to all phones of the softphone, subscribed or not (NOTIFY
   * `message-summary`, RFC 3842); the indicator is lit while there is a new message. Resolves when
   * the NOTIFY is on its way. Does nothing for an unregistered softphone and does not retry if a
   * phone does not answer.
   */
  show(aor: string, counts: MessageCounts): Promise<void>;
}

/** Text messages to softphones (SIP MESSAGE, RFC 3428). */
export interface Texts {
  /**
   * Sends a text to all phones of the softphone, once. Resolves when a phone has answered, or at once with `passed_on` if
   * the engine does not report that. Rejects with the kind `unreachable` only if nothing was sent, and with
   * `indeterminate` if the outcome is unknown.
   */
  send(text: SoftphoneText): Promise<TextResult>;
}

export interface SimulatedCaller {
  readonly legId: string;
  readonly source: Extract<LegEvent, { type: 'leg.incoming' }>['source'];
  readonly dialled: string;
  readonly callerId: CallerId;
  /** Pressed after the answer, one after another; `w` waits 0.5 s. */
  readonly digits: string;
  /** After the answer. */
  readonly hangsUpAfterMs: number;
}

/** What the engine holds right now, for adoption after a restart of the application. */
export interface EngineSnapshot {
  readonly bootId: string;
  readonly legs: readonly {
    readonly legId: string;
    /** `created`: created and certainly never rung. `dialled`: sent, but not ringing yet. */
    readonly state: 'created' | 'dialled' | 'ringing' | 'answered';
    readonly createdAt: Date;
    /** Null if the leg was not answered, or the engine does not report when. */
    readonly answeredAt: Date | null;
    /** The bridge that the leg is in. */
    readonly bridgeId: string | null;
  }[];
  readonly bridgeIds: readonly string[];
  /** Running recordings, with all their channels. */
  readonly recordingIds: readonly string[];
}

export interface EngineStatus {
  readonly status: 'up' | 'unreachable';
  readonly bootId: string | null;
  readonly version: string | null;
}

export interface Engine {
  readonly kind: EngineKind;
  readonly capabilities: ReadonlySet<EngineCapability>;
  readonly status: EngineStatus;
  readonly legs: Legs;
  readonly bridges: Bridges;
  readonly media: Media;
  readonly recordings: Recordings;
  readonly monitors: Monitors;
  readonly registrations: Registrations;
  readonly mwi: Mwi;
  readonly texts: Texts;
  readonly trunks: Trunks;
  /**
   * Only of an engine without telephones: lets a simulated caller come in. Returns the event of the
   * new leg, which the engine does not send.
   */
  readonly enter?: (caller: SimulatedCaller) => Extract<LegEvent, { type: 'leg.incoming' }>;
  /**
   * Starts connecting, and reconnects forever with jitter. Returns at once; `engine.connected`
   * reports success. `listener` receives every event, in order per leg; it must not throw.
   */
  start(listener: (event: EngineEvent) => void): void;
  /** Disconnects. Calls in the engine continue. */
  stop(): Promise<void>;
  list(): Promise<EngineSnapshot>;
}
