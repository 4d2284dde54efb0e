import type { Engine, EngineEvent, LegEndpoint, Softphone } from '../../../core/ports/engine.js';
import type { Of } from './heard.js';
import type { Opened } from './opened.js';

/** The other side of an outbound leg. */
export interface Callee {
  readonly endpoint: LegEndpoint;
  /** Pick up a leg that rings. */
  answer(legId: string): Promise<void>;
  hangUp(legId: string): Promise<void>;
  press(legId: string, digits: string): Promise<void>;
  /** The phone's own hold button. */
  hold(legId: string, held: boolean): Promise<void>;
  /** Wait until its phone received the digits. */
  received(legId: string, digits: string): Promise<void>;
}

/** Somebody who calls in. */
export interface Caller {
  readonly number: string;
  hangUp(legId: string): Promise<void>;
  /** Why the call ended, as the caller's phone says it: `486 Busy Here`. */
  refusal(legId: string): Promise<string>;
}

export type Refusing = 'busy' | 'rejects' | 'unknown_number';

/** One engine with its outside world, as the suite needs it. */
export interface Rig {
  readonly engine: Engine;
  /** Everything that the engine told so far. */
  readonly events: readonly EngineEvent[];
  /** The first event, past or to come, of the type and with the values of these fields; fails when it does not come. */
  told<Type extends EngineEvent['type']>(type: Type, fields: Partial<Of<Type>>): Promise<Of<Type>>;
  /** A phone that rings until it is told to answer. Each call gives another phone. */
  callee(): Promise<Callee>;
  refusing(how: Refusing): Promise<LegEndpoint>;
  /** Somebody dials the number; the engine's `leg.incoming` follows. */
  callIn(dialled: string): Promise<Caller>;
  /** Path, without extension, of audio that lasts so long. */
  audio(durationMs: number): Promise<string>;
  /** A phone registers with the account, which was put before. It answers when told to. */
  register(softphone: Softphone): Promise<Callee>;
  /** Hang up and put away what a scenario used. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** How a process reaches its engine, where that is not as always. */
export interface Reach {
  /** Of the engine's port for applications on this machine, or of what stands before it. */
  readonly port?: number;
  readonly password?: string;
  readonly timeoutMs?: number;
  readonly pingIntervalMs?: number;
}

/** A real engine of a test's own, which processes come to and go from. */
export interface EngineGround {
  /** That the engine can read. */
  readonly folder: string;
  /** For applications: Asterisk's HTTP, FreeSWITCH's event socket. */
  readonly port: number;
  readonly sipAddress: string;
  readonly sipPort: number;
  /** A process that is about to connect. */
  open(over?: Reach): Opened;
  /** What the engine itself has of ours: channels, bridges. */
  left(): Promise<readonly unknown[]>;
  /** Its calls are gone then. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
