import type { CallRow } from '../../data/rows.js';
import type { CallStatus, Disposition, LegRole } from '../../model/call/call.js';
import type { Destination } from '../../model/call/destinations.js';
import type { EventData, EventType } from '../../model/events/index.js';
import type { MonitorMode } from '../../model/call/monitoring.js';
import type { Decision, VisitOutcome } from '../../model/queue/types.js';
import type { LegEvent, MediaItem } from '../../ports/engine.js';
import type { SpeechLanguage } from '../../ports/speech.js';

/** What a call does once it is up, as it is kept with the call. `state` is the program's own note for going on after a restart. */
export type ProgramSpec =
  /** Wait for control by the API. */
  | { readonly type: 'idle' }
  /** Play, then hang up. The audio was fetched or spoken before the call was placed. */
  | { readonly type: 'play'; readonly paths: readonly string[] }
  /** Answer and say, play, and send on to a number, in this order of what is set. */
  | {
      readonly type: 'instructions';
      readonly say: { readonly text: string; readonly language: SpeechLanguage } | null;
      /** As engines find it. */
      readonly audio: string | null;
      /** E.164 */
      readonly forwardTo: string | null;
    }
  /** An agent's softphone called a number outside: ring it and join both. */
  | { readonly type: 'dial_out'; readonly to: Destination }
  /**
   * Ring another party and join it with the customer.
   * @property unansweredTo the number to whose box an unanswered call goes, if that is switched on
   */
  | { readonly type: 'connect'; readonly to: Destination; readonly unansweredTo?: string }
  /** Customer and agent are joined: either hangs up for both. What a call is from its first transfer on. */
  | { readonly type: 'talk' }
  /** Wait in a queue until one of its agents takes the call. */
  | {
      readonly type: 'queue';
      readonly queueId: string;
      /** Who is not answered goes on so, instead of where the queue overflows to. */
      readonly orElse?: ProgramSpec;
      /** Queues that sent the caller on at once, one after another. */
      readonly passed?: readonly string[];
    }
  /** Run a version of a call flow. @param at where it goes on; absent: from its start */
  | {
      readonly type: 'callflow';
      readonly callflowId: string;
      /** Null: the one that is active when it begins. */
      readonly version: number | null;
      readonly at?: Readonly<Record<string, unknown>>;
    }
  /** Find an agent of the queue, ring the customer then, and join them. */
  | { readonly type: 'queue_callback'; readonly queueId: string; readonly to: string; readonly ringSeconds: number }
  /** A softphone dialled a code: its agent signs in to a queue or out, or pauses. */
  | {
      readonly type: 'agent_code';
      readonly agent: string;
      readonly does: 'log_in' | 'log_out' | 'pause';
      /** Of the queue; null for a pause. */
      readonly dialCode: string | null;
    }
  /** Ask whoever answers for the digits that their screen shows. */
  | { readonly type: 'voice_auth'; readonly challengeId: string; readonly language: SpeechLanguage }
  /** Tell a one-time code, whose digits are made then: they are kept nowhere. */
  | {
      readonly type: 'speak_code';
      readonly codeId: string;
      readonly language: SpeechLanguage;
      /** On whose behalf. */
      readonly brand: string | null;
    }
  /** The caller leaves a message in the box of a number. */
  | { readonly type: 'voicemail'; readonly numberId: string }
  /** A softphone hears the messages of its agent's box. */
  | { readonly type: 'voicemail_access'; readonly agent: string }
  /** Greet in both languages and send the caller's voice back until `#`. */
  | { readonly type: 'echo' };

/** Programs that ring the customer themselves, for somebody who is there before. */
const RINGS_CUSTOMER: ReadonlySet<ProgramSpec['type']> = new Set(['dial_out', 'queue_callback']);

/** Whether the call's program starts at once, instead of at the customer's answer: a leg came in, or somebody else is rung first. */
export function startsAtOnce(call: Pick<CallRow, 'direction' | 'program'>): boolean {
  return call.direction === 'inbound' || RINGS_CUSTOMER.has((call.program as SavedProgram).spec.type);
}

export interface SavedProgram {
  readonly spec: ProgramSpec;
  readonly state: Readonly<Record<string, unknown>> | null;
  /** Of a call that is recorded from its answer on: the customer knows. */
  readonly announced?: true;
  /** Who listens, or did. */
  readonly supervisors?: readonly Supervisor[];
  /** Where the call waits; absent where it waits in no queue. */
  readonly queueWait?: QueueWait | null;
}

