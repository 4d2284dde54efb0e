import type { Logger } from '../../core/ports/logger.js';

/** Discards every line. */
export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};

/** Collects every line of a logger and its children: the level, what is logged, and the message. */
export function collecting(): { readonly logger: Logger; readonly lines: readonly unknown[][] } {
  const lines: unknown[][] = [];
  const at =
    (level: string): Logger['info'] =>
    (...line) => {
      lines.push([level, ...line]);
    };
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return { logger, lines };
}
