import type { ApiChoice } from './context.js';
import { CliError, EXIT } from './failure.js';

/** Options that stand before or behind every command. */
export interface Shared {
  readonly json: boolean;
  /** Id or name; needed only where there are several. */
  readonly project?: string;
}

/** Options of commands that speak to the HTTP API. */
export interface ApiOptions {
  readonly baseUrl?: string;
  readonly key?: string;
}

export function apiChoice(options: ApiOptions): ApiChoice {
  return {
    ...(options.baseUrl !== undefined && { baseUrl: options.baseUrl }),
    ...(options.key !== undefined && { apiKey: options.key }),
  };
}

/** An option that takes several values with commas between. */
export function commaList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The status that a list is asked for; null for all. @throws CliError where there is no such status */
export function statusOf<Status extends string>(statuses: readonly Status[], text: string | undefined): Status | null {
  const status = statuses.find((one) => one === text);
  if (text !== undefined && status === undefined) {
    throw new CliError(`${text} is no status.`, EXIT.usage, `Say one of ${statuses.join(', ')}`);
  }
  return status ?? null;
}

/** The time of day of a point in time, in this machine's zone, with milliseconds. */
export function clock(iso: string): string {
  const at = new Date(iso);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${hours ?? ''}:${minutes ?? ''}:${seconds ?? ''}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
