import { z } from 'zod';
import { OWNABLE_KINDS } from '../number/search.js';
import { NUMBER_SOURCES } from '../number/states.js';
import { idOutput, timeOutput } from './fields.js';

/** A number of the project. */
export const numberObject = z
  .strictObject({
    id: idOutput,
    e164: z.string().meta({ examples: ['+966115551234'] }),
    type: z.enum(OWNABLE_KINDS),
    status: z.enum(['assigned', 'porting']).describe('`porting` until the previous carrier has handed it over'),
    source: z
      .enum(NUMBER_SOURCES)
      .describe(
        'Origin of the number: the operator, a provider, your own, ported here, or the demo of a fresh installation, which no carrier delivers',
      ),
    label: z.string().nullable(),
    binding: z
      .strictObject({ type: z.string(), target: z.string().nullable() })
      .nullable()
      .describe('Destination of calls to the number; null: none'),
    assigned_at: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'Number' });

export type NumberObject = z.output<typeof numberObject>;
