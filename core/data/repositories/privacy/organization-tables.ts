/** A table with rows of an organization, `$1`. */
export interface OrganizationTable {
  readonly name: string;
  /** Which rows are the organization's. */
  readonly where: string;
  /** What orders them for the archive; null: they are not in it. */
  readonly key: string | null;
}

const ORGANIZATION = 'organization_id = $1';
const PROJECTS = 'SELECT id FROM projects WHERE organization_id = $1';
const PROJECT = `project_id IN (${PROJECTS})`;
const PORTING = `porting_request_id IN (SELECT id FROM porting_requests WHERE organization_id = $1)`;
const CLAIM = `claim_id IN (SELECT id FROM own_number_claims WHERE organization_id = $1)`;
const PRODUCTION = `production_request_id IN (SELECT id FROM production_requests WHERE organization_id = $1)`;
/** The numbers of its sandbox exist nowhere else. */
const SANDBOX_NUMBERS = `SELECT id FROM numbers WHERE sandbox AND ${PROJECT}`;

const table = (name: string, where = ORGANIZATION, key: string | null = 'id'): OrganizationTable => ({
  name,
  where,
  key,
});
const unseen = (name: string, where = ORGANIZATION): OrganizationTable => ({ name, where, key: null });

/** Rows that go as soon as the archive is stored, in an order in which nothing refers to what is deleted. */
export const DELETED_BEFORE_CALLS: readonly OrganizationTable[] = [
  table('webhook_endpoints', PROJECT),
  table('voice_auth_challenges'),
];

/** As {@link DELETED_BEFORE_CALLS}, after the calls. What is recorded under legal hold keeps what it refers to. */
export const DELETED_AFTER_CALLS: readonly OrganizationTable[] = [
  table('conferences', `${ORGANIZATION} AND NOT EXISTS (SELECT FROM recordings WHERE conference_id = conferences.id)`),
  // Verifications go with their codes.
  unseen(
    'one_time_codes',
    `${ORGANIZATION} OR id IN (SELECT code_id FROM own_number_claims WHERE ${ORGANIZATION})
     OR id IN (SELECT id FROM verifications WHERE ${ORGANIZATION})`,
  ),
  table('verifications'),
  table('voice_auth_brands'),
  table('message_templates'),
  table('message_files'),
  table('messages'),
  table('broadcasts'),
  table('webchats'),
  unseen('chat_attendance', PROJECT),
  table('message_threads'),
  table('message_senders'),
  table('virtual_numbers'),
  table('number_documents', `${PORTING} OR ${CLAIM} OR ${PRODUCTION}`),
  table('porting_changes', PORTING),
  table('porting_requests'),
  table('own_number_claims'),
  table(
    'voicemail_boxes',
    `${ORGANIZATION} AND NOT EXISTS (SELECT FROM recordings WHERE box_id = voicemail_boxes.number_id)`,
    'number_id',
  ),
  table('queue_visits', PROJECT, `(project_id || lpad(visit::text, 20, '0')) COLLATE "C"`),
  unseen('queue_log', PROJECT),
  unseen('queue_dispatchers', PROJECT),
  table('agent_activities', PROJECT, `(project_id || lpad(sequence::text, 20, '0') || agent || kind) COLLATE "C"`),
  table('queues'),
  unseen('softphone_registrations', `aor IN (SELECT aor FROM agents WHERE ${ORGANIZATION})`),
  unseen('sip_contacts', `agent_aor IN (SELECT aor FROM agents WHERE ${ORGANIZATION})`),
  unseen('sip_contacts', `browser_aor IN (SELECT aor FROM web_calling_sessions WHERE ${ORGANIZATION})`),
  unseen('sip_subscriptions', `aor IN (SELECT aor FROM agents WHERE ${ORGANIZATION})`),
  unseen('softphone_registrations', `aor IN (SELECT aor FROM web_calling_sessions WHERE ${ORGANIZATION})`),
  table('web_calling_sessions'),
  table('agents'),
  table('widgets'),
  // Their lines and errors go with them.
  unseen('contact_imports'),
  table(
    'contact_group_members',
    `group_id IN (SELECT id FROM contact_groups WHERE ${ORGANIZATION})`,
    `(group_id::text || contact_id) COLLATE "C"`,
  ),
  table('contact_groups'),
  table('contacts'),
  table('consents'),
  table('consent_changes'),
  table(
    'callflow_versions',
    `callflow_id IN (SELECT id FROM callflows WHERE ${ORGANIZATION})`,
    `(callflow_id || lpad(version::text, 10, '0')) COLLATE "C"`,
  ),
  table('callflows'),
  table('audio_files', PROJECT),
  table('blocked_callers', PROJECT),
  table('allowed_callers', PROJECT),
  unseen('blocked_caller_answers', PROJECT),
  unseen('outside_legs', PROJECT),
  table('fraud_blocks'),
  unseen('trunk_routes'),
  table('fraud_defaults'),
  unseen('owner_mails', `${ORGANIZATION} OR recipient IN (SELECT email FROM users WHERE ${ORGANIZATION})`),
  table('invites'),
  table('production_requests'),
  table('api_keys'),
  unseen('sso_flows'),
  table('sso_settings', ORGANIZATION, 'organization_id'),
  table('sso_domains', ORGANIZATION, `domain COLLATE "C"`),
  table('sso_identities', ORGANIZATION, `(issuer || ' ' || subject) COLLATE "C"`),
  unseen('scim_tokens'),
  table('scim_users', ORGANIZATION, 'user_id'),
  table('scim_groups'),
  table('users'),
  table('spend_caps', PROJECT, 'project_id'),
  unseen('spend_thresholds', PROJECT),
  unseen('call_holds', PROJECT),
  unseen('sandbox_trials', PROJECT),
  unseen('message_minutes', PROJECT),
  unseen('privacy_jobs'),
  unseen('number_changes', `number_id IN (${SANDBOX_NUMBERS})`),
  unseen('numbers', `id IN (${SANDBOX_NUMBERS})`),
];

