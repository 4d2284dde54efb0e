import type { Logger } from '../../core/ports/logger.js';
import type { SipMemory, SipNotice } from '../../core/ports/sip/memory.js';
import type { HeaderFields, SipTarget } from '../message/request.js';
import type { Location } from '../registrar/location.js';
import { targetOf } from './targets.js';

/** Long enough for every process to have heard the notice. */
const ONE_PROCESS_MS = 60_000;

export interface WaitingMessagesOptions {
  readonly location: Pick<Location, 'of'>;
  readonly memory: Pick<SipMemory, 'count'>;
  readonly send: (method: string, target: SipTarget, headers: HeaderFields, body: string) => Promise<number | null>;
  readonly log: Logger;
}

/** Shows waiting messages on phones, for every engine (NOTIFY `message-summary` without a subscription, RFC 3842). */
export class WaitingMessages {
  constructor(private readonly options: WaitingMessagesOptions) {}

  async show({ id, aor, fresh, heard }: Extract<SipNotice, { type: 'messages' }>): Promise<void> {
    const { location, memory, send, log } = this.options;
    // Every process hears the notice; the first one sends it.
    if ((await memory.count(`messages:${id}`, ONE_PROCESS_MS)) > 1) return;
    const body = [`Messages-Waiting: ${fresh > 0 ? 'yes' : 'no'}`, `Voice-Message: ${fresh}/${heard} (0/0)`, ''];
    const headers = {
      Event: 'message-summary',
      'Subscription-State': 'active',
      'Content-Type': 'application/simple-message-summary',
    };
    for (const row of await location.of(aor)) {
      const status = await send('NOTIFY', targetOf(row), headers, body.join('\r\n'));
      if (status === null || status >= 300) log.info({ aor, status }, 'a phone does not show its waiting messages');
    }
  }
}
