import type { SipContactRow } from '../../core/data/rows.js';
import type { Headers } from '../message/headers.js';
import type { HeaderFields } from '../message/request.js';

/**
 * The fields of a 200 to a REGISTER: every contact with the time that it has left, and what the phone asked for (RFC
 * 3261 §10.3, RFC 3327 §5.3, RFC 5626 §6, RFC 5627 §5).
 * @param domain in the address of one phone (GRUU)
 */
export function registeredFields(
  contacts: readonly SipContactRow[],
  headers: Headers,
  now: Date,
  domain: string,
): HeaderFields {
  const hasGruu = headers.hasToken('supported', 'gruu');
  const hasFlow = headers.hasToken('supported', 'outbound') && /;\s*reg-id=/i.test(headers.first('contact') ?? '');
  const path = headers.hasToken('supported', 'path') ? headers.all('path') : [];
  return {
    ...(contacts.length > 0 && { Contact: contacts.map((row) => contactField(row, now, hasGruu ? domain : null)) }),
    ...(path.length > 0 && { Path: path }),
    ...(hasFlow && { Require: 'outbound', Supported: 'path, outbound, gruu' }),
    ...(!hasFlow && { Supported: 'path, outbound, gruu' }),
    Date: now.toUTCString(),
  };
}

function contactField(row: SipContactRow, now: Date, domain: string | null): string {
  const left = Math.max(1, Math.round((row.expires_at.getTime() - now.getTime()) / 1000));
  const parts = [`<${row.uri}>`, `expires=${left}`];
  if (row.instance !== null) {
    parts.push(`+sip.instance="${row.instance}"`);
    const [, flow = '0'] = row.key.split(' ');
    if (flow !== '0') parts.push(`reg-id=${flow}`);
    const name = gruuOf(row.instance);
    if (domain !== null && name !== null) parts.push(`pub-gruu="sip:${row.aor}@${domain};gr=${name}"`);
  }
  return parts.join(';');
}

/** The `gr` parameter that names an instance (RFC 5627 §3.2); null if the instance is no URN. */
export function gruuOf(instance: string): string | null {
  return /^<(urn:[\w:.-]+)>$/.exec(instance)?.[1] ?? null;
}
