import type { Destination } from '../../core/model/call/destinations.js';
import type { FlowLanguage } from '../../core/model/flow/parts.js';
import type { LoadedFlow } from '../../core/services/callflows/flow-cache.js';

/** One thing that is heard, with its values in it. */
export type Spoken = { readonly audioId: string } | { readonly text: string; readonly language: FlowLanguage };

/** What a flow wants done: a phone does it, or the simulator pretends to. */
export type FlowAction =
  /** Outcome `played`. */
  | { readonly type: 'play'; readonly items: readonly Spoken[]; readonly loop: number }
  /** Outcome `answered`. */
  | {
      readonly type: 'ask';
      readonly prompt: readonly Spoken[];
      readonly maxDigits: number;
      readonly terminator: '#' | '*' | null;
      readonly firstDigitMs: number;
      readonly nextDigitMs: number;
    }
  /** Ring another party and join it with the caller. Outcome `dialled`; `comesBack`: also when the other party hung up first. */
  | { readonly type: 'dial'; readonly to: Destination; readonly ringSeconds: number; readonly comesBack: boolean }
  /** Outcome `responded`. */
  | {
      readonly type: 'http';
      /** The same when it is asked again. */
      readonly id: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly data: Readonly<Record<string, unknown>>;
      readonly timeoutMs: number;
      readonly retries: number;
    }
  /** Outcome `loaded`. @param version null: the one that is active */
  | { readonly type: 'load'; readonly callflowId: string; readonly version: number | null }
  /** Outcome `done`. */
  | { readonly type: 'record'; readonly does: 'start' | 'stop' | 'pause' | 'resume' }
  /** Outcome `verifying`. */
  | {
      readonly type: 'send_code';
      readonly to: string;
      readonly channel: 'voice' | 'sms' | 'chatapp' | 'email' | null;
      readonly language: FlowLanguage;
      readonly length: number;
      /** The number is the one that is on the line: a call to it would find it busy. */
      readonly isOnLine: boolean;
    }
  /** Outcome `checked`. */
  | { readonly type: 'check_code'; readonly verificationId: string; readonly code: string }
  /** Outcome `refused`, or none: the call is in the conference. */
  | {
      readonly type: 'conference';
      readonly name: string;
      readonly muted: boolean;
      readonly beep: boolean;
      readonly startOnEnter: boolean;
      readonly endOnExit: boolean;
      readonly maxParticipants: number;
    }
  /** Outcome `not_served` where it comes back. */
  | { readonly type: 'queue'; readonly queueId: string; readonly comesBack: boolean }
  /** To another party for good. */
  | { readonly type: 'connect'; readonly to: Destination }
  /** @param number null: of the number that was called */
  | { readonly type: 'voicemail'; readonly number: string | null }
  | { readonly type: 'end'; readonly reason: 'normal' | 'busy' | 'rejected' }
  /** The flow cannot go on: the caller is told so, and the call ends. */
  | { readonly type: 'fault'; readonly reason: string };

export type FlowActionOf<T extends FlowAction['type']> = Extract<FlowAction, { type: T }>;

/** Why another party was not joined with the caller, or that it was. */
export type DialStatus = 'answered' | 'busy' | 'no_answer' | 'failed';

/** Why no code was sent; `own_line`: it could only have been told by a call to the telephone that is in this call. */
export type NotSent = 'own_line' | 'not_sent';

/** What became of an action. */
export type FlowOutcome =
  | { readonly type: 'played' }
  | { readonly type: 'answered'; readonly digits: string; readonly by: 'length' | 'terminator' | 'timeout' | 'silence' }
  | { readonly type: 'dialled'; readonly status: DialStatus }
  /** `status` null: no answer came. */
  | { readonly type: 'responded'; readonly status: number | null; readonly body: string }
  /** Null: there is no such flow, or none is active. */
  | { readonly type: 'loaded'; readonly flow: LoadedFlow | null }
  | { readonly type: 'done' }
  | { readonly type: 'verifying'; readonly verificationId: string }
  | { readonly type: 'not_sent'; readonly why: NotSent }
  /** `isOver`: no other code is looked at. */
  | { readonly type: 'checked'; readonly verified: boolean; readonly isOver: boolean }
  | { readonly type: 'refused' }
  | { readonly type: 'not_served' };

export type FlowOutcomeOf<T extends FlowOutcome['type']> = Extract<FlowOutcome, { type: T }>;
