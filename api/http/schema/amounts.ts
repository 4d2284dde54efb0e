import { z } from 'zod';
import { microsFromSar, type MicroSar } from '../../../core/model/money.js';
import { writtenCount } from '../../../core/model/wording/wording.js';
import { bilingual } from './bilingual.js';

/** Riyals as a JSON number, with at most `decimals` decimals; {@link micros} converts it. */
export function amountInput(decimals: number, minimum: number) {
  const message = bilingual(
    `must be an amount in riyals with at most ${decimals} decimals`,
    `يجب أن يكون مبلغًا بالريال بما لا يزيد على ${writtenCount(decimals, 'decimal_place', 'ar')}`,
  );
  const written = new RegExp(`^-?\\d{1,10}(\\.\\d{1,${decimals}})?$`);
  return z
    .number()
    .min(minimum)
    .max(1_000_000_000)
    .refine((value) => written.test(String(value)), message)
    .meta({ examples: [12.5] });
}

export function micros(value: number): MicroSar {
  return microsFromSar(String(value));
}
