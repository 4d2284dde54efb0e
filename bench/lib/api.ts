import { FormData, Pool } from 'undici';
import type { Application } from './application.js';

/** The number to call over the default trunk, and the project's number as caller id. */
export const CALLEE = '+966501234567';
export const CALLER = '+966115550100';

/** The application's API, with its live key. */
export interface Api {
  /** Sends a request; resolves with the parsed response. @throws Error on any status but 2xx */
  post(path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}

export function openApi({ url, key }: Application, connections = 64): Api {
  const pool = new Pool(url, { connections, headersTimeout: 10_000 });
  const authorization = `Bearer ${key}`;
  return {
    async post(path, body = {}) {
      const isForm = body instanceof FormData;
      const response = await pool.request({
        method: 'POST',
        path,
        headers: isForm ? { authorization } : { authorization, 'content-type': 'application/json' },
        body: isForm ? body : JSON.stringify(body),
      });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`POST ${path}: ${response.statusCode} ${text}`);
      return JSON.parse(text) as unknown;
    },
    close: () => pool.close(),
  };
}
