import type { ApiChoice } from './context.js';
import { CliError, EXIT } from './failure.js';

/** Options that every command takes, before or after its name. */
export interface Shared {
  readonly json: boolean;
  /** Id or name; required only if there are several projects. */
  readonly project?: string;
}

/** Options of commands that use the HTTP API. */
export interface ApiOptions {
  readonly baseUrl?: string;
  readonly key?: string;
}

/** @throws CliError if a project is given: the key decides about it */
export function apiChoice(options: ApiOptions & Pick<Shared, 'project'>): ApiChoice {
  if (options.project !== undefined) {
    throw new CliError(
      '--project is not for this command: the API key decides which project it works on.',
      EXIT.usage,
      ({ hatif }) =>
        `Give --key, or set HATIF_API_KEY. A key of the project: ${hatif('keys create --name <name> --project <project>')}`,
    );
  }
  if (options.baseUrl !== undefined && !/^https?:\/\/./.test(options.baseUrl)) {
    throw new CliError('--base-url: must be an address such as http://127.0.0.1:8080.', EXIT.usage);
  }
  return {
    ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
    ...(options.key !== undefined && { apiKey: options.key }),
  };
}

/** Splits an option with several values, separated by commas. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The status by which a list is filtered; null for all. @throws CliError if there is no such status */
export function statusOf<Status extends string>(statuses: readonly Status[], text: string | undefined): Status | null {
  const status = statuses.find((one) => one === text);
  if (text !== undefined && status === undefined) {
    throw new CliError(`${text} is not a status.`, EXIT.usage, `Statuses: ${statuses.join(', ')}`);
  }
  return status ?? null;
}

/** Reads a number; the services decide whether it is allowed. @throws CliError that names the option */
export function readNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new CliError(`${option}: "${text}" is not a number.`, EXIT.usage);
}

/** Reads a time; a day alone begins in UTC. @throws CliError that names the option */
export function readTime(option: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new CliError(`${option}: "${text}" is not a time.`, EXIT.usage);
  return time;
}

/** Time of day in this machine's time zone, with milliseconds. */
export function clock(iso: string): string {
  const at = new Date(iso);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${hours ?? ''}:${minutes ?? ''}:${seconds ?? ''}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