/** An agent whose softphone listens to the call. */
export interface Supervisor {
  readonly legId: string;
  readonly agent: string;
  readonly mode: MonitorMode;
}

/** A queue, as callers' events name it. */
export interface QueuePlace {
  readonly id: string;
  readonly name: string;
}

/** A call's waiting in a queue. */
export interface QueueWait extends QueuePlace {
  /** ISO 8601. */
  readonly since: string;
}

export interface LegView {
  readonly legId: string;
  readonly role: LegRole;
  readonly status: 'created' | 'ringing' | 'answered' | 'ended';
  /** Why it ended; null while it has not. */
  readonly hangupQ850: number | null;
}

/** The new leg, or the Q.850 cause for which there is none: no way leads there, the softphone is not registered, the engine refused. */
export type DialOutcome = { readonly legId: string } | { readonly refused: number };

/** How a call ends that its program gives up on. For a call that was answered only the cause counts. */
export interface Ending {
  readonly q850: number;
  readonly status: Extract<CallStatus, 'missed' | 'failed' | 'timeout' | 'cancelled'>;
  readonly disposition: Disposition;
}

/**
 * What a program may do with its call. Every method runs inside the call's mailbox. Commands to a leg that is already gone do nothing:
 * its `leg.ended` is on the way; any other fault of the engine rejects with EngineError.
 */
export interface CallControl {
  readonly callId: string;
  /** For a call in a queue. */
  readonly queue: QueueControl;
  /** For a call in a flow. */
  readonly flow: FlowControl;
  /** For a call that leaves a message. */
  readonly message: MessageControl;
  readonly status: CallStatus;
  readonly direction: 'outbound' | 'inbound';
  leg(role: LegRole): LegView | null;
  /** Let the incoming leg, which is not answered yet, hear that it rings. */
  ring(legId: string): Promise<void>;
  /** Answer the incoming leg; `leg.answered` follows. */
  answer(legId: string): Promise<void>;
  /** Ring another party as a new leg of this call. @param legId of one among several, who is the call's agent only once it took the call */
  dial(role: LegRole, to: Destination, ringTimeoutSeconds: number, legId?: string): Promise<DialOutcome>;
  /** Put both legs into one bridge. */
  join(legIds: readonly string[]): Promise<void>;
  /** Play to one leg; `play.finished` with the returned id follows. */
  play(legId: string, items: readonly MediaItem[], loop?: number): Promise<string>;
  stopPlay(playbackId: string): Promise<void>;
  /** Let one leg hear, until `playbackId` is stopped, that another phone rings. */
  ringback(legId: string, playbackId: string): Promise<void>;
  echo(legId: string): Promise<void>;
  hangupLeg(legId: string, q850: number): Promise<void>;
  /** Go on as another program, from its beginning. The one that calls this is done. */
  continueAs(spec: ProgramSpec): Promise<void>;
  /** Somebody is there for the customer: the call is answered, if it was not. */
  markAnswered(): void;
  /** End the whole call. */
  end(ending: Ending): Promise<void>;
  /**
   * Be told `later` after this time. Forgotten when another program takes over, and by a restart: what resumes sets its timers again.
   * @param key what for: one timer each, the newest counts
   */
  startTimer(delayMs: number, key?: string): void;
  /** Be told nothing of it. */
  cancelTimer(key?: string): void;
  /** An event of this call, in its sequence. One of another family than `call` carries the data and the call's id instead of the whole call. */
  emit<T extends EventType>(type: T, data: EventData<T>): void;
  /** Add a line to the call's timeline. Never digits. */
  note(type: string, data?: Readonly<Record<string, unknown>>): void;
  /** Keep the program's own state with the call; written with the next commit. */
  save(state: Readonly<Record<string, unknown>>): void;
}

/** What a program may do with a call that waits in a queue. */
export interface QueueControl {
  readonly projectId: string;
  /** Whether the call was to be recorded before it came here. */
  readonly isToBeRecorded: boolean;
  legs(): readonly LegView[];
  /** Tell of the arrival. */
  entered(queue: QueuePlace): void;
  /** Tell of the end of the waiting; one who hangs up leaves without it. @param agent who took the call */
  left(outcome: VisitOutcome, agent?: string): void;
  /** The leg hears the engine's music. */
  park(legId: string): Promise<void>;
  unpark(legId: string): Promise<void>;
  /** Ring an agent, as one of several perhaps. @returns null, or the Q.850 cause for which nobody is rung */
  offer(legId: string, agent: string, ringSeconds: number): Promise<number | null>;
  /** Whether a leg can be heard before it answers, once it is joined with another. */
  readonly hasEarlyMedia: boolean;
  /** This leg's agent has the call: joined with the customer, who is there or comes later. */
  take(legId: string, agent: string): Promise<void>;
  /** The leg is wanted no longer, or came too late. */
  dismiss(legId: string): Promise<void>;
  /** Record the leg to its end; where the engine refuses the call goes on unrecorded. */
  record(legId: string): Promise<void>;
}

