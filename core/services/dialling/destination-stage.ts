import type { TrunkRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { LegStage } from './dialled-leg.js';

export interface DefaultTrunk {
  defaultTrunk(): Promise<TrunkRow | null>;
}

/** @throws HatifError INVALID_PHONE_NUMBER for a number that may not be called */
export async function checkNumber(
  directory: DefaultTrunk,
  number: string,
  field: string,
  emergency?: ReadonlySet<string>,
): Promise<void> {
  const parsed = parseNumber(number, { allowForeign: true, ...(emergency && { emergency }) });
  const trunk = parsed?.kind === 'foreign' ? await directory.defaultTrunk() : null;
  const refused = parsed === null || parsed.kind === 'emergency' || trunk?.foreign_numbers === false;
  if (refused) throw new HatifError('INVALID_PHONE_NUMBER', { field });
}

/** Refuses what is no number that may be called. @throws HatifError INVALID_PHONE_NUMBER */
export function destinationStage(directory: DefaultTrunk, emergency: ReadonlySet<string>): LegStage {
  return async ({ to, field }) => {
    if (to.type === 'number') await checkNumber(directory, to.target, field, emergency);
  };
}
