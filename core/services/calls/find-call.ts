import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { CallRow } from '../../data/rows.js';
import { isFinal } from '../../model/call/call.js';
import { HatifError } from '../../model/errors/index.js';

export interface CallFinder {
  get(scope: CallScope, callId: string): Promise<CallRow | null>;
}

/** @throws HatifError CALL_NOT_FOUND, also for a call of another project */
export async function findCall(calls: CallFinder, scope: CallScope, callId: string): Promise<CallRow> {
  const call = await calls.get(scope, callId);
  if (!call) throw new HatifError('CALL_NOT_FOUND', { call_id: callId });
  return call;
}

/** Checks the stored status; the owner process checks the live call again. @throws HatifError CALL_NOT_ACTIVE */
export function assertActive({ status }: CallRow): void {
  if (isFinal(status)) throw new HatifError('CALL_NOT_ACTIVE', { status });
}

/** As {@link assertActive}. @throws HatifError CALL_NOT_ACTIVE, CALL_NOT_ANSWERED */
export function assertAnswered(call: CallRow): void {
  assertActive(call);
  if (call.status !== 'answered') throw new HatifError('CALL_NOT_ANSWERED', { status: call.status });
}
