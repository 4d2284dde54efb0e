import type { EngineErrorKind } from './engine.js';

/** What an API process asks of the process that owns the call's engine. */
export type CallCommand =
  | { readonly type: 'place'; readonly callId: string }
  | { readonly type: 'hangup'; readonly callId: string; readonly requestId: string; readonly actor: string | null };

/** `done`; or why not: the call is over, this process does not own it, or the engine refused. */
export type CommandOutcome =
  | { readonly result: 'done' }
  | { readonly result: 'not_active' }
  | { readonly result: 'not_controllable' }
  | { readonly result: 'engine_refused'; readonly kind: EngineErrorKind; readonly message: string };

export type CommandHandler = (command: CallCommand) => Promise<CommandOutcome>;

/**
 * Carries commands to the owner of an engine, at most once. The truth stays in PostgreSQL: a lost `place` is found again by the
 * owner's sweep, any other lost command is told to the caller as {@link CommandTimeout}.
 */
export interface CommandBus {
  /** @throws CommandTimeout when no owner answered within the deadline (5 s). */
  send(engineId: string, command: CallCommand): Promise<CommandOutcome>;
  /** Serve the commands of an engine this process owns; returns how to stop. */
  serve(engineId: string, handler: CommandHandler): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export class CommandTimeout extends Error {
  override readonly name = 'CommandTimeout';
}
