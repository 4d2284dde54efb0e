/** The sizes that a definition may have. */
export const MAX_NODES = 1_000;
export const MAX_DEFINITION_BYTES = 512 * 1024;
export const MAX_TEXT_LENGTH = 4_000;
export const MAX_VARIABLES = 100;
export const MAX_VALUE_LENGTH = 1_000;
/** Steps of one call through its flows, all together. */
export const MAX_STEPS = 1_000;
/** Steps without anything that the caller or another party does. */
export const MAX_SILENT_STEPS = 100;
/** Flows within flows. */
export const MAX_DEPTH = 8;
