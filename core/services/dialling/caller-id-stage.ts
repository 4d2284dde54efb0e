import type { NumberRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import type { LegStage } from './dialled-leg.js';

export interface NumberOwners {
  numberByE164(e164: string): Promise<NumberRow | null>;
}

/** @throws HatifError CLI_NOT_OWNED if the number is not the organization's */
export async function checkOwned(directory: NumberOwners, organizationId: string, number: string): Promise<void> {
  const owned = await directory.numberByE164(number);
  if (owned?.organization_id !== organizationId || owned.state !== 'assigned') {
    throw new HatifError('CLI_NOT_OWNED', { number });
  }
}

/** Refuses to show a number of somebody else. @throws HatifError CLI_NOT_OWNED */
export function callerIdStage(directory: NumberOwners): LegStage {
  return async ({ callerIdNumber, organizationId }) => {
    if (callerIdNumber !== undefined) await checkOwned(directory, organizationId, callerIdNumber);
  };
}
