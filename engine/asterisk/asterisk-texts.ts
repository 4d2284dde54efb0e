import { sipUserOf, type SoftphoneText, type TextResult } from '../../core/model/messaging/softphone-text.js';
import type { Texts } from '../../core/ports/engine.js';
import { isGone, type AriHttp } from './ari/ari-http.js';
import type { AriEndpoint } from './ari/ari-types.js';
import type { EngineLink } from './ari/engine-link.js';

/**
 * ARI takes a text for an endpoint and reports neither what the phone answers nor, in Asterisk 22, that it has no contact:
 * the endpoint's state is asked first.
 */
export class AsteriskTexts implements Texts {
  constructor(
    private readonly http: AriHttp,
    private readonly link: EngineLink,
  ) {}

  async send({ aor, from, body }: SoftphoneText): Promise<TextResult> {
    this.link.require();
    const endpoint = `/endpoints/PJSIP/${encodeURIComponent(aor)}`;
    if (!(await this.#isOnline(endpoint))) return { result: 'not_registered' };
    // Only the user part: Asterisk then takes its own address as the host.
    await this.http.send('PUT', `${endpoint}/sendMessage`, { body: { from: sipUserOf(from), body }, once: true });
    return { result: 'passed_on' };
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
