import type { WebSessionRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { newWebAor, type WebRights } from '../../../core/model/web-calling.js';
import type { Ground } from './rows.js';

const HOUR_MS = 3_600_000;
const ALLOWED: WebRights = {
  incoming: true,
  outgoing: ['number', 'agent', 'queue', 'callflow'],
  numbers: null,
  caller_id_number: null,
};

/** A session whose browser has SIP credentials and may do everything. */
export function webSessionRow(
  { organizationId, projectId }: Pick<Ground, 'organizationId' | 'projectId'>,
  { rights, ...changes }: Partial<Omit<WebSessionRow, 'rights'>> & { readonly rights?: Partial<WebRights> } = {},
): WebSessionRow {
  const now = new Date();
  return {
    id: newId(),
    organization_id: organizationId,
    project_id: projectId,
    sandbox: false,
    identity: 'reem',
    agent: null,
    display_name: 'Reem',
    rights: { ...ALLOWED, ...rights },
    require_relay: false,
    metadata: {},
    aor: newWebAor(),
    sip_password: 'sealed',
    created_at: now,
    connected_at: now,
    expires_at: new Date(now.getTime() + HOUR_MS),
    ended_at: null,
    end_reason: null,
    calls_ended_at: null,
    ...changes,
  };
}
