/**
 * The engine port: the nouns with which Hatif drives a telephony engine (design: one short file of nouns).
 *
 * Ids of legs, bridges, playbacks and recordings are UUID v7 chosen by the caller *before* the engine is spoken to, so no
 * event can arrive for something unknown. Commands resolve when the engine accepted them; what became of them arrives as
 * events. Every rejection is an {@link EngineError} whose kind says what may be done next.
 */

import type { EngineKind } from '../model/engine-kinds.js';
import type { HangupCause } from '../model/call/hangup-cause.js';
import type { MediaQuality } from '../model/call/quality.js';
import type { MessageCounts } from '../model/voicemail.js';

/** What an engine can do; a command outside them rejects with kind `unsupported`. */
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
  | 'message_lamps'
  /** A leg can be put into a bridge before it answers, where the others hear what its side sends. */
  | 'early_media';

export type EngineErrorKind =
  /** No connection: nothing was sent. */
  | 'unreachable'
  /** The leg, bridge or playback does not exist (any more). */
  | 'no_such_leg'
  /** The engine understood and refused. */
  | 'rejected'
  /** This engine cannot do that at all. */
  | 'unsupported'
  /** No answer in time to a command that is safe to repeat. */
  | 'timeout'
  /** Unknown outcome of a command that must not be repeated (an originate). */
  | 'indeterminate';

/** A command the engine did not carry out. `cause` keeps the engine's own words for the log. */
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
  /** A softphone registered at the engine; `aor` is the name it was pushed with by {@link Registrations.put}. */
  | { readonly type: 'softphone'; readonly aor: string }
  /** A number through a trunk that was pushed with {@link Trunks.put}. */
  | {
      readonly type: 'trunk';
      readonly trunkId: string;
      readonly number: string;
      /** The softphone at another engine of this installation that is reached so; of no concern to this one. */
      readonly aor?: string;
    }
  /** Any SIP address (RFC 3261 §19.1), sent without registration. */
  | { readonly type: 'sip'; readonly uri: string };

export interface CallerId {
  /** E.164 or an extension; null withholds it. */
  readonly number: string | null;
  readonly name: string | null;
}

export interface OriginateRequest {
  readonly legId: string;
  readonly endpoint: LegEndpoint;
  readonly callerId: CallerId;
  /** The engine gives up ringing after this time by itself. */
  readonly ringTimeoutSeconds: number;
  /** The engine ends the leg after this time by itself, counted from its creation. */
  readonly maxDurationSeconds: number;
}

/** One thing to play. Files are absolute paths *without* extension of audio the engine can read (8 kHz `.wav`, 16 kHz `.wav16`). */
export type MediaItem =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'tone'; readonly tone: 'ringback' | 'busy' | 'congestion' | 'beep' }
  /** What is in the engine of a finished recording in one channel. */
  | { readonly type: 'recording'; readonly recordingId: string }
  | { readonly type: 'silence'; readonly durationMs: number };

export type MediaTarget = { readonly legId: string } | { readonly bridgeId: string };

/** Of a leg, or of all that is heard in a bridge (in one channel). */
export type RecordRequest = MediaTarget & {
  readonly recordingId: string;
  /** Of a leg 2: what its phone says in the first, what it hears in the second; 1: both mixed. */
  readonly channels: 1 | 2;
  /** The engine stops by itself after this time. */
  readonly maxSeconds: number;
};

export interface PlayRequest {
  readonly playbackId: string;
  readonly target: MediaTarget;
  /** Played one after another as one playback: one `play.finished` at the end of all. Tones last until stopped. */
  readonly items: readonly MediaItem[];
  /** How often the whole list is played; 1 by default. */
  readonly loop?: number;
}

export interface Legs {
  /**
   * Create the leg, then dial it. `leg.created` is not sent: the caller knows. Events follow: `leg.ringing`?, `leg.progress`?, then
   * `leg.answered` or `leg.ended`. Never retried here: kind `indeterminate` when the outcome is unknown. Of a leg that {@link Engine.list}
   * shows as `created` only the dialling is left to do.
   */
  originate(request: OriginateRequest): Promise<void>;
  /** Answer an incoming leg. A repeat does nothing. */
  answer(legId: string): Promise<void>;
  /** Send 180 Ringing on an incoming leg. */
  ring(legId: string): Promise<void>;
  /** End the leg with a Q.850 cause (16 normal by default). Ending an ended leg does nothing. */
  hangup(legId: string, q850?: number): Promise<void>;
  /** Park the leg with music: it hears nobody and nobody hears it. Takes it out of its bridge. */
  hold(legId: string): Promise<void>;
  /** Undo {@link hold}; the caller puts the leg back in a bridge. */
  unhold(legId: string): Promise<void>;
  /** What the leg's phone sends is heard by nobody; it goes on hearing. */
  mute(legId: string): Promise<void>;
  unmute(legId: string): Promise<void>;
  /** Send digits to the leg's phone as RFC 4733 events; `w` waits 0.5 s. Resolves when accepted. */
  sendDtmf(legId: string, digits: string): Promise<void>;
  /** Send the leg its own audio back until it ends or {@link stopEcho}. Goes on while the application is away. */
  echo(legId: string): Promise<void>;
  stopEcho(legId: string): Promise<void>;
  /**
   * Tell the leg's phone what became of the transfer that it asked for (`leg.transfer_requested`; RFC 3515 §2.4.4). The engine does nothing
   * else about it. For a phone that asked for none nothing happens.
   */
  reportTransfer(legId: string, outcome: TransferOutcome): Promise<void>;
}

