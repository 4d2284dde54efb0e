import type { TableRule } from './table-rule.js';

/**
 * Every column of the database that can hold words, numbers of people or documents, and what happens to it when an
 * organization exports or erases what it holds of a person, and when the organization itself ends. A test compares this
 * table with the real schema: a new column has to be listed here first. Columns of other types (ids, times, amounts,
 * flags) identify nobody by themselves.
 *
 * The keys are names of tables; `table-rule.ts` explains the words.
 */
export const PERSONAL_DATA: Readonly<Record<string, TableRule>> = {
  // Calls
  calls: {
    end: 'cdr',
    personal: {
      customer_number: 'shown cdr',
      caller_id_number: 'shown cdr',
      caller_id_name: 'shown emptied',
      agent: 'shown unlinked',
      metadata: 'shown emptied',
      webhook_url: 'internal emptied',
      program: 'internal emptied',
      options: 'internal emptied',
    },
    others: 'kind direction status line_number disposition hangup_text request_id',
  },
  legs: {
    end: 'cdr',
    personal: { endpoint: 'internal cdr', number: 'shown cdr' },
    others: 'role status holds hangup_text quality',
  },
  charges: { end: 'cdr', personal: { number: 'shown cdr' }, others: 'direction kind' },
  call_timeline: { end: 'deleted', personal: { data: 'internal deleted' }, others: 'type' },
  transfers: {
    end: 'deleted',
    personal: { destination: 'shown emptied', agent: 'shown unlinked' },
    others: 'type status request_id',
  },
  conferences: { end: 'deleted', others: 'name' },
  conference_participants: { end: 'deleted', others: 'leg request_id' },
  recordings: {
    end: 'deleted',
    // The audio, which the archive has as a file.
    personal: { storage_key: 'shown deleted' },
    others: 'leg status storage',
  },
  recording_removals: { end: 'deleted', personal: { storage_key: 'internal deleted' }, others: 'storage' },
  transcripts: {
    end: 'deleted',
    personal: { turns: 'shown deleted' },
    others: 'status language engine problem',
  },
  voicemails: {
    end: 'deleted',
    personal: {
      from_number: 'shown deleted',
      transcription_text: 'shown deleted',
      mail_to: 'shown emptied',
    },
    others: 'number transcription_status',
  },
  voicemail_boxes: {
    end: 'deleted',
    personal: { notify_email: 'shown emptied', greeting: 'shown in_use' },
    secrets: 'pin_hash',
  },
  events: { end: 'deleted', personal: { data: 'shown deleted' }, others: 'type' },
  cdr_files: {
    end: 'cdr',
    // Numbers in these files are masked.
    personal: { storage_key: 'shown cdr' },
    others: 'sha256 storage',
  },
  refused_calls: {
    end: 'retention',
    personal: { dialled: 'shown deleted', caller_masked: 'internal expires', source_id: 'internal expires' },
    others: 'reason source',
  },
  blocked_callers: {
    end: 'deleted',
    personal: { number: 'shown block', note: 'shown emptied' },
    others: 'kind',
  },
  outside_legs: {
    end: 'deleted',
    // A digest of the number.
    personal: { number: 'internal expires', agent: 'internal unlinked' },
  },
  fraud_blocks: {
    end: 'deleted',
    personal: { number_masked: 'internal unlinked', agent: 'internal unlinked' },
    others: 'rule',
  },

  // Codes
  verifications: {
    end: 'deleted',
    personal: {
      recipient: 'shown deleted',
      number_block: 'internal deleted',
      end_user_ip: 'shown deleted',
      fallback: 'shown deleted',
    },
    others: 'channel language request_id',
  },
  verification_attempts: {
    end: 'deleted',
    personal: { recipient: 'shown deleted' },
    others: 'channel state reason',
  },
  one_time_codes: {
    end: 'deleted',
    personal: { number_block: 'internal expires' },
    secrets: 'hash',
    others: 'purpose state',
  },
  voice_auth_challenges: {
    end: 'deleted',
    personal: { number: 'shown deleted', match_number: 'internal deleted', metadata: 'shown deleted' },
    others: 'assurance language state request_id',
  },
  voice_auth_brands: { end: 'deleted', others: 'name_en name_ar status rejection_reason request_id' },

  // Numbers
  numbers: {
    end: 'released',
    personal: { e164: 'shown in_use', label: 'internal in_use', binding: 'shown in_use' },
    others: 'state kind source provider',
  },
  number_changes: { end: 'billing', others: 'from_state to_state reason' },
  virtual_numbers: {
    end: 'deleted',
    personal: {
      external_user_id: 'shown emptied',
      display_name: 'shown emptied',
      instructions: 'shown emptied',
      audio_path: 'internal emptied',
    },
    others: 'e164 status',
  },
  own_number_claims: {
    end: 'deleted',
    personal: { e164: 'shown in_use' },
    others: 'method status reason',
  },
  porting_requests: {
    end: 'deleted',
    personal: {
      numbers: 'shown in_use',
      account_name: 'shown in_use',
      account_number: 'shown in_use',
      notes: 'shown in_use',
    },
    others: 'carrier status reason',
  },
  porting_changes: { end: 'deleted', others: 'from_status to_status made_by reason' },
  number_documents: {
    end: 'deleted',
    personal: { name: 'internal in_use', storage_key: 'internal in_use' },
    others: 'kind media_type sha256 storage',
  },

  // Members and their sign-in
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
    personal: { agent: 'shown unlinked', aor: 'internal unlinked', display_name: 'shown emptied' },
    secrets: 'sip_password',
    others: 'caller_id_number destination_classes skills fraud_limits',
  },
  agent_activities: {
    end: 'deleted',
    personal: { agent: 'shown unlinked', reason: 'shown unlinked' },
    others: 'kind outcome',
  },
  softphone_registrations: { end: 'deleted', personal: { aor: 'internal unlinked' } },
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

  // The organization
  organizations: {
    end: 'billing',
    personal: { contact_email: 'shown in_use' },
    others: 'name account_kind flags',
  },
  projects: {
    end: 'billing',
    personal: { default_destination: 'shown in_use' },
    secrets: 'signing_secret',
    others: 'name main_number recording_announcement destination_classes fraud_limits',
  },
  api_keys: {
    end: 'deleted',
    personal: { created_by: 'internal emptied' },
    secrets: 'hash kept_secret',
    others: 'name kind prefix scopes allowed_ips',
  },
  callflows: { end: 'deleted', others: 'name kind status uses' },
  callflow_versions: { end: 'deleted', personal: { definition: 'shown in_use' }, others: 'name' },
  audio_files: { end: 'deleted', others: 'name' },
  queues: {
    end: 'deleted',
    personal: { overflow: 'shown in_use' },
    others: 'name dial_code strategy music_path callback_mode required_skills',
  },
  widgets: {
    end: 'deleted',
    personal: { destination: 'shown in_use' },
    others: 'key name allowed_origins language theme countries',
  },
  webhook_endpoints: {
    end: 'deleted',
    secrets: 'secret previous_secret',
    others: 'url events description status disabled_reason',
  },
  webhook_deliveries: { end: 'deleted', others: 'lane url status last_error' },
  webhook_attempts: { end: 'deleted', others: 'error' },

  // Money
  invoices: { end: 'billing', others: 'number series month seller buyer lines' },
  invoice_payments: { end: 'billing' },
  credit_notes: { end: 'billing', others: 'number series reference reason seller buyer lines' },
  payments: {
    end: 'billing',
    personal: { return_url: 'internal billing', reason: 'internal billing' },
    others: 'method status reference error_code checkout_url provider_reference request_id',
  },
  payment_refunds: { end: 'billing', others: 'reference reason' },
  ledger_accounts: { end: 'billing', others: 'type' },
  ledger_transactions: { end: 'billing', others: 'kind reference note' },
  ledger_entries: { end: 'billing' },
  billing_profiles: { end: 'billing', others: 'mode' },
  call_ratings: { end: 'cdr', others: 'lines' },
  rating_corrections: { end: 'cdr', others: 'lines' },
  unrated_calls: { end: 'cdr' },
  usage_events: { end: 'billing', others: 'event_id type' },
  usage_deltas: { end: 'billing', others: 'status direction kind' },
  usage_rollups: { end: 'billing', others: 'grain status direction kind' },
  usage_costs: { end: 'billing', others: 'status direction kind' },
  number_rentals: { end: 'billing' },
  number_fees: { end: 'billing' },
  spent_days: { end: 'billing' },
  spend_caps: { end: 'deleted' },
  spend_thresholds: { end: 'deleted', others: 'period' },
  call_holds: { end: 'deleted' },
  sandbox_trials: { end: 'deleted' },
  privacy_calls: { end: 'deleted' },

  // The installation
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
    others: 'name kind status boot_id version owner address sip_host sip_status',
  },
  engine_candidates: { end: 'installation', others: 'process' },
  trunks: { end: 'installation', secrets: 'password', others: 'name host transport username inbound_addresses' },
  trunk_states: { end: 'installation', others: 'state' },
  sip_targets: { end: 'installation', others: 'address' },
  rate_plans: { end: 'installation', others: 'name' },
  rate_plan_versions: { end: 'installation' },
  rates: { end: 'installation', others: 'direction kind prefix' },
  number_rates: { end: 'installation', others: 'kind prefix' },
  invoice_series: { end: 'installation', others: 'series' },
  widget_proofs: { end: 'installation', others: 'challenge' },
  regular_work: { end: 'installation', others: 'name' },
};
