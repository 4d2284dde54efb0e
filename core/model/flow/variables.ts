import { NODES } from './nodes/index.js';
import type { NodeDescriptor } from './parts/descriptor.js';

/** Variables that describe the call. */
const CALL_VARIABLES = ['call_id', 'caller_number', 'caller_number_masked', 'line_number', 'direction', 'now'] as const;

const resultVariables = NODES.flatMap(({ resultVariables: names = [] }: NodeDescriptor) => names);

/** Variables that the platform sets. A flow can read them but not set them. */
export const BUILT_IN_VARIABLES: ReadonlySet<string> = new Set([...CALL_VARIABLES, ...resultVariables]);
