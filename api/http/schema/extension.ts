import { z } from 'zod';
import { isExtension } from '../../../core/model/call/destinations.js';
import { bilingual } from './bilingual.js';

/** The extension of an agent. */
export const extension = z
  .string()
  .refine(
    isExtension,
    bilingual(
      'must be 2 to 32 letters, digits, dots, dashes or underscores',
      'يجب أن يتكوّن من 2 إلى 32 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
    ),
  );
