import type { CallEffect, PlacedEffect } from '../../../core/data/call-writer.js';
import type { Database, Queryable } from '../../../core/data/database.js';
import type {
  CallRow,
  ChargeRow,
  EngineRow,
  EventRow,
  InventoryRow,
  LegRow,
  TimelineRow,
  WebhookEndpointRow,
} from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { newOrganizationRow } from '../../../core/services/accounts/new-account.js';
import { newNumberRow } from '../../../core/services/numbers/number-assigner.js';
import { newCallRow } from '../../../core/services/call-state/new-call-row.js';

/** An organization, one of its projects and an engine: the rows that a call row refers to. */
export interface Ground {
  readonly organizationId: string;
  readonly projectId: string;
  readonly engineId: string;
}

/** Inserts complete rows into a table directly, without a repository. */
export async function insertRows(db: Queryable, table: string, rows: readonly object[]): Promise<void> {
  await db.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
    JSON.stringify(rows),
  ]);
}

export async function groundIn(db: Database): Promise<Ground> {
  const ground = { ...(await ownerIn(db)), engineId: newId() };
  await insertRows(db, 'engines', [engineRow({ id: ground.engineId, name: `engine-${ground.engineId}` })]);
  return ground;
}

/** An organization with one project. */
export async function ownerIn(db: Database): Promise<Omit<Ground, 'engineId'>> {
  const organization = newOrganizationRow('Test', 'production', {}, new Date());
  const owner = { organizationId: organization.id, projectId: newId() };
  await insertRows(db, 'organizations', [organization]);
  await insertRows(db, 'projects', [projectRow(owner)]);
  return owner;
}

/** Another project of the organization. @returns its id */
export async function insertProject(db: Queryable, organizationId: string): Promise<string> {
  const projectId = newId();
  await insertRows(db, 'projects', [projectRow({ organizationId, projectId })]);
  return projectId;
}

export function projectRow(ground: Omit<Ground, 'engineId'>): object {
  return {
    id: ground.projectId,
    organization_id: ground.organizationId,
    name: 'Test',
    main_number: null,
    allowed_origins: [],
    default_destination: null,
    signing_secret: 'sealed',
    recording_retention_days: null,
    recording_announcement: 'off',
    destination_classes: ['national', 'mobile'],
    max_calls: 50,
    created_at: new Date(),
  };
}

export function engineRow(changes: Partial<EngineRow> = {}): EngineRow {
  return {
    id: newId(),
    name: 'engine',
    kind: 'asterisk',
    status: 'up',
    boot_id: null,
    version: null,
    owner: null,
    epoch: 1,
    lease_expires_at: null,
    seen_at: null,
    managed: false,
    address: null,
    password: null,
    sip_host: null,
    sip_port: null,
    ws_url: null,
    sip_status: null,
    weight: 1,
    max_calls: null,
    draining: false,
    removed_at: null,
    ...changes,
  };
}

export function callRow(ground: Ground, changes: Partial<CallRow> = {}): CallRow {
  const row = newCallRow({
    id: newId(),
    organization_id: ground.organizationId,
    project_id: ground.projectId,
    engine_id: ground.engineId,
    kind: 'outbound',
    direction: 'outbound',
    customer_number: '+966501234517',
    line_number: '+966112345678',
    caller_id_number: '+966112345678',
    caller_id_name: null,
    program: { type: 'idle' },
    metadata: { order: '42' },
    request_id: 'request-1',
    created_at: new Date(),
  });
  return { ...row, epoch: 1, last_sequence: 1, ...changes };
}

/** A number of the project without a binding. */
export function numberRow(ground: Ground, e164: string): InventoryRow {
  const { organizationId: organization_id, projectId: project_id } = ground;
  const owned = { organization_id, project_id, assigned_at: new Date() };
  return newNumberRow({ e164, kind: 'geographic', state: 'assigned', source: 'operator', ...owned }, new Date());
}

export function legRow(callId: string, changes: Partial<LegRow> = {}): LegRow {
  return {
    id: newId(),
    call_id: callId,
    role: 'customer',
    endpoint: { type: 'trunk', trunkId: newId(), number: '+966501234517' },
    number: '+966501234517',
    billable: true,
    status: 'created',
    on_hold: false,
    holds: null,
    muted: false,
    created_at: new Date(),
    ringing_at: null,
    answered_at: null,
    ended_at: null,
    hangup_q850: null,
    hangup_sip_code: null,
    hangup_text: null,
    quality: null,
    ...changes,
  };
}

/** An event of a call, by default with the call's last sequence. */
export function eventOf(call: CallRow, changes: Partial<EventRow> = {}): EventRow {
  return {
    id: newId(),
    organization_id: call.organization_id,
    project_id: call.project_id,
    call_id: call.id,
    sequence: call.last_sequence,
    type: `call.${call.status}`,
    data: { call_id: call.id, status: call.status },
    sandbox: call.sandbox,
    recovered: false,
    created_at: new Date(),
    ...changes,
  };
}

export function chargeOf(leg: LegRow, call: CallRow, changes: Partial<ChargeRow> = {}): ChargeRow {
  return {
    id: newId(),
    leg_id: leg.id,
    call_id: call.id,
    project_id: call.project_id,
    sandbox: call.sandbox,
    direction: call.direction,
    kind: call.kind,
    number: leg.number,
    started_at: new Date(),
    seconds: 30,
    created_at: new Date(),
    ...changes,
  };
}

export function timelineRow(callId: string, changes: Partial<TimelineRow> = {}): TimelineRow {
  return { id: newId(), call_id: callId, at: new Date(), type: 'leg.ringing', data: {}, ...changes };
}

export function endpointRow(ground: Ground, changes: Partial<WebhookEndpointRow> = {}): WebhookEndpointRow {
  const id = newId();
  return {
    id,
    project_id: ground.projectId,
    sandbox: false,
    url: `https://example.com/${id}`,
    events: ['*'],
    description: null,
    include_customer_number: false,
    secret: 'sealed',
    previous_secret: null,
    previous_secret_expires_at: null,
    status: 'enabled',
    disabled_reason: null,
    failing_since: null,
    created_at: new Date(),
    ...changes,
  };
}

/** A step of a call with one event, as the call's owner writes it. */
export function effectOf(call: CallRow, changes: Partial<CallEffect> = {}): CallEffect {
  return {
    fence: { engineId: call.engine_id, epoch: call.epoch },
    call,
    legs: [],
    recordings: [],
    transfers: [],
    conferences: [],
    participants: [],
    events: [eventOf(call)],
    charges: [],
    timeline: [],
    ...changes,
  };
}

export function placedOf(call: CallRow): PlacedEffect {
  return {
    call,
    legs: [legRow(call.id)],
    recordings: [],
    transfers: [],
    conferences: [],
    participants: [],
    events: [eventOf(call)],
    charges: [],
    timeline: [],
  };
}
