import type { CallRow } from '../../data/rows.js';
import type { CallStatus, Disposition, LegRole } from '../../model/call/call.js';
import type { Destination } from '../../model/call/destinations.js';
import type { Diversion, ForwardedPath, Unreached } from '../../model/call/forwarding.js';
import type { EventData, EventType } from '../../model/events/index.js';
import type { AgentFeature } from '../../model/feature-codes.js';
import type { MonitorMode } from '../../model/call/monitoring.js';
import type { Skills } from '../../model/queue/skills.js';
import type { Decision, VisitOutcome } from '../../model/queue/types.js';
import type { MediaItem } from '../../ports/engine.js';
import type { LegEvent } from '../../ports/engine-events.js';
import type { SpeechLanguage } from '../../ports/speech.js';
import type { AwayBrowser } from './away-browser.js';

/**
 * What a call does once it is up, stored with the call. `state` is the program's own data for resuming after a restart.
 */
export type ProgramSpec =
  /** Wait for API commands. */
  | { readonly type: 'idle' }
  /** Play, then hang up. The audio was fetched or synthesized before the call was placed. */
  | { readonly type: 'play'; readonly paths: readonly string[] }
  /** Answer, then say, play and forward to a number: whichever are set, in this order. */
  | {
      readonly type: 'instructions';
      readonly say: { readonly text: string; readonly language: SpeechLanguage } | null;
      /** A path that engines can read. */
      readonly audio: string | null;
      /** E.164 */
      readonly forwardTo: string | null;
    }
  /** An agent's softphone called an external number: ring it and join both. */
  | { readonly type: 'dial_out'; readonly to: Destination }
  /**
   * Ring another party and join it with the customer.
   * @property unansweredTo the number whose voicemail box takes unanswered calls, if the box is on
   */
  | { readonly type: 'connect'; readonly to: Destination; readonly unansweredTo?: string }
  /**
   * Customer and agent are bridged: if either hangs up, both are disconnected. A call runs this from its first transfer
   * on.
   */
  | { readonly type: 'talk' }
  /** Wait in a queue until one of its agents takes the call. */
  | {
      readonly type: 'queue';
      readonly queueId: string;
      /** What the agent must be able to do besides the skills that the queue requires. */
      readonly requiredSkills?: Skills;
      /** Where an unanswered caller continues, instead of the queue's own overflow. */
      readonly orElse?: ProgramSpec;
      /** Ids of the queues that passed the caller on immediately, in order. */
      readonly passed?: readonly string[];
    }
  /** Run a version of a call flow. @param at where to continue; absent: from the start */
  | {
      readonly type: 'callflow';
      readonly callflowId: string;
      /** Null: the version that is active when the flow starts. */
      readonly version: number | null;
      readonly at?: Readonly<Record<string, unknown>>;
    }
  /** Find an agent of the queue, then ring the customer, and join them. */
  | {
      readonly type: 'queue_callback';
      readonly queueId: string;
      readonly to: string;
      readonly ringSeconds: number;
      /** As of `queue`. */
      readonly requiredSkills?: Skills;
      /** As of `queue`. */
      readonly passed?: readonly string[];
    }
  /** A softphone dialled a feature code by which its agent changes something. */
  | { readonly type: 'agent_code'; readonly agent: string; readonly feature: AgentFeature }
  /** Ask the person who answers for the digits shown on their screen. */
  | { readonly type: 'voice_auth'; readonly challengeId: string; readonly language: SpeechLanguage }
  /** Speak a one-time code, which is generated at that moment and stored nowhere. */
  | {
      readonly type: 'speak_code';
      readonly codeId: string;
      readonly language: SpeechLanguage;
      /** The brand that the code is for. */
      readonly brand: string | null;
    }
  /** The caller leaves a message in a number's voicemail box. */
  | { readonly type: 'voicemail'; readonly numberId: string }
  /** A softphone plays the messages of its agent's voicemail box. */
  | { readonly type: 'voicemail_access'; readonly agent: string }
  /** A blocked caller hears, before any answer, that the call is not taken. @property isWithheld shows no number */
  | { readonly type: 'turn_away'; readonly isWithheld: boolean }
  /** Greet in both languages, then echo the caller's voice until `#`. */
  | { readonly type: 'echo' };

