import type { ApiChoice } from '../context.js';

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

/** The time of day of a point in time, in this machine's zone, with milliseconds. */
export function clock(iso: string): string {
  const at = new Date(iso);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${hours ?? ''}:${minutes ?? ''}:${seconds ?? ''}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
