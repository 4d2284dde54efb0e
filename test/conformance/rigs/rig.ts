import type { Engine, LegEndpoint } from '../../../core/ports/engine.js';
import type { Softphone } from '../../../core/ports/engine/peers.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import type { Of } from './heard.js';
import type { Opened } from './opened.js';

/** The remote side of an outbound leg. */
export interface Callee {
  readonly endpoint: LegEndpoint;
  /** Answers a ringing leg. */
  answer(legId: string): Promise<void>;
  hangUp(legId: string): Promise<void>;
  press(legId: string, digits: string): Promise<void>;
  /** Presses the phone's hold button. */
  hold(legId: string, held: boolean): Promise<void>;
  /** Waits until its phone has received the digits. */
  received(legId: string, digits: string): Promise<void>;
}

/** A remote phone that places an inbound call. */
export interface Caller {
  readonly number: string;
  hangUp(legId: string): Promise<void>;
  /** The final response that the caller's phone received: `486 Busy Here`. */
  refusal(legId: string): Promise<string>;
}

export type Refusing = 'busy' | 'rejects' | 'unknown_number';

/** An engine and its environment, as the suite needs them. */
export interface Rig {
  readonly engine: Engine;
  /** All events that the engine has emitted. */
  readonly events: readonly EngineEvent[];
  /** Waits for the first event, past or future, with the type and these field values; fails after a timeout. */
  event<Type extends EngineEvent['type']>(type: Type, fields: Partial<Of<Type>>): Promise<Of<Type>>;
  /** Returns a phone that rings until `answer`. Each call returns another phone. */
  callee(): Promise<Callee>;
  refusing(how: Refusing): Promise<LegEndpoint>;
  /** A caller dials the number; the engine's `leg.incoming` follows. */
  callIn(dialled: string): Promise<Caller>;
  /** Returns the path, without extension, of audio with this duration. */
  audio(durationMs: number): Promise<string>;
  /** Registers a phone with the account, which must already exist in the engine. It answers on `answer`. */
  register(softphone: Softphone): Promise<Callee>;
  /** Hangs up and removes what a scenario used. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** Overrides of how a process connects to its engine. */
export interface Reach {
  /** The engine's application port on this machine, or that of a proxy. */
  readonly port?: number;
  readonly password?: string;
  readonly timeoutMs?: number;
  readonly pingIntervalMs?: number;
}

/** A real engine for one test file, to which several processes connect in turn. */
export interface EngineGround {
  /** A directory that the engine can read. */
  readonly folder: string;
  /** The application port: Asterisk's HTTP, FreeSWITCH's event socket. */
  readonly port: number;
  readonly sipAddress: string;
  readonly sipPort: number;
  /** Returns a new process that is not connected yet. */
  open(over?: Reach): Opened;
  /** Lists what remains in the engine: channels, bridges. */
  left(): Promise<readonly unknown[]>;
  /** Restarts the engine; its calls are lost. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
