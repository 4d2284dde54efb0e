import { createHmac, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Cipher } from '../../model/access/cipher.js';
import { fullNumber } from '../../model/phone-numbers.js';
import { isoTime } from '../../model/time.js';
import { withCustomerNumbers } from '../call-state/presenting/customer-number.js';
import { projectSecret, signingKeyOf } from './secret.js';
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

/**
 * Signs messages with encrypted secrets (Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`). The library for that
 * computes the hash in JavaScript, which takes several times longer; the tests verify every message with it.
 */
export class MessageSigner {
  /** Cached, because decrypting a secret costs more than signing with it. */
  readonly #keys = new LRUCache<string, KeyObject>(atMost(5000));

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
      secrets.map((secret) => this.#key(secret, false)),
    );
  }

  /** Builds the headers of one message that no endpoint receives, signed with the project's secret for its kind. */
  projectHeaders(id: string, body: string, at: Date, secret: ProjectSecret): Record<string, string> {
    return headersOf(id, body, at, [this.#key(secret.signing_secret, secret.sandbox)]);
  }

  #key(sealed: string, sandbox: boolean): KeyObject {
    const name = `${sandbox} ${sealed}`;
    let key = this.#keys.get(name);
    if (!key) {
      key = signingKeyOf(projectSecret(this.cipher.open(sealed), sandbox));
      this.#keys.set(name, key);
    }
    return key;
  }
}

function headersOf(id: string, body: string, at: Date, keys: readonly KeyObject[]): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const signed = keys.map((key) => createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64'));
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Hatif-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signed.map((signature) => `v1,${signature}`).join(' '),
  };
}
