import { pino, type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { Exchange } from './exchange.js';
import type { Logger } from '../../core/ports/logger.js';
import { redact, redactText } from '../../core/model/access/redact.js';

export interface LogOptions {
  readonly level: string;
  /** Default: standard output. */
  readonly destination?: DestinationStream;
  /** Members of every line: role, instance. */
  readonly base?: Readonly<Record<string, unknown>>;
}

/**
 * The process's log: JSON lines, times in ISO 8601. Every line is redacted: secret members are replaced at any depth,
 * phone numbers and keys are masked in every text, including the message.
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
    // `redact` has already serialized errors.
    serializers: { err: (error: unknown) => error },
    hooks: {
      logMethod(this: PinoLogger, args: Parameters<PinoLogger['info']>, method: PinoLogger['info']): void {
        const masked = args.map((arg: unknown) => (typeof arg === 'string' ? redactText(arg) : arg));
        method.apply(this, masked as Parameters<PinoLogger['info']>);
      },
    },
  };
  const logger = destination === undefined ? pino(options) : pino(options, destination);
  // pino does not format a child's members. Children inherit this method.
  const child = Reflect.get(logger, 'child') as unknown as Child;
  const safeChild: Child = function (members, childOptions) {
    return child.call(this, redact(members) as Bindings, childOptions);
  };
  return Object.assign(logger, { child: safeChild });
}

type Child = (this: PinoLogger, members: Bindings, options?: ChildLoggerOptions) => PinoLogger;

/** Logs an answered request, or one whose client disconnected before the answer (`status` 499). */
export function logExchange(logger: Logger, exchange: Exchange, status: number, durationMs: number): void {
  const { requestId, method, path, ip, route, requester, failure, errorCode } = exchange;
  const fields = {
    request_id: requestId,
    method,
    path,
    route: route?.path ?? null,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ip,
    key_id: requester.keyId,
    ...(requester.userId === null ? {} : { user_id: requester.userId }),
    ...(requester.administratorId === null ? {} : { administrator_id: requester.administratorId }),
    project_id: requester.projectId,
    ...(errorCode === null ? {} : { error_code: errorCode }),
    ...(failure?.cause === undefined ? {} : { err: failure.cause }),
  };
  if (status >= 500) logger.error(fields, 'request failed');
  else logger.info(fields, 'request');
}
