import type { Database, Queryable } from '../../data/database.js';
import { recordEvent } from '../../data/outbox.js';
import type { Agents } from '../../data/repositories/accounts/agents.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { FraudGuardTable } from '../../data/repositories/calls/fraud-guard.js';
import type { AuditRow, FraudBlockRow, ProjectRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import {
  limitsOfAgent,
  limitsOfProject,
  NO_FRAUD_LIMITS,
  type FraudLimits,
  type ProjectFraudLimits,
} from '../../model/fraud/limits.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';
import { blockEvent } from './fraud-guard.js';
import type { ManageFraudDefaults } from './manage-fraud-defaults.js';

export interface ManageFraudOptions {
  readonly db: Database;
  readonly table: Pick<FraudGuardTable, 'setOfProject' | 'setOfAgent' | 'overrides' | 'find' | 'page' | 'release'>;
  readonly projects: Pick<Projects, 'get'>;
  readonly agents: Pick<Agents, 'findByExtension'>;
  readonly defaults: Pick<ManageFraudDefaults, 'inForce'>;
  /** Notifies the processes that dial. */
  readonly announce: () => Promise<void>;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
  readonly clock: Clock;
}

/** The limits of an agent. */
export interface AgentFraudLimits {
  readonly own: FraudLimits;
  /** Its own, and those of the project's agents for the rest. */
  readonly effective: FraudLimits;
}

/** Sets the limits against toll fraud, lists the blocks and releases them. Calls in progress continue. */
export class ManageFraud {
  constructor(private readonly options: ManageFraudOptions) {}

  /** The project's own limits. */
  async read(projectId: string): Promise<ProjectFraudLimits> {
    return (await this.options.projects.get(projectId))?.fraud_limits ?? NO_FRAUD_LIMITS;
  }

  /** The project's own limits, and the defaults for the rest. */
  async inForce(projectId: string): Promise<ProjectFraudLimits> {
    return this.#inForce(await this.options.projects.get(projectId));
  }

  async #inForce(project: ProjectRow | null): Promise<ProjectFraudLimits> {
    const defaults = await this.options.defaults.inForce(project?.organization_id ?? null);
    return limitsOfProject(project?.fraud_limits ?? null, defaults.limits);
  }

  /**
   * Replaces the limits of the project and of its agents; agents with limits of their own keep them.
   * @param by a command is audited here
   */
  async set(projectId: string, limits: ProjectFraudLimits, by: AskedBy = 'request'): Promise<void> {
    const audited = await this.#auditOf(projectId, '/v1/fraud-limits', { ...limits }, by);
    await this.options.table.setOfProject(projectId, limits, audited);
    await this.options.announce();
  }

  /** The agents with limits of their own. */
  overrides(projectId: string): ReturnType<FraudGuardTable['overrides']> {
    return this.options.table.overrides(projectId);
  }

  /** @throws HatifError NOT_FOUND */
  async ofAgent(projectId: string, agent: string): Promise<AgentFraudLimits> {
    const { agents, projects } = this.options;
    const [row, project] = await Promise.all([agents.findByExtension(projectId, agent), projects.get(projectId)]);
    if (!row) throw unknownAgent(agent);
    const effective = limitsOfAgent(await this.#inForce(project), row.fraud_limits);
    return { own: row.fraud_limits ?? {}, effective };
  }

  /**
   * Replaces the agent's own limits; an absent member is that of the project's agents.
   * @param by a command is audited here
   * @throws HatifError NOT_FOUND
   */
  async setOfAgent(projectId: string, agent: string, limits: FraudLimits, by: AskedBy = 'request'): Promise<void> {
    const audited = await this.#auditOf(projectId, `/v1/fraud-limits/${agent}`, { agent, ...limits }, by);
    if (!(await this.options.table.setOfAgent(projectId, agent, limits, audited))) throw unknownAgent(agent);
    await this.options.announce();
  }

  async #auditOf(
    projectId: string,
    path: string,
    details: Readonly<Record<string, unknown>>,
    by: AskedBy,
  ): Promise<readonly AuditRow[]> {
    const project = by === 'command' ? await this.options.projects.get(projectId) : null;
    if (!project) return [];
    return [operatorAudit(project.organization_id, path, 'hatif fraud set', details, this.options.clock.now())];
  }

  /** Newest first, only those before `beforeId`. @param inForce leaves out those that were released */
  blocks(projectId: string, inForce: boolean, beforeId: string | null, limit: number): Promise<FraudBlockRow[]> {
    return this.options.table.page(projectId, inForce, beforeId, limit);
  }

  /**
   * Releases a block; the limits count from 0 again. A released block stays as it is.
   * @param keyId null: the operator releases it; that of a command is audited here @throws HatifError NOT_FOUND
   */
  async release(projectId: string, id: string, keyId: string | null, by: AskedBy = 'command'): Promise<FraudBlockRow> {
    const { db, table, clock, wake, announce } = this.options;
    const at = clock.now();
    const { row, lanes } = await db.transaction(async (tx) => {
      const released = await table.release(tx, projectId, id, { keyId, at });
      if (!released) return { row: await table.find(projectId, id, tx), lanes: [] };
      if (keyId === null && by === 'command') await this.#audit(tx, released, at);
      return { row: released, lanes: await recordEvent(tx, blockEvent('fraud.released', released, at)) };
    });
    if (!row) throw new HatifError('NOT_FOUND', { what: { en: `the block ${id}`, ar: arabic`الحظر ${id}` } });
    if (lanes.length > 0) wake(lanes);
    await announce();
    return row;
  }

  async #audit(tx: Queryable, { id, organization_id, agent, rule }: FraudBlockRow, at: Date): Promise<void> {
    const path = `/v1/fraud-blocks/${id}/release`;
    await insertAuditRows(tx, [operatorAudit(organization_id, path, 'hatif fraud release', { agent, rule }, at)]);
  }
}

function unknownAgent(agent: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the agent ${agent}`, ar: arabic`الموظف ${agent}` } });
}
