import { LONGEST_TEXT_BYTES, type ReceivedText } from '../../core/model/messaging/softphone-text.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { SipMemory } from '../../core/ports/sip/memory.js';
import type { SipRequest } from '../message/request.js';

export interface TextAdmissionOptions {
  /** Resolves once the text cannot be lost. A repetition changes nothing. */
  readonly store: (text: ReceivedText) => Promise<void>;
  readonly memory: Pick<SipMemory, 'count'>;
}

const MINUTE_MS = 60_000;
const MOST_IN_A_MINUTE = 60;
/** Text in an encoding that is read as UTF-8. */
const PLAIN = /^text\/plain\s*(;\s*charset\s*=\s*"?(utf-8|us-ascii)"?\s*)?$/i;

/** Decides on a MESSAGE of an authenticated softphone (RFC 3428 §7): what is accepted is stored, and sent later. */
export class TextAdmission {
  constructor(private readonly options: TextAdmissionOptions) {}

  async admit(request: SipRequest, aor: string): Promise<void> {
    const { store, memory } = this.options;
    const { headers, body, uri } = request;
    const target = parseSipUri(uri)?.user ?? null;
    if (target === null) request.answer(404);
    else if (!PLAIN.test((headers.first('content-type') ?? '').trim())) {
      request.answer(415, { headers: { Accept: 'text/plain' } });
    } else if (body.trim() === '') request.answer(400, { reason: 'Empty Message' });
    else if (Buffer.byteLength(body) > LONGEST_TEXT_BYTES) request.answer(413);
    else if ((await memory.count(`texts:${aor}`, MINUTE_MS)) > MOST_IN_A_MINUTE) {
      request.answer(480, { reason: 'Too Many Messages', headers: { 'Retry-After': String(MINUTE_MS / 1_000) } });
    } else {
      await store({ aor, target, body, callId: headers.first('call-id') });
      request.answer(202);
    }
  }
}
