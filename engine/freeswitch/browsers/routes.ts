import { isWebAor } from '../../../core/model/web-calling.js';
import type { EslEvent } from '../esl/esl-connection.js';
import type { EslLink } from '../esl/esl-link.js';

/** Reports that a phone's re-INVITE was answered. */
export const REINVITED = 'sofia::reinvite';

/** Variables of a leg: the browser that it was dialled to, and where the browser's WebSocket is now. */
const BROWSER = 'hatif_browser';
const PLACE = 'hatif_browser_at';

export interface BrowserRoutesOptions {
  readonly link: Pick<EslLink, 'api'>;
  /** The variables of a channel; null if it is gone. */
  readonly dumpOf: (channelId: string) => Promise<EslEvent | null>;
  /** The contacts of a browser, as `sofia_contact` prints them. */
  readonly contactOf: (aor: string) => Promise<string>;
}

/**
 * Keeps calls reachable whose browser comes back on another WebSocket. FreeSWITCH sends all requests of a call to the
 * WebSocket by which the call was set up, whatever the browser's re-INVITE comes by (signalwire/freeswitch#2567): the
 * other side's hang-up would be lost, and a call whose session it refreshes would end. It takes another way only with a
 * re-INVITE of its own.
 */
export class BrowserRoutes {
  constructor(private readonly options: BrowserRoutesOptions) {}

  /** Called after each re-INVITE of a phone: a browser that is back sends one, once it has registered. */
  async check(channelId: string): Promise<void> {
    const dump = await this.options.dumpOf(channelId);
    if (dump) await this.renew(channelId, dump);
  }

  /** Called for a channel that may have missed it, because no process was connected. */
  async renew(channelId: string, dump: EslEvent): Promise<void> {
    const leg = dump['Answer-State'] === 'answered' ? browserOf(dump) : null;
    if (leg === null) return;
    const { link, contactOf } = this.options;
    const place = placeOf(await contactOf(leg.aor));
    if (place === null || place === leg.place) return;
    await link.api(`uuid_setvar ${channelId} ${PLACE} ${place}`);
    await link.api(`uuid_setvar ${channelId} sip_route_uri sip:${place};transport=ws`);
    await link.api(`uuid_media_reneg ${channelId}`);
  }
}

/** Variables of a leg that is dialled to a browser's WebSocket. @param contact as `sofia_contact` prints it */
export function routeVariables(aor: string, contact: string): Record<string, string> {
  const place = placeOf(contact);
  return place === null ? {} : { [BROWSER]: aor, [PLACE]: place };
}

/** The browser of a leg over WebSocket, and where requests of this call reach it; null for any other leg. */
function browserOf(dump: EslEvent): { readonly aor: string; readonly place: string } | null {
  const dialled = dump[`variable_${BROWSER}`];
  const caller = /^wss?$/.test(dump.variable_sip_via_protocol ?? '') ? dump.variable_sip_auth_username : undefined;
  const aor = dialled ?? caller ?? '';
  if (!isWebAor(aor)) return null;
  const { variable_sip_received_ip: host = '', variable_sip_received_port: port = '' } = dump;
  return { aor, place: dump[`variable_${PLACE}`] ?? `${host.includes(':') ? `[${host}]` : host}:${port}` };
}

/** The far end of the WebSocket of a contact, as host and port; null if it has none. */
function placeOf(contact: string): string | null {
  const path = /;fs_path=([\w.~%[\]:-]+)/.exec(contact)?.[1];
  return /^sip:(?:[^@]*@)?(\[[\da-f:.]+\]:\d+|[\d.]+:\d+)(?:;|$)/i.exec(decoded(path ?? ''))?.[1] ?? null;
}

function decoded(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
}
