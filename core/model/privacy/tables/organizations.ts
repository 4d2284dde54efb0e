import type { TableRule } from './table-rule.js';

/** What organizations set up, and what they pay. */
export const ORGANIZATION_DATA = {
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
    others: 'name main_number recording_announcement destination_classes fraud_limits allowed_origins',
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
  web_calling_sessions: {
    end: 'deleted',
    personal: {
      identity: 'shown deleted',
      display_name: 'shown deleted',
      metadata: 'shown deleted',
      rights: 'shown deleted',
    },
    secrets: 'sip_password',
    others: 'agent aor end_reason',
  },
  web_calling_tokens: { end: 'deleted', secrets: 'hash nonce_hash' },
  message_templates: {
    end: 'deleted',
    others:
      'channel name language category status rejection_reason provider_id template_id body header footer buttons ' +
      'variables request_id',
  },
  chatapp_accounts: {
    end: 'deleted',
    secrets: 'access_token app_secret',
    others: 'phone_number phone_number_id business_account_id',
  },
  message_senders: { end: 'deleted', others: 'channel sender status rejection_reason request_id' },
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
  message_minutes: { end: 'deleted' },
  privacy_calls: { end: 'deleted' },
} satisfies Readonly<Record<string, TableRule>>;