/** Whose call it is. */
export interface FlowParties {
  readonly projectId: string;
  /** E.164, or what the carrier gave; null where it is withheld. */
  readonly customerNumber: string | null;
  readonly customerNumberMasked: string;
  readonly lineNumber: string | null;
}

export type RecordingStep = 'start' | 'stop' | 'pause' | 'resume';

/** What a flow may do with its call that no other program does. */
export interface FlowControl {
  readonly parties: FlowParties;
  /** Of the call's recording of this leg; where the engine refuses the call goes on unrecorded. */
  record(legId: string, step: RecordingStep): Promise<void>;
  /** Take the call into the project's conference of that name. @returns false where that is not possible; otherwise another program has the call. */
  join(conference: {
    readonly name: string;
    readonly muted: boolean;
    readonly beep: boolean;
    readonly startOnEnter: boolean;
    readonly endOnExit: boolean;
    readonly maxParticipants: number;
  }): Promise<boolean>;
}

/** A message as its caller's program sees it. */
export interface MessageView {
  /** `held`: over, and the caller may still change it; `sent`: it is on its way into the box, or will be when the call is over. */
  readonly status: 'recording' | 'held' | 'sent' | 'dropped';
  readonly durationMs: number;
}

/** What a program may do with messages that its call's customer leaves. One that is not sent when the leg ends is sent by that. */
export interface MessageControl {
  /** Null for an unknown one. */
  get(recordingId: string): MessageView | null;
  /** Record what the leg says for a box, and commit what was saved so far. @throws EngineError */
  record(legId: string, boxId: string, recordingId: string, maxSeconds: number): Promise<void>;
  /** The same for the box's greeting, which is dropped where it is not sent. @throws EngineError */
  recordGreeting(legId: string, boxId: string, recordingId: string, maxSeconds: number): Promise<void>;
  /** It is held from here on. */
  stop(recordingId: string): Promise<void>;
  send(recordingId: string): void;
  drop(recordingId: string): Promise<void>;
}

/** What a program is told that no leg tells. */
export type ProgramSignal =
  /** A recording of the call ended by its limit, or otherwise by itself. */
  | { readonly type: 'recorded'; readonly recordingId: string }
  | { readonly type: 'queue'; readonly decision: Extract<Decision, { type: 'offer' | 'withdraw' | 'overflow' }> }
  /** The call is being transferred, or is in a conference. */
  | { readonly type: 'taken_away' }
  /** It is time for what the program wanted to do later. */
  | { readonly type: 'later'; readonly key: string };

/** Prompts of the platform itself, in both languages, as something an engine can play. */
export interface Prompts {
  /** The spoken text, or null while no voice can say it. */
  say(text: string, language: SpeechLanguage): Promise<MediaItem | null>;
}

/** One running program of one call. Written so that it can be rebuilt from its spec and saved state after a restart. */
export interface CallProgram {
  /** A call placed by the API: the customer has answered. One that came in: its leg is there, not yet answered. */
  start(call: CallControl): Promise<void>;
  /** The application is back; the call is up and its saved state known. */
  resume(call: CallControl): Promise<void>;
  /** Anything that happens on any leg of the call, after the call's state has followed it. */
  onLegEvent(call: CallControl, event: LegEvent): Promise<void>;
  onSignal?(call: CallControl, signal: ProgramSignal): Promise<void>;
  /** The call is over, and no leg is left that would have told so. */
  onEnded?(call: CallControl): Promise<void>;
  /** Another program takes the call over: this one is shown nothing any more. */
  onReplaced?(call: CallControl): void;
}

export type ProgramFactory = (saved: SavedProgram) => CallProgram;

/** Whether the call came in and waits for an agent of a queue: its customer hears music, and is not answered before one takes the call. */
export function waitsForAgent({ direction, program }: Pick<CallRow, 'direction' | 'program'>): boolean {
  return direction === 'inbound' && (program as SavedProgram).spec.type === 'queue';
}
