import type { EngineWithLease } from '../../data/repositories/engines/engines.js';
import type { SoftphonePlace } from '../../data/repositories/engines/registrations.js';
import type { WebSessionOwner, WebSessions } from '../../data/repositories/web-calling/sessions.js';
import type { OrganizationRow, WebSessionRow } from '../../data/rows.js';
import { isOriginAllowed } from '../../model/access/origin.js';
import { webSocketOf } from '../../model/engine-kinds.js';
import { detailOf, HatifError } from '../../model/errors/index.js';
import { flagOff } from '../../model/flags.js';
import { isId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import { assertActive } from '../access/suspension.js';
import type { EngineSoftphones } from '../provisioning/softphones.js';
import { browserSoftphone } from './browser-softphone.js';
import { assertOpen } from './sessions.js';

/** A WebSocket of an engine, or of the SIP edge. */
export interface WayIn {
  readonly url: string;
  /**
   * Gives the engine the browser's account unless it has it.
   * @returns whether the engine has it; false also if it does not say so within two seconds
   */
  readonly prepare: () => Promise<boolean>;
}

export interface WebSocketWayOptions {
  readonly sessions: Pick<WebSessions, 'withOwner' | 'over'>;
  readonly engines: () => Promise<readonly EngineWithLease[]>;
  readonly softphones: Pick<EngineSoftphones, 'acceptAt'>;
  /** The WebSocket of the SIP edge, in place of those of engines; empty if it has none. Null without an edge. */
  readonly edge: readonly string[] | null;
  readonly placesOf: (aor: string) => Promise<readonly SoftphonePlace[]>;
  /** Whether the organization has web calling. */
  readonly isOn: (organization: OrganizationRow) => boolean;
  readonly clock: Pick<Clock, 'now'>;
}

const PREPARE_MS = 2_000;

/** Decides which browsers may speak SIP with which engines. */
export class WebSocketWay {
  constructor(private readonly options: WebSocketWayOptions) {}

  /**
   * The WebSocket of the SIP edge, or those of the engines that a browser may use, the best first: where it is
   * registered, otherwise always the same order, so that it comes back to its engine.
   * @param origin the page that asks; null if none does, or one that may use every project
   * @throws HatifError WCS_NOT_FOUND, WEB_CALLING_DISABLED, INSUFFICIENT_PERMISSIONS, ORIGIN_NOT_ALLOWED, WCS_EXPIRED,
   * WCS_REVOKED, WEBRTC_PROVISIONING_FAILED
   */
  async of(sessionId: string, origin: string | null): Promise<readonly WayIn[]> {
    const { sessions, isOn, clock } = this.options;
    const known = isId(sessionId) ? await sessions.withOwner(sessionId) : null;
    if (!known) throw new HatifError('WCS_NOT_FOUND', { session: sessionId });
    assertUsable(known, origin, isOn);
    assertOpen(known.session, clock.now());
    if (known.session.sandbox) throw new HatifError('WEBRTC_PROVISIONING_FAILED', {}, SANDBOX);
    const ways = this.options.edge?.map(ready) ?? (await this.#enginesOf(known.session));
    if (ways.length === 0) throw new HatifError('WEBRTC_PROVISIONING_FAILED');
    return ways;
  }

  /** Of these sessions, those whose browsers must go. */
  over(sessionIds: readonly string[]): Promise<readonly string[]> {
    return this.options.sessions.over(sessionIds, this.options.clock.now());
  }

  async #enginesOf(session: WebSessionRow): Promise<WayIn[]> {
    const { aor, connected_at } = session;
    const [engines, places] = await Promise.all([this.options.engines(), this.options.placesOf(aor)]);
    const usable = engines
      .filter(({ leased, status, sip_status }) => leased && status === 'up' && sip_status !== 'down')
      .flatMap((engine) => {
        const url = webSocketOf(engine);
        const isHere = places.some(({ engine_id }) => engine_id === engine.id);
        if (url === null) return [];
        // Before it is connected, no browser has the account.
        const isReady = isHere || connected_at === null;
        const way = isReady ? ready(url) : { url, prepare: () => this.#prepare(engine, session) };
        return [{ way, isHere, rank: scramble(aor + engine.id) }];
      });
    return usable.sort((a, b) => Number(b.isHere) - Number(a.isHere) || a.rank - b.rank).map(({ way }) => way);
  }

  /** An engine that was away when the browser got its account, or whose process has just changed, may not have it yet. */
  #prepare({ id, name }: EngineWithLease, session: WebSessionRow): Promise<boolean> {
    return this.options.softphones.acceptAt({ id, name }, browserSoftphone(session), PREPARE_MS);
  }
}

/** A page of this organization may use web calling. @throws HatifError */
export function assertUsable(
  { organization, project, session }: WebSessionOwner,
  origin: string | null,
  isOn: WebSocketWayOptions['isOn'],
): void {
  if (!isOn(organization)) throw flagOff('web_calling', '');
  assertActive(organization);
  if (origin !== null && !isOriginAllowed(origin, [...project.allowed_origins, ...(session.rights.origins ?? [])])) {
    throw new HatifError('ORIGIN_NOT_ALLOWED', { origin });
  }
}

/**
 * A way that needs no preparation: the browser is registered there, the SIP edge looks its account up in the tables, or no
 * browser has the account yet.
 */
function ready(url: string): WayIn {
  return { url, prepare: () => Promise.resolve(true) };
}

const SANDBOX = {
  details: [
    detailOf('session', {
      en: 'a session of the sandbox reaches no engine',
      ar: 'لا تصل جلسة البيئة التجريبية إلى أي محرّك صوت',
    }),
  ],
};

/** A different order of the engines for each browser. */
function scramble(text: string): number {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hash;
}
