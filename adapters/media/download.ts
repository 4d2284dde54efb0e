import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { hasCode } from '../../core/model/error-code.js';
import { MediaError } from '../../core/ports/media-store.js';
import type { UrlProblem } from '../../core/ports/outbound-http.js';
import { guardedConnector, problemOfUrl, type GuardOptions } from '../http/guard.js';

export interface DownloadOptions extends GuardOptions {
  readonly maxBytes: number;
  /** Timeout of everything: name resolution, connection, TLS, response and its body. */
  readonly timeoutMs: number;
  /** Media types that are asked for. Default: audio. */
  readonly accept?: string;
}

const PROBLEMS: Readonly<Record<UrlProblem, () => MediaError>> = {
  malformed: () => new MediaError('not_https', 'it is not a valid https address'),
  not_https: () => new MediaError('not_https', 'it is not an https address'),
  forbidden_address: privateAddress,
};

/**
 * Sends GET requests to public https addresses. Redirects are not followed, because each would need to be checked
 * again.
 */
export class Downloader {
  readonly #agent: Agent;

  constructor(private readonly options: DownloadOptions) {
    this.#agent = new Agent({
      connect: guardedConnector(options, options.timeoutMs),
      connections: 4,
      pipelining: 1,
      maxHeaderSize: 16 * 1024,
      // The abort signal of each request enforces the overall timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** @throws MediaError `not_https`, `private_address`, `unreachable`, `bad_status` or `too_large` */
  async get(url: string): Promise<Uint8Array> {
    const problem = problemOfUrl(url, this.options);
    if (problem) throw PROBLEMS[problem]();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.options.timeoutMs);
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        signal: limit.signal,
        headers: { accept: this.options.accept ?? 'audio/*', 'accept-encoding': 'identity', 'user-agent': 'Hatif' },
      });
      return await this.#body(response);
    } catch (error) {
      if (error instanceof MediaError) throw error;
      if (hasCode(error, 'HATIF_FORBIDDEN_ADDRESS')) throw privateAddress();
      const why = limit.signal.aborted
        ? `no response within ${this.options.timeoutMs / 1000} s`
        : 'the connection failed';
      throw new MediaError('unreachable', why, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #body({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Uint8Array> {
    const { maxBytes } = this.options;
    // Destroying a partly read body closes its connection.
    const refuse = (error: MediaError): never => {
      body.destroy();
      throw error;
    };
    // Errors are thrown below; this handler catches the one that destroying the body causes.
    body.on('error', () => undefined);
    if (statusCode !== 200)
      return refuse(new MediaError('bad_status', `the address answered with status ${statusCode}`));
    if (Number(headers['content-length'] ?? 0) > maxBytes) return refuse(tooLarge(maxBytes));
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return refuse(tooLarge(maxBytes));
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

export function tooLarge(maxBytes: number): MediaError {
  return new MediaError('too_large', `the file is larger than ${Math.floor(maxBytes / 1_000_000)} MB`);
}

function privateAddress(): MediaError {
  return new MediaError('private_address', 'its address is not public');
}
