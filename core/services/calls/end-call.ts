import { HatifError } from '../../model/errors/index.js';
import type { CommandBus } from '../../ports/command-bus.js';
import type { Logger } from '../../ports/logger.js';
import { askOwner } from './ask-owner.js';

export interface CallEnding {
  readonly bus: Pick<CommandBus, 'send'>;
  readonly log: Logger;
  /** For the timeline of the call. */
  readonly requestId: string;
}

/** Ends a live call for the platform itself. A call that cannot be ended now stays, and the caller tries again. */
export async function endCall(
  call: { readonly id: string; readonly engine_id: string },
  { bus, log, requestId }: CallEnding,
): Promise<void> {
  const what = { action: 'hangup' } as const;
  try {
    await askOwner(bus, call, { type: 'control', callId: call.id, leg: 'customer', what, requestId, actor: null });
  } catch (error) {
    if (!(error instanceof HatifError)) throw error;
    log.warn({ err: error, call_id: call.id }, 'failed to end a call; will retry');
  }
}
