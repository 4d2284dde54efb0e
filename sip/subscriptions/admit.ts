import { SIP_PACKAGES, type SipPackage } from '../../core/model/sip-edge.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { SipRequest } from '../message/request.js';

export interface AdmissionOptions {
  /**
   * The softphone that a softphone may watch by this name: its own, or one of a colleague in its project, by extension
   * or AOR. Null if there is none.
   */
  readonly watched: (aor: string, name: string) => Promise<string | null>;
  /** Passes a subscription on to where the edge serves it. */
  readonly pass: (request: SipRequest, subscription: AdmittedSubscription) => Promise<void>;
}

export interface AdmittedSubscription {
  readonly aor: string;
  readonly target: string;
  readonly package: SipPackage;
}

/** Decides on a SUBSCRIBE of an authenticated softphone (RFC 6665 §4.2). */
export class SubscriptionAdmission {
  constructor(private readonly options: AdmissionOptions) {}

  async admit(request: SipRequest, aor: string): Promise<void> {
    const name = packageOf(request.headers.first('event') ?? '');
    if (name === null) {
      request.answer(489, { reason: 'Bad Event', headers: { 'Allow-Events': SIP_PACKAGES.join(', ') } });
      return;
    }
    const user = parseSipUri(request.uri)?.user ?? aor;
    const target = await this.options.watched(aor, user);
    // Messages are nobody else's business.
    if (target === null || (name === 'message-summary' && target !== aor)) request.answer(404);
    else await this.options.pass(request, { aor, target, package: name });
  }
}

/** Null for a package that the edge does not have. */
export function packageOf(event: string): SipPackage | null {
  const [name = ''] = event.split(';');
  return SIP_PACKAGES.find((known) => known === name.trim().toLowerCase()) ?? null;
}