/** Programs that ring the customer themselves, for a party that is already there. */
const RINGS_CUSTOMER: ReadonlySet<ProgramSpec['type']> = new Set(['dial_out', 'queue_callback']);

/**
 * Whether the call's program starts immediately instead of when the customer answers: the call came in, or another
 * party is rung first.
 */
export function startsAtOnce(call: Pick<CallRow, 'direction' | 'program'>): boolean {
  return call.direction === 'inbound' || RINGS_CUSTOMER.has((call.program as SavedProgram).spec.type);
}

export interface SavedProgram {
  readonly spec: ProgramSpec;
  readonly state: Readonly<Record<string, unknown>> | null;
  /** How often the call, and the calls that it came from inside, continued at another number. */
  readonly hops?: number;
  /** What the caller's phone or browser sent for call flows, which begin with these variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Set if the call is recorded from its answer on and the customer was informed. */
  readonly announced?: true;
  /** Current and former supervisors. */
  readonly supervisors?: readonly Supervisor[];
  /** Browsers whose pages were left, and whose places in the call are kept for some time. */
  readonly awayBrowsers?: readonly AwayBrowser[];
  /** The call's wait in a queue; absent or null if it waits in none. */
  readonly queueWait?: QueueWait | null;
}

/** How often a call may continue at another number of the installation: a flow that dials itself must end. */
export const MAX_HOPS = 5;

/** How often the call continued at another number so far. */
export function hopsOf({ program }: Pick<CallRow, 'program'>): number {
  return (program as SavedProgram).hops ?? 0;
}

/** An agent whose softphone listens to the call. */
export interface Supervisor {
  readonly legId: string;
  readonly agent: string;
  readonly mode: MonitorMode;
}

/** A queue, as events name it. */
export interface QueuePlace {
  readonly id: string;
  readonly name: string;
}

/** A call's wait in a queue. */
export interface QueueWait extends QueuePlace {
  /** ISO 8601. */
  readonly since: string;
}

export interface LegView {
  readonly legId: string;
  readonly role: LegRole;
  readonly status: 'created' | 'ringing' | 'answered' | 'ended';
  readonly hasRung: boolean;
  readonly wasAnswered: boolean;
  /** The Q.850 cause; null until the leg ends. */
  readonly hangupQ850: number | null;
}

/**
 * The new leg, or the Q.850 cause for which there is none: no route, softphone not registered, or refused by the
 * engine.
 */
export type DialOutcome = { readonly legId: string } | { readonly refused: number };

/** What is special about a dialled leg. */
export interface DialledAs {
  /** For one of several agents rung at once: the agent becomes the call's only by taking the call. */
  readonly legId?: string;
  /** The agent who forwarded the call to this party. */
  readonly forwardedBy?: Diversion | undefined;
}

/**
 * The program of a number of the project, which the call continues as instead of dialling it; the Q.850 cause for which
 * it cannot; null for a party that is dialled.
 */
export type InsideRoute = { readonly program: ProgramSpec } | { readonly refused: number } | null;

/** What a call does for a party: ring it, go where its agent forwards calls, or nothing, for the Q.850 cause. */
export type ForwardStep =
  | { readonly type: 'dial'; readonly path: ForwardedPath; readonly ringSeconds: number }
  | { readonly type: 'continue'; readonly spec: ProgramSpec; readonly through: readonly Diversion[] }
  | {
      readonly type: 'refused';
      readonly q850: number;
      readonly reason: 'do_not_disturb' | 'loop' | 'caller_blocked';
      readonly through: readonly Diversion[];
    };

/** How a call ends when its program gives up. For an answered call only the cause counts. */
export interface Ending {
  readonly q850: number;
  readonly status: Extract<CallStatus, 'missed' | 'failed' | 'timeout' | 'cancelled'>;
  readonly disposition: Disposition;
}

/**
 * What a program may do with its call. Every method runs in the call's turn. Commands to a leg that is gone do nothing,
 * because its `leg.ended` is on the way; any other engine failure rejects with EngineError.
 */