/** `declined`: it was not even begun. */
export type TransferOutcome = 'completed' | 'failed' | 'declined';

export interface Bridges {
  /** A mixing bridge: everybody in it hears all the others. Creating one that exists does nothing. */
  create(bridgeId: string): Promise<void>;
  /** Takes the leg out of the bridge where it was. */
  add(bridgeId: string, legId: string): Promise<void>;
  remove(bridgeId: string, legId: string): Promise<void>;
  /** Destroying an unknown bridge does nothing. The legs stay. */
  destroy(bridgeId: string): Promise<void>;
}

export interface Media {
  /** Resolves when accepted; `play.finished` follows exactly once. */
  play(request: PlayRequest): Promise<void>;
  /** Stopping a finished playback does nothing. */
  stop(playbackId: string): Promise<void>;
}

/**
 * Recordings of single legs, and of bridges. They go on while the application is away, keep the time of the call whether anybody sends audio or
 * not, and end with their leg or when their bridge is destroyed. A bridge is recorded as long as it is there, whoever comes and goes.
 */
export interface Recordings {
  /** Resolves when it runs. What of it runs already (a repeat) is left as it is. `recording.finished` follows once. */
  start(request: RecordRequest): Promise<void>;
  /** Silence is recorded until {@link resume}. */
  pause(recordingId: string): Promise<void>;
  resume(recordingId: string): Promise<void>;
  /** Stopping a finished or unknown recording does nothing. */
  stop(recordingId: string): Promise<void>;
  /**
   * Copy a finished recording's audio into the folder: one mono 16-bit PCM wav file a channel, in the channels' order; null for a channel
   * of which the engine has nothing. They end at the same moment, and need not have begun at the same. Rejects as `rejected` while the
   * recording still runs.
   */
  collect(recordingId: string, channels: 1 | 2, folder: string): Promise<readonly (string | null)[]>;
  /** Delete a finished recording's audio in the engine. */
  discard(recordingId: string): Promise<void>;
  /** The finished recordings of which the engine has audio. */
  finished(): Promise<readonly string[]>;
}

export interface MonitorRequest {
  /** Whose phone hears. */
  readonly legId: string;
  /** Whose phone is listened to. */
  readonly ofLegId: string;
  /** The other hears what this one's phone says; nobody else does. Without it nobody hears it. */
  readonly whispers: boolean;
}

/** Legs that hear what another leg's phone says and hears, wherever that leg is. Who is to be heard by all is put into their bridge instead. */
export interface Monitors {
  /**
   * In place of what the leg did before: takes it out of the bridge where it was, and of another monitoring. Goes on without the application,
   * until the leg goes elsewhere or either ends; when the other ends, the leg stays in silence.
   */
  start(request: MonitorRequest): Promise<void>;
  /** The leg stays, alone. Nothing happens when it monitors nobody. */
  stop(legId: string): Promise<void>;
}

/** A softphone that may register (RFC 3261 §10) with digest authentication (RFC 7616). */
export interface Softphone {
  /** Address of record and user name: unique in the whole engine. */
  readonly aor: string;
  readonly password: string;
  readonly displayName: string;
  readonly maxContacts: number;
}

export interface Registrations {
  /** Create or replace. Kept by the adapter and pushed again after an engine restart. */
  put(softphone: Softphone): Promise<void>;
  remove(aor: string): Promise<void>;
  /** The AORs with at least one reachable contact now. */
  registered(): Promise<ReadonlySet<string>>;
}

