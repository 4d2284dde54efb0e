import type * as Package from '../../packages/web/src/index.js';
import type { Device } from '../../packages/web/src/index.js';
import { solve, type Proof } from './proof.js';
import type { Challenge } from './search.js';

export interface Settings {
  readonly language: 'ar' | 'en';
  readonly otp: boolean;
  readonly captcha: boolean;
  readonly browser_calls: boolean;
  readonly chat: boolean;
  readonly sandbox: boolean;
  readonly theme: { readonly accent: string | null; readonly scheme: string; readonly position: string };
}

export interface Progress {
  readonly callback_id: string;
  readonly status: string;
  readonly to_masked: string;
  readonly disposition?: string | null;
  readonly status_token?: string;
}

/** The response to a request for a code. */
export interface SentCode {
  readonly otp_id: string;
  readonly to_masked: string;
  readonly code_length: number;
  readonly resend_after_seconds: number;
}

/** The platform rejected the request, or is unreachable (`code` is null). */
export class Refused extends Error {
  constructor(
    readonly code: string | null,
    readonly retryAfterSeconds: number,
  ) {
    super(code ?? 'unreachable');
  }
}

/** The widget's client for the platform's API. */
export class Api {
  constructor(
    readonly base: string,
    readonly key: string,
  ) {}

  settings(): Promise<Settings> {
    return this.ask('settings');
  }

  /** Fetches and solves the platform's challenge. */
  async proof(): Promise<Proof> {
    return solve(await this.ask<Challenge>('challenge'));
  }

  code(body: object): Promise<SentCode> {
    return this.ask('otp', {}, body);
  }

  request(body: object): Promise<Progress> {
    return this.ask('callbacks', {}, body);
  }

  /** A session that can call the widget's destination. */
  call(body: object): Promise<{ readonly token: string; readonly dial: string }> {
    return this.ask('calls', {}, body);
  }

  /** The browser package, which pages without such a call do not load. */
  async device(token: string): Promise<Device> {
    const loaded = (await import(/* @vite-ignore */ `${this.base}/web/v1.js`)) as typeof Package;
    return new loaded.Device(token, { baseUrl: this.base, resume: false, ringback: false, ringtone: false });
  }

  /** Long poll: resolves when the callback's status is no longer `after`. */
  follow(id: string, token: string, after: string): Promise<Progress> {
    return this.ask(`callbacks/${id}`, { token, after });
  }

  /** @throws Refused */
  async ask<T>(path: string, query: Record<string, string> = {}, body?: object): Promise<T> {
    const answer = await this.fetch(path, query, body);
    const said = (await answer.json().catch(() => null)) as T | null;
    if (said === null) throw new Refused(null, 0);
    return said;
  }

  /** @throws Refused */
  async fetch(path: string, query: Record<string, string>, body?: object): Promise<Response> {
    const url = `${this.base}/v1/widget/${path}?${new URLSearchParams({ key: this.key, ...query }).toString()}`;
    const init: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer' };
    if (body instanceof FormData) {
      init.method = 'POST';
      init.body = body;
    } else if (body !== undefined) {
      init.method = 'POST';
      init.headers = { 'Content-Type': 'application/json' };
      init.body = JSON.stringify(body);
    }
    const answer = await fetch(url, init).catch(() => null);
    if (answer?.ok) return answer;
    const said = (await answer?.json().catch(() => null)) as { error_code?: string } | null | undefined;
    throw new Refused(said?.error_code ?? null, Number(answer?.headers.get('Retry-After') ?? 0));
  }
}
