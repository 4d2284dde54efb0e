import { z } from 'zod';
import { extension } from '../../http/schema/extension.js';
import { idInput } from '../../http/schema/schemas.js';

/** The projects of a member; the service checks that they exist. */
export const projectIds = z.array(idInput).min(1).max(100).describe('Null: all projects');

/** The extension of a member; the service checks that it exists. */
export const agentExtension = extension.describe(
  'The extension whose calls are the member’s own; needed for the role `agent`',
);
