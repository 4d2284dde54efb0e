import { newId } from '../../core/model/ids.js';
import { sipUserOf, type SoftphoneText, type TextResult } from '../../core/model/messaging/softphone-text.js';
import { EngineError, type Texts } from '../../core/ports/engine.js';
import { startJob } from './esl/background.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { EslLink } from './esl/esl-link.js';
import { contactsOf } from './freeswitch-legs.js';
import { PROFILE } from './leg-id.js';

/** mod_sofia waits up to 20 s for the answer of a phone. */
const ANSWERED_WITHIN_MS = 25_000;

interface Pending {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: EngineError) => void;
}

/**
 * The API command `chat` sends a SIP MESSAGE and waits for the answer of the phone, so it runs as a background job. It does
 * not say with which status a phone refused.
 */
export class FreeswitchTexts implements Texts {
  readonly #pending = new Map<string, Pending>();

  constructor(private readonly link: EslLink) {}

  async send({ aor, from, body }: SoftphoneText): Promise<TextResult> {
    this.link.require();
    if (!/^[0-9A-Za-z._-]+$/.test(aor)) throw new EngineError('rejected', 'Invalid softphone name');
    if ((await contactsOf(this.link, aor)).startsWith('error/')) return { result: 'not_registered' };
    const fields = ['sip', sipUserOf(from), `${PROFILE}/${aor}@${PROFILE}`, body, 'text/plain;charset=UTF-8'];
    const answer = await this.#job(`chat ${fields.map(escaped).join('|')}`);
    return answer === 'Sent' ? { result: 'delivered' } : { result: 'refused', status: null };
  }

  /** Handles BACKGROUND_JOB. */
  jobEnded(event: EslEvent): void {
    this.#pending.get(event['Job-UUID'] ?? '')?.resolve((event._body ?? '').trim());
  }

  /** The connection is lost: nobody learns any more what the phones answer. */
  connectionLost(): void {
    for (const { reject } of [...this.#pending.values()]) reject(unknown('the connection was lost'));
  }

  async #job(command: string): Promise<string> {
    const jobId = newId();
    const answered = new Promise<string>((resolve, reject) => this.#pending.set(jobId, { resolve, reject }));
    answered.catch(() => undefined);
    const timer = setTimeout(() => this.#pending.get(jobId)?.reject(unknown('no report')), ANSWERED_WITHIN_MS);
    try {
      await startJob(this.link, jobId, command, 'the text');
      return await answered;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(jobId);
    }
  }
}

function unknown(why: string): EngineError {
  return new EngineError('indeterminate', `The outcome of a text is unknown: ${why}`);
}

/** Of a field between bars (switch_separate_string): one line, and blanks at its ends stay. */
function escaped(field: string): string {
  return field
    .replace(/[\\'"|]/g, '\\$&')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replace(/^ | $/g, '\\s');
}
