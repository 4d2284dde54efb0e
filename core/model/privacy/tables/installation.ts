import type { TableRule } from './table-rule.js';

/** The installation. */
export const INSTALLATION_DATA = {
  acme_accounts: { end: 'installation', secrets: 'key', others: 'authority' },
  acme_certificates: { end: 'installation', secrets: 'key', others: 'authority names chain failure' },
  acme_challenges: { end: 'installation', secrets: 'token answer' },
  administrators: {
    end: 'installation',
    personal: { email: 'internal operator', name: 'internal operator' },
    secrets: 'password_hash totp_secret totp_offered',
  },
  administrator_tokens: {
    end: 'installation',
    personal: { ip: 'internal operator', name: 'internal operator' },
    secrets: 'hash',
    others: 'kind prefix',
  },
  audit_chain: { end: 'installation', others: 'head_hash pruned_hash mac' },
  engines: {
    end: 'installation',
    secrets: 'password',
    others: 'name kind status boot_id version owner address sip_host ws_url sip_status',
  },
  engine_candidates: { end: 'installation', others: 'process' },
  trunks: {
    end: 'installation',
    secrets: 'password',
    others:
      'name host transport username inbound_addresses codecs dtmf_mode caller_id caller_id_number asserted_identity',
  },
  trunk_states: { end: 'installation', others: 'state' },
  // A route of an organization goes with it.
  trunk_routes: { end: 'deleted', others: 'prefix hours' },
  trunk_rates: { end: 'installation', others: 'prefix' },
  trunk_seats: { end: 'installation' },
  sip_targets: { end: 'installation', others: 'address' },
  sip_lockouts: { end: 'installation', personal: { subject: 'internal expires' }, others: 'kind reason' },
  sip_refusals: { end: 'installation', personal: { source: 'internal expires' }, others: 'reason country' },
  sip_networks: { end: 'installation', personal: { note: 'internal operator' }, others: 'network rule' },
  high_risk_prefixes: { end: 'installation', others: 'prefix note' },
  rate_plans: { end: 'installation', others: 'name' },
  rate_plan_versions: { end: 'installation' },
  rates: { end: 'installation', others: 'direction kind prefix' },
  message_rates: { end: 'installation', others: 'channel prefix' },
  number_rates: { end: 'installation', others: 'kind prefix' },
  invoice_series: { end: 'installation', others: 'series' },
  widget_proofs: { end: 'installation', others: 'challenge' },
  regular_work: { end: 'installation', others: 'name' },
} satisfies Readonly<Record<string, TableRule>>;
