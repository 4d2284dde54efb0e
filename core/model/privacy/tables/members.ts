import type { TableRule } from './table-rule.js';

/** Members of organizations, and how they sign in. */
export const MEMBER_DATA = {
  users: {
    end: 'deleted',
    personal: {
      id: 'shown deleted',
      email: 'shown deleted',
      name: 'shown deleted',
      phone: 'shown deleted',
      agent: 'shown deleted',
      locale: 'shown deleted',
      role: 'shown deleted',
    },
    secrets: 'password_hash',
  },
  sessions: {
    end: 'deleted',
    personal: { user_id: 'shown deleted', ip: 'shown deleted', user_agent: 'shown deleted' },
    others: 'client revoked_reason',
  },
  session_tokens: { end: 'deleted', secrets: 'hash', others: 'kind' },
  user_tokens: {
    end: 'deleted',
    personal: { user_id: 'internal deleted', data: 'internal deleted' },
    secrets: 'hash',
    others: 'purpose',
  },
  totp_factors: { end: 'deleted', personal: { user_id: 'internal deleted' }, secrets: 'secret pending' },
  recovery_codes: { end: 'deleted', personal: { user_id: 'internal deleted' }, secrets: 'hash' },
  passkeys: {
    end: 'deleted',
    personal: { user_id: 'internal deleted', name: 'shown deleted' },
    secrets: 'credential_id public_key',
    others: 'transports',
  },
  passkey_challenges: { end: 'deleted', personal: { user_id: 'internal deleted' }, secrets: 'challenge' },
  pending_phones: { end: 'deleted', personal: { user_id: 'internal deleted', phone: 'shown deleted' } },
  identity_verifications: {
    end: 'deleted',
    personal: { user_id: 'internal deleted', last4: 'shown deleted', match_number: 'internal deleted' },
    secrets: 'hash',
    others: 'state reason',
  },
  identities: {
    end: 'deleted',
    personal: { user_id: 'internal deleted', last4: 'shown deleted' },
    secrets: 'hash',
  },
  sso_settings: {
    end: 'deleted',
    secrets: 'client_secret',
    others: 'issuer client_id client_authentication scopes group_claim group_roles default_role',
  },
  sso_domains: { end: 'deleted', others: 'domain token verified_by' },
  sso_flows: {
    end: 'deleted',
    secrets: 'state_hash browser_hash secrets challenge',
    others: 'issuer client_id client target',
  },
  sso_codes: { end: 'deleted', personal: { user_id: 'internal deleted' }, secrets: 'hash challenge' },
  sso_identities: {
    end: 'deleted',
    personal: { user_id: 'internal deleted', issuer: 'shown deleted', subject: 'shown deleted' },
  },
  scim_tokens: { end: 'deleted', secrets: 'hash', others: 'prefix keys_of_leavers' },
  scim_users: {
    end: 'deleted',
    personal: {
      user_id: 'internal deleted',
      user_name: 'shown deleted',
      external_id: 'shown deleted',
      document: 'shown deleted',
    },
  },
  scim_groups: { end: 'deleted', others: 'display_name external_id' },
  scim_group_members: { end: 'deleted', personal: { user_id: 'internal deleted' } },
  invites: {
    end: 'deleted',
    personal: { email: 'shown deleted', invited_by: 'internal emptied', agent: 'internal deleted' },
    secrets: 'token_hash',
    others: 'role locale status',
  },
  signups: {
    end: 'installation',
    // Nobody has confirmed that they belong to an organization; they go within two days.
    personal: { email: 'internal expires', name: 'internal expires', organization_name: 'internal expires' },
    secrets: 'password_hash token_hash',
    others: 'locale',
  },
  owner_mails: {
    end: 'deleted',
    personal: { recipient: 'internal deleted', data: 'internal deleted' },
    others: 'kind locale',
  },
  production_requests: {
    end: 'deleted',
    personal: { company: 'internal in_use', use: 'internal in_use' },
    others: 'status commercial_registration vat_number reason',
  },
  agents: {
    end: 'deleted',
    personal: {
      agent: 'shown unlinked',
      aor: 'internal unlinked',
      display_name: 'shown emptied',
      forwarding: 'shown in_use',
    },
    secrets: 'sip_password',
    others: 'caller_id_number destination_classes skills fraud_limits',
  },
  agent_activities: {
    end: 'deleted',
    personal: { agent: 'shown unlinked', reason: 'shown unlinked' },
    others: 'kind outcome',
  },
  softphone_registrations: { end: 'deleted', personal: { aor: 'internal unlinked' } },
  sip_contacts: {
    end: 'deleted',
    personal: {
      aor: 'internal unlinked',
      agent_aor: 'internal unlinked',
      browser_aor: 'internal expires',
      key: 'internal expires',
      uri: 'internal expires',
      instance: 'internal expires',
      path: 'internal expires',
      source_host: 'internal expires',
      call_id: 'internal expires',
      user_agent: 'internal expires',
    },
    others: 'transport messages',
  },
  sip_subscriptions: {
    end: 'deleted',
    personal: {
      aor: 'internal unlinked',
      target: 'internal unlinked',
      call_id: 'internal expires',
      local: 'internal expires',
      remote: 'internal expires',
      contact: 'internal expires',
      flow: 'internal expires',
      routes: 'internal expires',
      hop_host: 'internal expires',
    },
    others: 'package event state',
  },
  queue_visits: { end: 'deleted', personal: { agent: 'internal unlinked' }, others: 'outcome' },
  queue_log: {
    end: 'deleted',
    personal: { event: 'internal unlinked', decisions: 'internal unlinked' },
  },
  queue_dispatchers: { end: 'deleted', personal: { state: 'internal unlinked' } },
  audit_log: {
    end: 'retention',
    personal: {
      user_id: 'shown audit',
      actor: 'shown audit',
      ip: 'shown audit',
      path: 'shown audit',
      details: 'shown audit',
    },
    others: 'request_id method route error_code chain_hash',
  },
  idempotency_keys: {
    end: 'retention',
    personal: { response: 'internal expires', path: 'internal expires' },
    others: 'method idempotency_key body_hmac state headers',
  },
  privacy_jobs: {
    end: 'deleted',
    // Sealed, until nothing is left to do for the person.
    personal: { subject: 'internal emptied', subject_masked: 'internal unlinked' },
    others: 'kind subject_type request_id status step cursor report problem parts',
  },
  organization_endings: {
    end: 'installation',
    others: 'organization_name requested_by request_id status step cursor report problem parts',
  },
} satisfies Readonly<Record<string, TableRule>>;
