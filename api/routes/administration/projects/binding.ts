import { z } from 'zod';
import type { Binding } from '../../../../core/services/numbers/numbers.js';
import { bilingual } from '../../../http/schema/bilingual.js';

const REQUIRED = bilingual('is required with this type', 'مطلوب مع هذا النوع');

/** A destination of calls of one of these types, or null for none. The service checks that its target exists. */
export function bindingInput<T extends Binding['type']>(types: readonly [T, ...T[]]) {
  return z
    .strictObject({ type: z.enum(types), target: z.string().max(300).nullable().default(null) })
    .transform((given, ctx): Binding => {
      const { type, target }: { type: Binding['type']; target: string | null } = given;
      if (type === 'echo') return { type, target: null };
      if (type === 'voicemail') return { type, target };
      if (target !== null) return { type, target };
      ctx.addIssue({ code: 'custom', path: ['target'], message: REQUIRED });
      return z.NEVER;
    })
    .nullable();
}

export const bindingOutput = z.strictObject({ type: z.string(), target: z.string().nullable() }).nullable();
