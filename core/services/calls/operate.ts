import type { Database } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { CallFilter } from '../../data/repositories/calls/calls.js';
import { newId } from '../../model/ids.js';
import type { CallObject } from '../../model/objects/call.js';
import type { Clock } from '../../ports/clock.js';
import { assertListLimit } from '../access/list-limit.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';
import type { ActionResult, ControlCall } from './control.js';
import type { ReadCalls, TimelineObject } from './read.js';

export interface OperateCallsOptions {
  readonly db: Database;
  readonly read: ReadCalls;
  readonly control: ControlCall;
  readonly clock: Clock;
}

/** A project whose calls the operator looks at. */
interface OfProject {
  readonly id: string;
  readonly organization_id: string;
}

/** The operator's view of the calls of a project, those of its sandbox included. Numbers of customers are masked. */
export class OperateCalls {
  constructor(private readonly options: OperateCallsOptions) {}

  /** Newest first. @throws HatifError VALIDATION_ERROR */
  async list({ id }: OfProject, filter: CallFilter, limit: number): Promise<readonly CallObject[]> {
    assertListLimit(limit);
    return (await this.options.read.list(scopeOf(id), filter, null, limit)).items;
  }

  /** A page of {@link list}. @param position `next` of the page before; `next` is null on the last one */
  page({ id }: OfProject, filter: CallFilter, position: string | null, limit: number): ReturnType<ReadCalls['list']> {
    return this.options.read.list(scopeOf(id), filter, position, limit);
  }

  /** @throws HatifError CALL_NOT_FOUND */
  get({ id }: OfProject, callId: string): Promise<CallObject> {
    return this.options.read.get(scopeOf(id), callId);
  }

  /** @throws HatifError CALL_NOT_FOUND */
  timeline({ id }: OfProject, callId: string): Promise<readonly TimelineObject[]> {
    return this.options.read.timeline(scopeOf(id), callId);
  }

  /**
   * Ends a live call, as the API does; a command records that in the audit log. Resolves when the engine has accepted.
   * @throws HatifError CALL_NOT_FOUND, CALL_NOT_ACTIVE, CALL_NOT_CONTROLLABLE, CALL_CONTROL_FAILED
   */
  async hangup({ id, organization_id }: OfProject, callId: string, by: AskedBy = 'command'): Promise<ActionResult> {
    const { db, control, clock } = this.options;
    const requester = { ...scopeOf(id), requestId: newId(), keyId: null };
    const ended = await control.control(callId, 'customer', { action: 'hangup' }, requester);
    if (by === 'request') return ended;
    const path = `/v1/calls/${callId}/hangup`;
    await insertAuditRows(db, [operatorAudit(organization_id, path, 'hatif calls hangup', {}, clock.now())]);
    return ended;
  }
}

function scopeOf(projectId: string): { readonly projectId: string; readonly sandboxOnly: boolean } {
  return { projectId, sandboxOnly: false };
}
