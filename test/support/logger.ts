import type { Logger } from '../../core/ports/logger.js';

/** Says nothing. */
export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};
