import type { Logger } from '../../core/ports/logger.js';

/** Discards every line. */
export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};
