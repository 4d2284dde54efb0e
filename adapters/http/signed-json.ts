import { createHmac } from 'node:crypto';
import { Agent } from 'undici';
import { requestJson, type JsonAnswer } from './json-request.js';

export interface SignedJsonOptions {
  /** Chosen by the operator, so its address is not guarded. */
  readonly url: string;
  /** The key that signs every request. */
  readonly secret: string;
  /** Timeout of a whole request. */
  readonly timeoutMs: number;
}

/**
 * Sends JSON to the operator's provider. Each request is signed with HMAC-SHA256 over time, method, target and body,
 * one per line.
 */
export class SignedJsonClient {
  readonly #agent = new Agent({ connections: 8, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  readonly #url: string;

  constructor(private readonly options: SignedJsonOptions) {
    this.#url = options.url.replace(/\/+$/, '');
  }

  /** @throws NoResponseError */
  ask(method: 'GET' | 'PUT' | 'DELETE', target: string, json?: object): Promise<JsonAnswer> {
    const body = json === undefined ? '' : JSON.stringify(json);
    return requestJson(this.#agent, `${this.#url}${target}`, {
      method,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        ...this.#signed(method, target, body),
      },
      ...(body !== '' && { body }),
      timeoutMs: this.options.timeoutMs,
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #signed(method: string, target: string, body: string): Record<string, string> {
    const { secret } = this.options;
    const at = String(Math.floor(Date.now() / 1000));
    const path = new URL(`${this.#url}${target}`);
    const text = [at, method, `${path.pathname}${path.search}`, body].join('\n');
    return {
      'Hatif-Timestamp': at,
      'Hatif-Signature': `v1,${createHmac('sha256', secret).update(text).digest('base64')}`,
    };
  }
}
