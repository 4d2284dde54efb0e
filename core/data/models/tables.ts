import type { Database } from '../database.js';
import type {
  AdministratorRow,
  AdministratorTokenRow,
  AgentRow,
  AudioFileRow,
  CallflowRow,
  CallflowVersionRow,
  BrandRow,
  ChallengeRow,
  CodeRow,
  KeyRow,
  InventoryRow,
  OrganizationRow,
  ProjectRow,
  SignupRow,
  QueueRow,
  TrunkRow,
  UserRow,
  VerificationRow,
  WebhookEndpointRow,
  WidgetRow,
} from '../rows.js';
import { column, Table } from './table.js';

export const organizationsOf = (db: Database): Table<OrganizationRow> =>
  new Table<OrganizationRow>(db, 'organizations', {
    id: column.id,
    name: column.text,
    account_kind: column.text,
    flags: column.json,
    contact_email: column.maybeText,
    suspended_at: column.maybeTime,
    ended_at: column.maybeTime,
    session_idle_minutes: column.integer,
    second_factor_required: column.boolean,
    key_reveal: column.boolean,
    created_at: column.time,
  });

export const projectsOf = (db: Database): Table<ProjectRow> =>
  new Table<ProjectRow>(db, 'projects', {
    id: column.id,
    organization_id: column.uuid,
    name: column.text,
    main_number: column.maybeText,
    default_destination: column.maybeJson,
    signing_secret: column.text,
    recording_retention_days: column.maybeInteger,
    recording_announcement: column.text,
    destination_classes: column.texts,
    max_calls: column.integer,
    fraud_limits: column.maybeJson,
    allowed_origins: column.texts,
    created_at: column.time,
  });

export const keysOf = (db: Database): Table<KeyRow> =>
  new Table<KeyRow>(db, 'api_keys', {
    id: column.id,
    project_id: column.uuid,
    organization_id: column.uuid,
    name: column.text,
    kind: column.text,
    prefix: column.text,
    hash: column.text,
    scopes: column.texts,
    allowed_ips: column.texts,
    rate_limit_per_minute: column.maybeInteger,
    expires_at: column.maybeTime,
    revoked_at: column.maybeTime,
    last_used_at: column.maybeTime,
    created_at: column.time,
  });

export const usersOf = (db: Database): Table<UserRow> =>
  new Table<UserRow>(db, 'users', {
    id: column.id,
    organization_id: column.uuid,
    email: column.text,
    name: column.text,
    password_hash: column.maybeText,
    locale: column.text,
    phone: column.maybeText,
    phone_confirmed_at: column.maybeTime,
    email_confirmed_at: column.maybeTime,
    role: column.text,
    project_ids: column.maybeUuids,
    agent: column.maybeText,
    disabled_at: column.maybeTime,
    last_sign_in_at: column.maybeTime,
    created_at: column.time,
  });

export const signupsOf = (db: Database): Table<SignupRow> =>
  new Table<SignupRow>(db, 'signups', {
    id: column.id,
    email: column.text,
    password_hash: column.text,
    name: column.text,
    organization_name: column.text,
    locale: column.text,
    token_hash: column.text,
    created_at: column.time,
    expires_at: column.time,
  });

export const trunksOf = (db: Database): Table<TrunkRow> =>
  new Table<TrunkRow>(db, 'trunks', {
    id: column.id,
    name: column.text,
    host: column.text,
    port: column.integer,
    transport: column.text,
    username: column.maybeText,
    password: column.maybeText,
    inbound_addresses: column.texts,
    foreign_numbers: column.boolean,
    is_default: column.boolean,
    probed: column.boolean,
    enabled: column.boolean,
    registers: column.boolean,
    capacity: column.maybeInteger,
    codecs: column.maybeTexts,
    dtmf_mode: column.text,
    caller_id: column.text,
    caller_id_number: column.maybeText,
    asserted_identity: column.text,
    privacy: column.boolean,
    diversion: column.boolean,
    created_at: column.time,
  });

export const numbersOf = (db: Database): Table<InventoryRow> =>
  new Table<InventoryRow>(db, 'numbers', {
    id: column.id,
    organization_id: column.maybeUuid,
    project_id: column.maybeUuid,
    sandbox: column.boolean,
    e164: column.text,
    kind: column.text,
    state: column.text,
    source: column.text,
    provider: column.maybeText,
    label: column.maybeText,
    binding: column.maybeJson,
    order_id: column.maybeUuid,
    due_at: column.maybeTime,
    assigned_at: column.maybeTime,
    created_at: column.time,
  });

export const agentsOf = (db: Database): Table<AgentRow> =>
  new Table<AgentRow>(db, 'agents', {
    id: column.id,
    project_id: column.uuid,
    organization_id: column.uuid,
    agent: column.text,
    aor: column.text,
    display_name: column.text,
    sip_password: column.text,
    may_call_out: column.boolean,
    destination_classes: column.texts,
    fraud_limits: column.maybeJson,
    caller_id_number: column.maybeText,
    record_calls: column.boolean,
    priority: column.integer,
    skills: column.json,
    forwarding: column.json,
    created_at: column.time,
  });

export const queuesOf = (db: Database): Table<QueueRow> =>
  new Table<QueueRow>(db, 'queues', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    name: column.text,
    dial_code: column.maybeText,
    strategy: column.text,
    wrap_up_seconds: column.integer,
    ring_timeout_seconds: column.integer,
    max_wait_seconds: column.integer,
    max_length: column.integer,
    service_level_seconds: column.integer,
    unavailable_seconds: column.integer,
    required_skills: column.json,
    skills_timeout_seconds: column.maybeInteger,
    announce_position: column.boolean,
    announce_every_seconds: column.integer,
    music: column.maybeUuid,
    music_path: column.maybeText,
    overflow: column.json,
    callback_mode: column.text,
    record: column.boolean,
    created_at: column.time,
    removed_at: column.maybeTime,
  });

