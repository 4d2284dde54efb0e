import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import type { Cipher } from '../../model/access/cipher.js';
import { fullNumber } from '../../model/phone-numbers.js';
import { isoTime } from '../../model/time.js';
import { withCustomerNumbers } from '../call-state/presenting/customer-number.js';
import { projectSecret } from './secret.js';
import { atMost } from '../../model/cache-size.js';

/** The body of a webhook message (Standard Webhooks). */
export interface EventBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: unknown;
}

/** A project's signing secret, encrypted, and the kind of the messages that it signs. */
interface ProjectSecret {
  readonly signing_secret: string;
  readonly sandbox: boolean;
}

/** Builds the body of an event. */
export function eventBody(event: {
  readonly type: string;
  readonly created_at: Date;
  readonly data: unknown;
}): EventBody {
  return { type: event.type, timestamp: isoTime(event.created_at), data: event.data };
}

/**
 * Builds the body's text for one receiver. `data` is the JSON text stored in the database, so that the bytes are the
 * same in each attempt. An event of a call also says which event of that call the receiver got before.
 */
export function eventText(event: {
  readonly type: string;
  readonly created_at: Date;
  readonly data: string;
  /** Null for an event of no call. */
  readonly sequence: number | null;
  readonly previous_sequence: number | null;
}): string {
  const previous = event.sequence === null ? '' : `"previous_sequence":${event.previous_sequence},`;
  return `{"type":${JSON.stringify(event.type)},"timestamp":"${isoTime(event.created_at)}",${previous}"data":${event.data}}`;
}

/**
 * Returns an event's data, as JSON text, with the full number of its call's customer.
 * @param customerNumber as it is stored
 */
export function unmaskedData(data: string, customerNumber: string | null): string {
  const number = fullNumber(customerNumber ?? '');
  return JSON.stringify(withCustomerNumbers(JSON.parse(data), () => number));
}

/** Signs messages with encrypted secrets (Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`). */
export class MessageSigner {
  /** Cached, because decrypting a secret costs more than signing with it. */
  readonly #signers = new LRUCache<string, Webhook>(atMost(5000));

  constructor(private readonly cipher: Cipher) {}

  /**
   * Builds the headers of one message.
   * @param secrets encrypted; the first is the current one, the others are being rotated out and also sign.
   */
  headers(id: string, body: string, at: Date, secrets: readonly string[]): Record<string, string> {
    return headersOf(
      id,
      body,
      at,
      secrets.map((secret) => this.#signer(secret, false)),
    );
  }

  /** Builds the headers of one message that no endpoint receives, signed with the project's secret for its kind. */
  projectHeaders(id: string, body: string, at: Date, secret: ProjectSecret): Record<string, string> {
    return headersOf(id, body, at, [this.#signer(secret.signing_secret, secret.sandbox)]);
  }

  #signer(sealed: string, sandbox: boolean): Webhook {
    const name = `${sandbox} ${sealed}`;
    let signer = this.#signers.get(name);
    if (!signer) {
      signer = new Webhook(projectSecret(this.cipher.open(sealed), sandbox));
      this.#signers.set(name, signer);
    }
    return signer;
  }
}

function headersOf(id: string, body: string, at: Date, signers: readonly Webhook[]): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Hatif-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, at, body)).join(' '),
  };
}
