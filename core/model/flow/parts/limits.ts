/** Limits of a definition. */
export const MAX_NODES = 1_000;
export const MAX_DEFINITION_BYTES = 512 * 1024;
export const MAX_TEXT_LENGTH = 4_000;
export const MAX_VARIABLES = 100;
export const MAX_VALUE_LENGTH = 1_000;
/** Steps of one call through all its flows together. */
export const MAX_STEPS = 1_000;
/** Steps in which neither the caller nor another party does anything. */
export const MAX_SILENT_STEPS = 100;
/** Nesting depth of subflows. */
export const MAX_DEPTH = 8;