export interface CallControl {
  readonly callId: string;
  /** For a call in a queue. */
  readonly queue: QueueControl;
  /** For a call in a flow. */
  readonly flow: FlowControl;
  /** For a call whose caller leaves a message. */
  readonly message: MessageControl;
  readonly status: CallStatus;
  readonly direction: 'outbound' | 'inbound';
  leg(role: LegRole): LegView | null;
  /** Send ringing to the incoming leg before it is answered. */
  ring(legId: string): Promise<void>;
  /** Answer the incoming leg; `leg.answered` follows. */
  answer(legId: string): Promise<void>;
  /** Ring another party as a new leg of this call. */
  dial(role: LegRole, to: Destination, ringTimeoutSeconds: number, as?: DialledAs): Promise<DialOutcome>;
  /**
   * Decide what a direct call does for a party: before it is dialled, or after it was not reached.
   * @param ringSeconds how long the caller lets a phone ring
   * @returns null if an unreached party forwards the call no further
   */
  forward(path: ForwardedPath, ringSeconds: number, unreached?: Unreached): Promise<ForwardStep | null>;
  /**
   * Whether the call reaches the destination inside the platform, because it is a number of the project that is bound
   * to something other than a party.
   */
  inside(to: Destination): Promise<InsideRoute>;
  /** Bridge both legs. */
  join(legIds: readonly string[]): Promise<void>;
  /** Play to one leg; `play.finished` with the returned id follows. */
  play(legId: string, items: readonly MediaItem[], loop?: number): Promise<string>;
  stopPlay(playbackId: string): Promise<void>;
  /** Play ringback to one leg until `playbackId` is stopped. */
  ringback(legId: string, playbackId: string): Promise<void>;
  echo(legId: string): Promise<void>;
  hangupLeg(legId: string, q850: number): Promise<void>;
  /** Replace this program with another, which starts from its beginning. The calling program must do nothing more. */
  continueAs(spec: ProgramSpec): Promise<void>;
  /** Mark the call as answered because someone is there for the customer. Does nothing if it is answered already. */
  markAnswered(): void;
  /** End the whole call. */
  end(ending: Ending): Promise<void>;
  /**
   * Send the signal `later` after this time. A restart or another program cancels the timer: `resume` must set it
   * again.
   * @param key identifies the timer; starting it again replaces it
   */
  startTimer(delayMs: number, key?: string): void;
  /** Cancel the timer. */
  cancelTimer(key?: string): void;
  /**
   * Emit an event of this call, in its sequence. One outside the `call` family carries the data and the call's id
   * instead of the whole call.
   */
  emit<T extends EventType>(type: T, data: EventData<T>): void;
  /** Add a line to the call's timeline. Must never contain digits. */
  note(type: string, data?: Readonly<Record<string, unknown>>): void;
  /** Store the program's own state with the call, in the next commit. */
  save(state: Readonly<Record<string, unknown>>): void;
}

/** What a program may do with a call that waits in a queue. */
export interface QueueControl {
  readonly projectId: string;
  /** Whether recording was already requested before the call came to the queue. */
  readonly isToBeRecorded: boolean;
  legs(): readonly LegView[];
  /** Emit `queue.entered`. */
  entered(queue: QueuePlace): void;
  /** Emit `queue.left`. Not called for a caller who hangs up. @param agent who took the call */
  left(outcome: VisitOutcome, agent?: string): void;
  /** Play the engine's hold music to the leg. */
  park(legId: string): Promise<void>;
  unpark(legId: string): Promise<void>;
  /** Ring an agent, possibly one of several. @returns null, or the Q.850 cause for which nobody is rung */
  offer(legId: string, agent: string, ringSeconds: number): Promise<number | null>;
  /** Whether a leg can be heard before it answers, once it is joined with another. */
  readonly hasEarlyMedia: boolean;
  /** Give the call to this leg's agent, and join them with the customer, now or when the customer answers. */
  take(legId: string, agent: string): Promise<void>;
  /** Hang up a leg that is no longer needed or answered too late. */
  dismiss(legId: string): Promise<void>;
  /** Record the leg to its end. If the engine refuses, the call continues unrecorded. */
  record(legId: string): Promise<void>;
}

