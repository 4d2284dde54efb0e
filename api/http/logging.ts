import { pino, type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { Exchange } from './exchange.js';
import type { Logger } from '../../core/ports/logger.js';
import { redact, redactText } from './redact.js';

export interface LogOptions {
  readonly level: string;
  /** Where the lines go; standard output when left out. */
  readonly destination?: DestinationStream;
  /** Members of every line: role, instance. */
  readonly base?: Readonly<Record<string, unknown>>;
}

/**
 * The process's log: JSON lines, times in ISO 8601, with a redaction that no caller can forget: secret members are replaced at any
 * depth, telephone numbers and keys are masked in every text, the message included.
 */
export function createLogger({ level, destination, base = {} }: LogOptions): PinoLogger {
  const options = {
    level,
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => redact(fields) as Record<string, unknown>,
      bindings: (fields: object) => redact(fields) as Record<string, unknown>,
    },
    // The redaction above writes errors out already.
    serializers: { err: (error: unknown) => error },
    hooks: {
      logMethod(this: PinoLogger, args: Parameters<PinoLogger['info']>, method: PinoLogger['info']): void {
        const masked = args.map((arg: unknown) => (typeof arg === 'string' ? redactText(arg) : arg));
        method.apply(this, masked as Parameters<PinoLogger['info']>);
      },
    },
  };
  const logger = destination === undefined ? pino(options) : pino(options, destination);
  // pino leaves the members of a child as they are. Children inherit this method in turn.
  const child = Reflect.get(logger, 'child') as unknown as Child;
  const safeChild: Child = function (members, childOptions) {
    return child.call(this, redact(members) as Bindings, childOptions);
  };
  return Object.assign(logger, { child: safeChild });
}

type Child = (this: PinoLogger, members: Bindings, options?: ChildLoggerOptions) => PinoLogger;

/** The log line of a request that was answered, or whose client went away before (`status` 499). */
export function logExchange(logger: Logger, exchange: Exchange, status: number, durationMs: number): void {
  const { requestId, method, path, ip, route, key, failure, errorCode } = exchange;
  const fields = {
    request_id: requestId,
    method,
    path,
    route: route?.path ?? null,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ip,
    key_id: key?.id ?? null,
    project_id: key?.projectId ?? null,
    ...(errorCode === null ? {} : { error_code: errorCode }),
    ...(failure?.cause === undefined ? {} : { err: failure.cause }),
  };
  if (status >= 500) logger.error(fields, 'request failed');
  else logger.info(fields, 'request');
}
