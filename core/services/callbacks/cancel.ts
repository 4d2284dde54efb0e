import type { Callbacks } from '../../data/repositories/calls/callbacks.js';
import type { CallRow } from '../../data/rows.js';
import { isFinal } from '../../model/call/call.js';
import { HatifError } from '../../model/errors/index.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { CommandBus, CommandOutcome } from '../../ports/command-bus.js';
import { askOwner, errorOf } from '../calls/ask-owner.js';
import type { CallRequester } from '../calls/control.js';

/** The key that cancels; a callback can be cancelled only by its own project. */
export interface Canceller extends CallRequester {
  readonly organizationId: string;
}

export interface CancelCallbackOptions {
  readonly callbacks: Callbacks;
  readonly bus: CommandBus;
  readonly clock: Clock;
}

/** How long to wait until the engine has ended the leg, and how often to read the call meanwhile. */
const CANCEL_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 20;

const CANCEL = { en: 'cancel', ar: 'الإلغاء' };

/** Cancels callbacks whose customer has not answered. */
export class CancelCallback {
  constructor(private readonly options: CancelCallbackOptions) {}

  /**
   * Resolves with the cancelled callback. If the engine is slow, the returned callback still has its previous status;
   * the `call.cancelled` event follows.
   * @throws HatifError CALLBACK_NOT_FOUND, CALLBACK_ALREADY_CANCELLED, CALLBACK_NOT_CANCELLABLE, CALL_NOT_CONTROLLABLE,
   * CALL_CONTROL_FAILED
   */
  async cancel(callbackId: string, canceller: Canceller): Promise<CallRow> {
    const found = assertCancellable(await this.#find(callbackId, canceller));
    const outcome = await this.#send(found, canceller);
    switch (outcome.result) {
      case 'done':
        return this.#untilCancelled(callbackId, canceller);
      case 'not_controllable':
      case 'engine_refused':
        throw errorOf(outcome, found.status, CANCEL);
      default:
        // The call was answered or ended at that moment: its row shows which.
        assertCancellable(await this.#find(callbackId, canceller));
        throw new HatifError('CALL_NOT_CONTROLLABLE');
    }
  }

  async #find(callbackId: string, { organizationId, projectId, sandboxOnly, agent }: Canceller): Promise<CallRow> {
    const scope = { organizationId, projectId, sandboxOnly, ...(agent !== undefined && { agent }) };
    const row = await this.options.callbacks.get(scope, callbackId);
    if (!row) throw new HatifError('CALLBACK_NOT_FOUND', { callback_id: callbackId });
    return row;
  }

  #send(call: CallRow, { requestId, keyId: actor }: Canceller): Promise<CommandOutcome> {
    const what = { action: 'cancel' } as const;
    const command = { type: 'control', callId: call.id, leg: 'customer', what, requestId, actor } as const;
    return askOwner(this.options.bus, call, command);
  }

  /** The engine accepted the command, but its event that the customer's leg has ended takes a moment. */
  async #untilCancelled(callbackId: string, canceller: Canceller): Promise<CallRow> {
    const { clock } = this.options;
    const deadlineMs = clock.monotonicMs() + CANCEL_TIMEOUT_MS;
    for (;;) {
      const row = await this.#find(callbackId, canceller);
      if (row.status === 'cancelled') return row;
      // The customer answered before the command arrived: the call is still hung up, but it was not cancelled.
      if (isFinal(row.status)) throw notCancellable(row);
      if (clock.monotonicMs() > deadlineMs) return row;
      await pause(clock, POLL_INTERVAL_MS);
    }
  }
}

function assertCancellable(call: CallRow): CallRow {
  if (call.status === 'cancelled') throw new HatifError('CALLBACK_ALREADY_CANCELLED');
  if (call.status !== 'initiated' && call.status !== 'ringing') throw notCancellable(call);
  return call;
}

function notCancellable({ status }: CallRow): HatifError {
  return new HatifError('CALLBACK_NOT_CANCELLABLE', { status });
}