/** A carrier or PBX that calls leave by and come in from. */
export interface Trunk {
  readonly trunkId: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp' | 'tls';
  /** Digest credentials for calls that leave; null where the address is enough. */
  readonly credentials: { readonly username: string; readonly password: string } | null;
  /** Addresses (`ip`, `ip:port`, CIDR) from which the trunk's calls come in. */
  readonly inboundAddresses: readonly string[];
  /** Another engine of this installation: what it calls are softphones, and they ring without the application's doing. */
  readonly isPeer?: boolean;
}

/** The message lamps of softphones. */
export interface Mwi {
  /**
   * Tell all phones of the softphone, whether they asked or not, what waits (NOTIFY `message-summary`, RFC 3842): their lamps are lit while there is
   * a fresh message. Resolves when it is on its way; nothing happens for one that is not registered, and a phone that does not answer is not told again.
   */
  show(aor: string, counts: MessageCounts): Promise<void>;
}

export interface Trunks {
  put(trunk: Trunk): Promise<void>;
  remove(trunkId: string): Promise<void>;
}

interface OfLeg {
  /** For a playback into a bridge: the bridge's id. */
  readonly legId: string;
  /** When the engine says it happened; our clock where it does not say. */
  readonly at: Date;
}

export type LegEvent =
  /** A call that nobody answered yet is told again, with the same leg id, to an application that starts (again). */
  | (OfLeg & {
      readonly type: 'leg.incoming';
      readonly source:
        { readonly type: 'trunk'; readonly trunkId: string } | { readonly type: 'softphone'; readonly aor: string };
      /** What was dialled, as it came (no normalisation). */
      readonly dialled: string;
      readonly callerId: CallerId;
    })
  | (OfLeg & { readonly type: 'leg.ringing' })
  /** Early media (183 with SDP). */
  | (OfLeg & { readonly type: 'leg.progress' })
  | (OfLeg & { readonly type: 'leg.answered' })
  | (OfLeg & { readonly type: 'leg.dtmf'; readonly digit: string; readonly durationMs: number })
  /** The phone's own hold button (re-INVITE with sendonly/inactive). */
  | (OfLeg & { readonly type: 'leg.phone_held' })
  | (OfLeg & { readonly type: 'leg.phone_resumed' })
  /**
   * A softphone asks to be replaced by another party (REFER, RFC 3515). `dialled` as it came (no normalisation); null: by the other party of
   * another call of its own (Replaces, RFC 3891), an attended transfer. `replaces` is its leg in that call, where this engine has it.
   */
  | (OfLeg & {
      readonly type: 'leg.transfer_requested';
      readonly dialled: string | null;
      readonly replaces?: string | null;
    })
  | (OfLeg & { readonly type: 'play.started'; readonly playbackId: string })
  | (OfLeg & {
      readonly type: 'play.finished';
      readonly playbackId: string;
      readonly outcome: 'completed' | 'stopped' | 'failed';
    })
  /** Always the last event of a leg, exactly once. `quality` is left out where nobody knows it: of a leg without audio, or that went while nobody listened. */
  | (OfLeg & { readonly type: 'leg.ended'; readonly cause: HangupCause; readonly quality?: MediaQuality });

export type EngineEvent =
  | LegEvent
  /** It ended with its leg or bridge, by its limit, or because it was stopped; its audio can be collected. It may come after the leg's end. */
  | { readonly type: 'recording.finished'; readonly recordingId: string; readonly at: Date }
  | { readonly type: 'registration.changed'; readonly aor: string; readonly registered: boolean }
  /** Connected and subscribed; sent at the first connect and at each reconnect. `bootId` changes when the engine restarted. */
  | { readonly type: 'engine.connected'; readonly bootId: string; readonly version: string }
  | { readonly type: 'engine.unreachable'; readonly reason: string };

/** What the engine holds right now, for adoption after a restart of the application. */
export interface EngineSnapshot {
  readonly bootId: string;
  readonly legs: readonly {
    readonly legId: string;
    /** `created`: made and certainly never rung. `dialled`: on its way, nobody rings yet. */
    readonly state: 'created' | 'dialled' | 'ringing' | 'answered';
    readonly createdAt: Date;
    /** Null where it was not answered, or the engine does not tell when. */
    readonly answeredAt: Date | null;
    /** The bridge that it is in. */
    readonly bridgeId: string | null;
  }[];
  readonly bridgeIds: readonly string[];
  /** Recordings that run, all their channels. */
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
  readonly trunks: Trunks;
  /**
   * Start connecting, and reconnect for ever with jitter. Resolves at once; `engine.connected` tells of success.
   * `listener` gets every event, in order per leg; it must not throw.
   */
  start(listener: (event: EngineEvent) => void): void;
  /** Disconnect. Calls in the engine go on. */
  stop(): Promise<void>;
  list(): Promise<EngineSnapshot>;
}