export const audioFilesOf = (db: Database): Table<AudioFileRow> =>
  new Table<AudioFileRow>(db, 'audio_files', {
    id: column.id,
    project_id: column.uuid,
    sandbox: column.boolean,
    name: column.text,
    duration_ms: column.integer,
    bytes: column.integer,
    created_at: column.time,
  });

export const callflowsOf = (db: Database): Table<CallflowRow> =>
  new Table<CallflowRow>(db, 'callflows', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    name: column.text,
    kind: column.text,
    status: column.text,
    version: column.integer,
    uses: column.json,
    created_at: column.time,
    updated_at: column.time,
    removed_at: column.maybeTime,
  });

export const callflowVersionsOf = (db: Database): Table<CallflowVersionRow> =>
  new Table<CallflowVersionRow>(db, 'callflow_versions', {
    callflow_id: { ...column.uuid, primaryKey: true },
    version: { ...column.integer, primaryKey: true },
    name: column.text,
    definition: column.json,
    created_at: column.time,
    created_by_key: column.maybeUuid,
  });

export const webhookEndpointsOf = (db: Database): Table<WebhookEndpointRow> =>
  new Table<WebhookEndpointRow>(db, 'webhook_endpoints', {
    id: column.id,
    project_id: column.uuid,
    sandbox: column.boolean,
    url: column.text,
    events: column.texts,
    description: column.maybeText,
    include_customer_number: column.boolean,
    secret: column.text,
    previous_secret: column.maybeText,
    previous_secret_expires_at: column.maybeTime,
    status: column.text,
    disabled_reason: column.maybeText,
    failing_since: column.maybeTime,
    created_at: column.time,
  });

export const widgetsOf = (db: Database): Table<WidgetRow> =>
  new Table<WidgetRow>(db, 'widgets', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    key: column.text,
    name: column.text,
    sandbox: column.boolean,
    allowed_origins: column.texts,
    countries: column.texts,
    calls_per_hour: column.maybeInteger,
    destination: column.maybeJson,
    language: column.text,
    otp: column.boolean,
    captcha: column.boolean,
    browser_calls: column.boolean,
    chat: column.boolean,
    theme: column.json,
    created_at: column.time,
    revoked_at: column.maybeTime,
  });

export const codesOf = (db: Database): Table<CodeRow> =>
  new Table<CodeRow>(db, 'one_time_codes', {
    id: column.id,
    purpose: column.text,
    organization_id: column.maybeUuid,
    number_block: column.maybeText,
    sandbox: column.boolean,
    length: column.integer,
    hash: column.maybeText,
    state: column.text,
    attempts: column.integer,
    max_attempts: column.integer,
    sends: column.integer,
    sent_at: column.time,
    lifetime_seconds: column.integer,
    expires_at: column.time,
    late_told: column.boolean,
    created_at: column.time,
    closed_at: column.maybeTime,
  });

export const verificationsOf = (db: Database): Table<VerificationRow> =>
  new Table<VerificationRow>(db, 'verifications', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    channel: column.text,
    recipient: column.text,
    number_block: column.maybeText,
    fallback: column.json,
    end_user_ip: column.maybeText,
    language: column.text,
    brand_id: column.maybeUuid,
    created_by_key: column.uuid,
    request_id: column.text,
    created_at: column.time,
  });

export const brandsOf = (db: Database): Table<BrandRow> =>
  new Table<BrandRow>(db, 'voice_auth_brands', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    name_en: column.text,
    name_ar: column.text,
    status: column.text,
    rejection_reason: column.maybeText,
    created_by_key: column.uuid,
    request_id: column.text,
    created_at: column.time,
    submitted_at: column.maybeTime,
    decided_at: column.maybeTime,
    deleted_at: column.maybeTime,
  });

export const challengesOf = (db: Database): Table<ChallengeRow> =>
  new Table<ChallengeRow>(db, 'voice_auth_challenges', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    assurance: column.text,
    number: column.text,
    match_number: column.text,
    brand_id: column.maybeUuid,
    language: column.text,
    metadata: column.json,
    call_id: column.maybeUuid,
    state: column.text,
    created_by_key: column.uuid,
    request_id: column.text,
    created_at: column.time,
    expires_at: column.time,
    completed_at: column.maybeTime,
  });

export const administratorsOf = (db: Database): Table<AdministratorRow> =>
  new Table<AdministratorRow>(db, 'administrators', {
    id: column.id,
    email: column.text,
    name: column.text,
    password_hash: column.text,
    totp_secret: column.maybeText,
    totp_offered: column.maybeText,
    totp_step: column.maybeInteger,
    disabled_at: column.maybeTime,
    last_sign_in_at: column.maybeTime,
    created_at: column.time,
  });

export const administratorTokensOf = (db: Database): Table<AdministratorTokenRow> =>
  new Table<AdministratorTokenRow>(db, 'administrator_tokens', {
    id: column.id,
    administrator_id: column.uuid,
    kind: column.text,
    name: column.maybeText,
    prefix: column.text,
    hash: column.text,
    ip: column.text,
    created_at: column.time,
    last_used_at: column.time,
    expires_at: column.maybeTime,
    revoked_at: column.maybeTime,
  });
