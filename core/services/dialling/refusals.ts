import { HatifError, type ErrorCode } from '../../model/errors/index.js';

/** The codes with which the gate refuses a leg to a valid destination. */
export const LEG_REFUSALS = [
  'INSUFFICIENT_PERMISSIONS',
  'OUTBOUND_BLOCKED',
  'CALL_VELOCITY_EXCEEDED',
  'SPEND_CAP_EXCEEDED',
  'INSUFFICIENT_CREDITS',
] as const satisfies readonly ErrorCode[];

const CODES: ReadonlySet<string> = new Set(LEG_REFUSALS);

export function isLegRefusal(error: unknown): error is HatifError {
  return error instanceof HatifError && CODES.has(String(error.code));
}