/** Rows that the law keeps for the years of KEEP_INVOICES_YEARS, in an order as above. */
export const BILLING_TABLES: readonly OrganizationTable[] = [
  unseen('invoice_payments', `invoice_id IN (SELECT id FROM invoices WHERE ${ORGANIZATION})`),
  table('credit_notes'),
  table('payment_refunds'),
  table('payments'),
  table('invoices'),
  table(
    'ledger_entries',
    `transaction_id IN (SELECT id FROM ledger_transactions WHERE ${ORGANIZATION})`,
    `(transaction_id::text || account_id) COLLATE "C"`,
  ),
  table('ledger_transactions'),
  table('ledger_accounts'),
  table('number_fees'),
  table('number_rentals'),
  table('usage_events'),
  unseen('usage_deltas', PROJECT),
  unseen('usage_costs', PROJECT),
  unseen('usage_rollups', PROJECT),
  unseen('spent_days', PROJECT),
  table('billing_profiles', ORGANIZATION, 'organization_id'),
];

/** The tables that go last. */
export const LAST_TABLES: readonly OrganizationTable[] = [
  ...DELETED_BEFORE_CALLS,
  ...DELETED_AFTER_CALLS,
  unseen('cdr_files'),
  unseen('projects'),
  unseen('organizations', 'id = $1'),
];

/** The rows of an organization in its archive, in their order; calls have an own source. */
export const ARCHIVED_TABLES: readonly OrganizationTable[] = [
  table('organizations', 'id = $1'),
  table('projects'),
  table('numbers'),
  table('number_changes'),
  ...[...DELETED_BEFORE_CALLS, ...DELETED_AFTER_CALLS, ...BILLING_TABLES].filter(({ key }) => key !== null),
  table('cdr_files', ORGANIZATION, `(day::text || lpad(revision::text, 10, '0')) COLLATE "C"`),
  table('audit_log'),
];

/** Tables whose rows go with their call. */
export const DELETED_WITH_CALLS: readonly string[] = [
  ...['events', 'webhook_deliveries', 'webhook_attempts', 'call_timeline', 'transfers', 'conference_participants'],
  ...['recordings', 'recording_removals', 'transcripts', 'voicemails'],
];

/** Tables whose rows the database deletes with a row of another one. */
export const DELETED_WITH_OWNERS: readonly string[] = [
  ...['sessions', 'session_tokens', 'user_tokens', 'totp_factors', 'recovery_codes', 'passkeys', 'passkey_challenges'],
  ...['pending_phones', 'identities', 'identity_verifications', 'sso_codes', 'scim_group_members'],
  ...['verification_attempts', 'privacy_calls', 'contact_import_pieces', 'contact_import_faults'],
  ...['web_calling_tokens', 'message_parts', 'message_links', 'broadcast_recipients', 'chatapp_accounts'],
];
