import { answeredError, ownError } from '../errors/error.js';
import type { Account } from './account.js';

export interface ExchangeOptions {
  /** The platform's address, without a slash at the end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly region: string | null;
}

/** An answer that did not arrive is asked for again with the same nonce: the platform accepts that for 30 seconds. */
const ATTEMPTS = 3;
/** The engines do not answer the platform, or the platform does not answer a proxy: both pass. */
const BAD_GATEWAY = 502;
const RETRY_MS = 500;
const ANSWER_MS = 10_000;
/**
 * The platform waits for its engines for up to 12 seconds, and then reports that they do not answer. Who gives up earlier
 * learns only that there was no answer.
 */
const CONNECT_MS = 20_000;
/** As long as the other sides of the calls wait. The platform may have to wait for a process that controls the calls. */
const RESUME_MS = 30_000;

/** Exchanges a token for an account. @throws HatifError UNREACHABLE, or the platform's error */
export async function exchange({ baseUrl, token, region }: ExchangeOptions): Promise<Account> {
  const body = JSON.stringify({ token, device_nonce: randomName(), ...(region === null ? {} : { region }) });
  return read<Account>(await insist(() => post(`${baseUrl}/v1/web-calling/connect`, body, CONNECT_MS)));
}

/**
 * Asks the platform to bring the calls of the page before back, which then ring this one.
 * @throws HatifError UNREACHABLE, or the platform's error
 */
export async function askToResume(baseUrl: string, account: { username: string; password: string }): Promise<number> {
  const answer = await insist(() => {
    const body = JSON.stringify({ ...account, seconds_since_load: performance.now() / 1_000 });
    return post(`${baseUrl}/v1/web-calling/resume`, body, RESUME_MS);
  });
  return (await read<{ calls: number }>(answer)).calls;
}

/** Reports how a call was. @throws HatifError NOT_REGISTERED without an account, UNREACHABLE, or the platform's error */
export async function sendFeedback(baseUrl: string, account: Account | null, feedback: object): Promise<void> {
  if (account === null) throw ownError('NOT_REGISTERED');
  const { username, password } = account.sip;
  const body = JSON.stringify({ username, password, ...feedback });
  const answer = await post(`${baseUrl}/v1/web-calling/feedback`, body).catch((error: unknown) => {
    throw ownError('UNREACHABLE', error);
  });
  await read<object>(answer);
}

/** Sends a request again that got no answer, or 502. @throws HatifError UNREACHABLE */
async function insist(send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await send();
      if (answer.status !== BAD_GATEWAY || attempt === ATTEMPTS) return answer;
    } catch (error) {
      if (attempt === ATTEMPTS) throw ownError('UNREACHABLE', error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt));
  }
}

/** @returns the answer, whatever its status. @throws if there is none in time */
function post(url: string, body: string, withinMs = ANSWER_MS): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(withinMs),
  });
}

/** @throws HatifError */
async function read<T>(answer: Response): Promise<T> {
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw answeredError(answer.status, body);
  return body as T;
}

function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