/** The project and numbers of a call. */
export interface FlowParties {
  readonly projectId: string;
  /** Whether it is a call of the sandbox. */
  readonly sandbox: boolean;
  /** E.164, or what the carrier sent; null if withheld. */
  readonly customerNumber: string | null;
  readonly customerNumberMasked: string;
  readonly lineNumber: string | null;
  /** What the caller's phone or browser sent: the variables with which a flow begins. */
  readonly given: Readonly<Record<string, string>>;
}

export type RecordingStep = 'start' | 'stop' | 'pause' | 'resume';

/** What only a call flow may do with its call. */
export interface FlowControl {
  readonly parties: FlowParties;
  /** Control the recording of this leg. If the engine refuses, the call continues unrecorded. */
  record(legId: string, step: RecordingStep): Promise<void>;
  /**
   * Move the call into the project's conference of that name. @returns false if that is impossible; if true, another
   * program runs the call
   */
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
  /**
   * `held`: finished, but the caller may still change it; `sent`: will be delivered to the box, at the latest when the
   * call is over.
   */
  readonly status: 'recording' | 'held' | 'sent' | 'dropped';
  readonly durationMs: number;
}

/**
 * What a program may do with messages that the customer leaves. A message that is still open when the leg ends is sent.
 */
export interface MessageControl {
  /** Returns null for an unknown message. */
  get(recordingId: string): MessageView | null;
  /** Record the leg for a voicemail box, and commit the saved state. @throws EngineError */
  record(legId: string, boxId: string, recordingId: string, maxSeconds: number): Promise<void>;
  /** The same for the box's greeting, which is dropped unless it is sent. @throws EngineError */
  recordGreeting(legId: string, boxId: string, recordingId: string, maxSeconds: number): Promise<void>;
  /** Stop recording; the message is then `held`. */
  stop(recordingId: string): Promise<void>;
  send(recordingId: string): void;
  drop(recordingId: string): Promise<void>;
}

/** Signals to a program that do not come from a leg. */
export type ProgramSignal =
  /** A recording of the call reached its limit, or stopped by itself otherwise. */
  | { readonly type: 'recorded'; readonly recordingId: string }
  | { readonly type: 'queue'; readonly decision: Extract<Decision, { type: 'offer' | 'withdraw' | 'overflow' }> }
  /** The call is being transferred, or joined a conference. */
  | { readonly type: 'taken_away' }
  /** A timer started by the program expired. */
  | { readonly type: 'later'; readonly key: string };

/** The platform's own prompts, in both languages, as media that an engine can play. */
export interface Prompts {
  /** Returns the spoken text, or null if no voice can speak it at present. */
  say(text: string, language: SpeechLanguage): Promise<MediaItem | null>;
}

/** One running program of one call. It must be restorable from its spec and saved state after a restart. */
export interface CallProgram {
  /**
   * Starts the program: after the customer's answer for a call placed by the API, or with an unanswered leg for an
   * incoming call.
   */
  start(call: CallControl): Promise<void>;
  /** Restores the program after a restart: the call is up and its state is loaded. */
  resume(call: CallControl): Promise<void>;
  /** Handles an event of any leg, after it was applied to the call's state. */
  onLegEvent(call: CallControl, event: LegEvent): Promise<void>;
  onSignal?(call: CallControl, signal: ProgramSignal): Promise<void>;
  /**
   * Another leg took the place of one: a carrier had not carried that one, or its browser's page was loaded again. The
   * program gets no event of the replaced leg's end.
   */
  onLegReplaced?(call: CallControl, replacedLegId: string, legId: string): void;
  /** The call ended without a final leg event. */
  onEnded?(call: CallControl): Promise<void>;
  /** Another program replaced this one, which receives no more events. */
  onReplaced?(call: CallControl): void;
}

export type ProgramFactory = (saved: SavedProgram) => CallProgram;

/**
 * Whether the call came in and waits for a queue's agent: its customer hears music, and the call is not answered until
 * an agent takes it.
 */
export function waitsForAgent({ direction, program }: Pick<CallRow, 'direction' | 'program'>): boolean {
  return direction === 'inbound' && (program as SavedProgram).spec.type === 'queue';
}
