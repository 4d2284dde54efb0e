import { smsParts, smsSegments, type ReferenceBytes } from '../../../core/model/messaging/sms-text.js';
import { isSenderName } from '../../../core/model/messaging/sender.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import type {
  ChannelListener,
  MessageChannel,
  OutgoingMessage,
  SubmitOutcome,
} from '../../../core/ports/messaging/message-channel.js';
import { SmppBind, type SmppBindOptions } from './smpp/bind.js';
import { isThrottled, OK, refusalOf, TEMPORARY_FAULT } from './smpp/codes.js';
import { isReceipt, readReceipt } from './smpp/receipt.js';
import type { PduFields, SmppPdu } from './smpp/session.js';
import { HAS_HEADER, partHeader, readText, UCS2 } from './smpp/user-data.js';

/** How a text that is too long for one message is submitted. */
export type LongMessages = 'udh8' | 'udh16' | 'payload';

export interface SmppChannelOptions {
  readonly binds: readonly SmppBindOptions[];
  readonly longMessages: LongMessages;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listener: ChannelListener;
  /** There is room for submissions again. */
  readonly onFree: () => void;
}

/** Type of number and numbering plan (SMPP 3.4 §5.2.5 and §5.2.6). */
const INTERNATIONAL = { ton: 1, npi: 1 } as const;
const ALPHANUMERIC = { ton: 5, npi: 0 } as const;
/** Asks for a receipt of the final outcome. */
const WITH_RECEIPT = 1;

/** SMS over SMPP 3.4, over one account at an SMSC or several. */
export class SmppChannel implements MessageChannel {
  readonly channel = 'sms';
  readonly #binds: readonly SmppBind[];
  readonly #referenceBytes: ReferenceBytes;
  #turn = 0;

  constructor(private readonly options: SmppChannelOptions) {
    const { clock, log, onFree, longMessages } = options;
    this.#referenceBytes = longMessages === 'udh16' ? 2 : 1;
    this.#binds = options.binds.map((bind) => {
      return new SmppBind(bind, { clock, log, onFree, onRequest: (pdu) => this.#take(bind.name, pdu) });
    });
  }

  start(): void {
    for (const bind of this.#binds) bind.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#binds.map((bind) => bind.stop()));
  }

  isConfigured(): Promise<boolean> {
    return Promise.resolve(this.#binds.length > 0);
  }

  segments(text: string): number {
    return smsSegments(text, this.#referenceBytes);
  }

  parts(text: string): number {
    return this.options.longMessages === 'payload' ? 1 : this.segments(text);
  }

  free(): number {
    return this.#binds.reduce((sum, { free }) => sum + free, 0);
  }

  window(): number {
    return this.#binds.reduce((sum, { window }) => sum + window, 0);
  }

  async submit(message: OutgoingMessage, part: number): Promise<SubmitOutcome> {
    const bind = this.#next();
    if (!bind) return { kind: 'not_submitted' };
    const answer = await bind.submit(this.#fields(message, part));
    if (answer.kind === 'not_sent') return { kind: 'not_submitted' };
    if (answer.kind === 'unanswered') return { kind: 'unknown', provider: null, providerId: null };
    const { command_status: status, message_id: providerId = '' } = answer.pdu;
    if (isThrottled(status)) return { kind: 'not_submitted' };
    if (status !== OK) return { kind: 'refused', ...refusalOf(status) };
    return { kind: 'accepted', provider: bind.options.name, providerId };
  }

  /** The binds take turns. */
  #next(): SmppBind | null {
    const first = this.#turn++ % Math.max(1, this.#binds.length);
    const inTurn = [...this.#binds.slice(first), ...this.#binds.slice(0, first)];
    return inTurn.find((bind) => bind.free > 0) ?? null;
  }

  #fields({ id, to, from, text, validUntil }: OutgoingMessage, part: number): PduFields {
    const source = from === null ? null : isSenderName(from) ? ALPHANUMERIC : INTERNATIONAL;
    const { encoding, parts } = smsParts(text, this.#referenceBytes);
    const isWhole = this.options.longMessages === 'payload' && parts.length > 1;
    const hasHeader = parts.length > 1 && !isWhole;
    const body = parts[part - 1] ?? Buffer.alloc(0);
    const reference = Number.parseInt(id.replaceAll('-', '').slice(-4), 16);
    return {
      source_addr_ton: source?.ton ?? 0,
      source_addr_npi: source?.npi ?? 0,
      source_addr: from?.replace(/^\+/, '') ?? '',
      dest_addr_ton: INTERNATIONAL.ton,
      dest_addr_npi: INTERNATIONAL.npi,
      destination_addr: to.replace(/^\+/, ''),
      esm_class: hasHeader ? HAS_HEADER : 0,
      registered_delivery: WITH_RECEIPT,
      data_coding: encoding === 'ucs2' ? UCS2 : 0,
      ...(validUntil && { validity_period: validUntil }),
      ...(isWhole
        ? { short_message: Buffer.alloc(0), message_payload: Buffer.concat(parts) }
        : {
            short_message: hasHeader
              ? Buffer.concat([partHeader(this.#referenceBytes, reference, parts.length, part), body])
              : body,
          }),
    };
  }

  /** @returns the command status of the response: an SMSC sends again what was not stored */
  async #take(provider: string, pdu: SmppPdu): Promise<number> {
    const { listener, log } = this.options;
    try {
      if (isReceipt(pdu)) {
        const receipt = readReceipt(pdu, provider);
        if (receipt) await listener.receipt({ ...receipt, recipient: e164(receipt.recipient) });
      } else if (pdu.source_addr && pdu.destination_addr) {
        const addresses = { from: e164(pdu.source_addr) ?? '', to: e164(pdu.destination_addr) ?? '' };
        await listener.incoming({ channel: 'sms', provider, ...addresses, ...readText(pdu) });
      }
      return OK;
    } catch (err) {
      log.warn({ err, bind: provider }, 'an incoming PDU could not be stored; the SMSC sends it again');
      return TEMPORARY_FAULT;
    }
  }
}

/** An address of digits in E.164. Others, such as names, stay. */
function e164(address: string | null): string | null {
  return address !== null && /^\d{5,15}$/.test(address) ? `+${address}` : address;
}
