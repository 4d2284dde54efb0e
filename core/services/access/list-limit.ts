import { invalidField } from '../../model/errors/index.js';

const MAX_LIMIT = 1_000;

/** Checks how many entries a list of the operator has at most. @throws HatifError VALIDATION_ERROR */
export function assertListLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return;
  throw invalidField('limit', {
    en: `must be a whole number from 1 to ${MAX_LIMIT}`,
    ar: `يجب أن يكون عددًا صحيحًا من 1 إلى ${MAX_LIMIT}`,
  });
}
