import { HatifError } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { LegStage } from './dialled-leg.js';

export interface ForeignNumbers {
  /** Whether a call to another country may find a trunk. */
  carriesForeign(): Promise<boolean>;
}

/** @throws HatifError INVALID_PHONE_NUMBER for a number that may not be called */
export async function checkNumber(
  directory: ForeignNumbers,
  number: string,
  field: string,
  emergency?: ReadonlySet<string>,
): Promise<void> {
  const parsed = parseNumber(number, { allowForeign: true, ...(emergency && { emergency }) });
  const refused =
    parsed === null ||
    parsed.kind === 'emergency' ||
    (parsed.kind === 'foreign' && !(await directory.carriesForeign()));
  if (refused) throw new HatifError('INVALID_PHONE_NUMBER', { field });
}

/** Refuses what is no number that may be called. @throws HatifError INVALID_PHONE_NUMBER */
export function destinationStage(directory: ForeignNumbers, emergency: ReadonlySet<string>): LegStage {
  return async ({ to, field }) => {
    if (to.type === 'number') await checkNumber(directory, to.target, field, emergency);
  };
}
