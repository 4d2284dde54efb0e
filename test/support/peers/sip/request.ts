import type { SipContactRow } from '../../../../core/data/rows.js';
import { Headers } from '../../../../sip/message/headers.js';
import type { HeaderFields, SipAnswer, SipRequest, SipSource, SipTarget } from '../../../../sip/message/request.js';

/** What the edge did with a request. */
export type SipOutcome =
  | ({ readonly did: 'answered'; readonly status: number } & SipAnswer)
  | { readonly did: 'ignored' }
  | { readonly did: 'proxied' | 'bridged'; readonly targets: readonly SipTarget[]; readonly headers: HeaderFields };

export const PHONE: SipSource = { host: '192.0.2.10', port: 5062, transport: 'udp' };
/** The edge, as phones reach it. */
export const ROUTE = '<sip:203.0.113.5:5060;transport=udp;lr>';

/** A request that notes what the edge does with it. */
export function sipRequest(
  startLine: string,
  fields: readonly string[],
  source: SipSource = PHONE,
  body = '',
): SipRequest & { readonly outcomes: SipOutcome[] } {
  const [method = '', uri = ''] = startLine.split(' ');
  const outcomes: SipOutcome[] = [];
  const passed =
    (did: 'proxied' | 'bridged') =>
    (targets: readonly SipTarget[], headers: HeaderFields): Promise<void> => {
      outcomes.push({ did, targets, headers });
      return Promise.resolve();
    };
  return {
    ...{ method, uri, source, outcomes, body, route: ROUTE, waitedMs: 0 },
    headers: new Headers([`${startLine} SIP/2.0`, ...fields, '', ''].join('\r\n')),
    answer: (status, answer = {}) => void outcomes.push({ did: 'answered', status, ...answer }),
    ignore: () => void outcomes.push({ did: 'ignored' }),
    proxy: passed('proxied'),
    bridge: passed('bridged'),
  };
}

/** A phone of `1001` that is where it says. */
export function contactRow(changes: Partial<SipContactRow> = {}): SipContactRow {
  const uri = `sip:1001@${PHONE.host}:${PHONE.port}`;
  return {
    ...{ aor: '1001', key: uri, uri, instance: null, path: [] },
    ...{ source_host: PHONE.host, source_port: PHONE.port, transport: PHONE.transport },
    ...{ call_id: 'a', cseq: 1, user_agent: null },
    refreshed_at: new Date('2026-01-01T00:00:00.000Z'),
    expires_at: new Date('2026-01-01T00:05:00.000Z'),
    ...changes,
  };
}
