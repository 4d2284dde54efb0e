import { randomInt } from 'node:crypto';
import type { IdentityState } from '../../../core/model/accounts/national-id.js';
import { ask, type Answer } from '../api.js';
import { signedNotice, type NoticeChanges } from './notice.js';
import { SignedPeer } from './signed-peer.js';

interface ServiceVerification {
  readonly id: string;
  readonly national_id: string;
  readonly locale: string;
  readonly match_number: string;
  readonly expires_at: string;
  state: IdentityState;
  reason: string | null;
}

/** A national identity service that follows docs/reference/accounts/national-identity.md. The test answers for the person. */
export class IdentityPeer extends SignedPeer {
  readonly verifications = new Map<string, ServiceVerification>();
  /** Methods and ids of the requests: `PUT …`, `GET …`, in order. */
  readonly asked: string[] = [];
  /** Differences from correct answers, for the requests to come. */
  spoil: object = {};

  static start(secret: string): Promise<IdentityPeer> {
    return new IdentityPeer(secret).listen();
  }

  /** The person confirms the number in the app. */
  confirm(id: string): void {
    this.#verification(id).state = 'verified';
  }

  /** The person or the service declines. */
  reject(id: string, reason: string | null = null): void {
    Object.assign(this.#verification(id), { state: 'rejected', reason });
  }

  /** The service says that the time is over. */
  expire(id: string): void {
    this.#verification(id).state = 'expired';
  }

  /** Sends the platform a notice about a verification. @param apiUrl of the platform */
  notify(apiUrl: string, id: string, changes: NoticeChanges = {}): Promise<Answer> {
    const [headers, body] = this.notice(id, changes);
    return ask(apiUrl, 'POST', '/v1/national-id/webhook', { raw: body.toString('utf8'), headers });
  }

  /** A notice: the headers with the signature, and the body. */
  notice(id: string, changes: NoticeChanges = {}): [headers: Record<string, string>, body: Buffer] {
    const data = changes.data ?? shown(this.#verification(id));
    return signedNotice({ secret: this.secret, type: 'verification.updated', data }, changes);
  }

  protected override do(method: string, { pathname }: URL, body: string): readonly [number, object] {
    const [, id = ''] = /^\/api\/verifications\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
    this.asked.push(`${method} ${id}`);
    const known = this.verifications.get(id);
    if (known) return [200, { ...shown(known), ...this.spoil }];
    if (method !== 'PUT') return [404, { error: 'not_found' }];
    const { national_id, locale } = JSON.parse(body) as { national_id: string; locale: string };
    const verification: ServiceVerification = {
      ...{ id, national_id, locale, state: 'pending', reason: null },
      match_number: String(randomInt(10, 100)),
      expires_at: new Date(Date.now() + 180_000).toISOString(),
    };
    this.verifications.set(id, verification);
    return [201, { ...shown(verification), ...this.spoil }];
  }

  #verification(id: string): ServiceVerification {
    const verification = this.verifications.get(id);
    if (!verification) throw new Error(`the identity service has no verification ${id}`);
    return verification;
  }
}

function shown({ id, state, match_number, expires_at, reason }: ServiceVerification): object {
  return { id, state, match_number, expires_at, reason };
}
