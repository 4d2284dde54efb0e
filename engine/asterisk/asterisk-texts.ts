import { sipUserOf, type SoftphoneText, type TextResult } from '../../core/model/messaging/softphone-text.js';
import type { Texts } from '../../core/ports/engine.js';
import type { EngineEvent } from '../../core/ports/engine-events.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import type { AriEndpoint, AriEvent } from './ari/ari-types.js';
import type { EngineLink } from './ari/engine-link.js';
import { RESERVED_PREFIX } from './sip/pjsip-objects.js';

/**
 * ARI takes a text for an endpoint and reports neither what the phone answers nor, in Asterisk 22, that it has no contact:
 * the endpoint's state is asked first.
 */
export class AsteriskTexts implements Texts {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
    private readonly emit: (event: EngineEvent) => void,
  ) {}

  async send({ aor, from, body }: SoftphoneText): Promise<TextResult> {
    this.link.require();
    const endpoint = `/endpoints/PJSIP/${encodeURIComponent(aor)}`;
    if (!(await this.#isOnline(endpoint))) return { result: 'not_registered' };
    // Only the user part: Asterisk then takes its own address as the host.
    await this.http.send('PUT', `${endpoint}/sendMessage`, { body: { from: sipUserOf(from), body }, once: true });
    return { result: 'passed_on' };
  }

  /**
   * Handles TextMessageReceived, which Asterisk sends for an endpoint that has authenticated the message. It has answered
   * 202 then, and has dropped a text of more than 1,023 bytes.
   */
  onEvent({ endpoint, message }: AriEvent): void {
    if (!endpoint || !message || endpoint.resource.startsWith(RESERVED_PREFIX)) return;
    const { to, body, variables } = message;
    const callId = callIdIn(variables);
    this.emit({ type: 'text.received', aor: endpoint.resource, target: userOf(to), body, callId });
  }

  async #isOnline(endpoint: string): Promise<boolean> {
    try {
      return (await this.http.send<AriEndpoint>('GET', endpoint)).state === 'online';
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }
}

/** @param to `pjsip:1002@192.0.2.1`, with what else is in a To header */
function userOf(to: string): string {
  const user = /sips?:([^@>;]*)@/.exec(to)?.[1] ?? '';
  try {
    return decodeURIComponent(user);
  } catch {
    return user;
  }
}

/** The variables are an object, or in earlier versions a list of objects with one member each. */
function callIdIn(variables: unknown): string | null {
  const objects: readonly unknown[] = Array.isArray(variables) ? variables : [variables];
  for (const one of objects) {
    const callId = (one as Readonly<Record<string, unknown>> | null | undefined)?.['Call-ID'];
    if (typeof callId === 'string') return callId;
  }
  return null;
}
