import { z } from 'zod';
import { isExtension } from '../../../core/model/call/destinations.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { idInput } from '../../http/schema/schemas.js';

/** The projects of a member; the service checks that they exist. */
export const projectIds = z.array(idInput).min(1).max(100).describe('Null: all projects');

/** The extension of a member; the service checks that it exists. */
export const agentExtension = z
  .string()
  .refine(
    isExtension,
    bilingual(
      'must be 2 to 32 letters, digits, dots, dashes or underscores',
      'يجب أن يتكوّن من 2 إلى 32 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
    ),
  )
  .describe('The extension whose calls are the member’s own; needed for the role `agent`');
