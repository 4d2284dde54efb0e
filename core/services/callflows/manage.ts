import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { BoundCallflow, Callflows, CallflowScope } from '../../data/repositories/calls/callflows.js';
import type { CallflowRow, CallflowUses, CallflowVersionRow } from '../../data/rows.js';
import { HatifError, invalidField, validationError } from '../../model/errors/index.js';
import { faultDetail } from '../../model/flow/authored.js';
import { checkFlow, type FlowSurroundings } from '../../model/flow/check.js';
import { graphOf } from '../../model/flow/compile.js';
import type { FlowDefinition } from '../../model/flow/definition.js';
import type { FlowLanguage } from '../../model/flow/parts/fields.js';
import type { FlowScript, SimulationResult } from '../../model/flow/script.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { LoadedFlow, LoadFlow } from './flow-cache.js';
import { assertStorable, fixedTexts, storedDefinition, usesOf } from './definition.js';
import { presentCallflow, type CallflowObject } from './present.js';

/** Runs a flow without a phone call. */
export type SimulateFlow = (
  flow: LoadedFlow,
  script: FlowScript,
  load: (callflowId: string, version: number | null) => Promise<LoadedFlow | null>,
  now: Date,
) => Promise<SimulationResult>;

export interface CallflowServiceOptions {
  readonly flows: Callflows;
  /** Of the things that a flow refers to, those that the project has and that are of the flow's kind. */
  readonly owned: (of: ProjectKind, uses: CallflowUses) => Promise<FlowSurroundings['known']>;
  /** Whether any engine can run the flow. */
  readonly hasEngine: (sandbox: boolean) => Promise<boolean>;
  readonly load: LoadFlow;
  readonly simulate: SimulateFlow;
  /** Synthesizes texts ahead of the first call. The service does not wait for it. */
  readonly prepare: (texts: readonly { readonly text: string; readonly language: FlowLanguage }[]) => void;
  readonly clock: Clock;
  /** Notifies other processes that their cached look-ups are stale. */
  readonly announce: () => Promise<void>;
}

/** The API key that changes flows. */
export interface CallflowAuthor extends CallflowScope {
  readonly organizationId: string;
  readonly keyId: string | null;
}

export type NewCallflow = FlowDefinition & { readonly name: string };

/** Call flows of a project. Each change creates a version; a flow is checked when it is activated. */
export class CallflowService {
  constructor(private readonly options: CallflowServiceOptions) {}

  list(scope: CallflowScope, beforeId: string | null, limit: number): Promise<CallflowObject[]> {
    return this.options.flows
      .page(scope, beforeId, limit)
      .then((rows) => Promise.all(rows.map((row) => this.#present(row))));
  }

  /** @throws HatifError NOT_FOUND */
  async get(scope: CallflowScope, id: string): Promise<CallflowObject> {
    return this.#present(await this.#row(scope, id));
  }

  /** Newest first. @throws HatifError NOT_FOUND */
  async versions(
    scope: CallflowScope,
    id: string,
    belowVersion: number | null,
    limit: number,
  ): Promise<CallflowVersionRow[]> {
    const row = await this.#row(scope, id);
    return this.options.flows.versions(row.id, belowVersion, limit);
  }

  /** Creates a draft. Only its form is checked. @throws HatifError VALIDATION_ERROR */
  async create(
    { projectId, organizationId, sandboxOnly, keyId }: CallflowAuthor,
    made: NewCallflow,
  ): Promise<CallflowObject> {
    assertStorable(made);
    const now = this.options.clock.now();
    const row: CallflowRow = {
      id: newId(),
      organization_id: organizationId,
      project_id: projectId,
      sandbox: sandboxOnly,
      name: made.name,
      kind: made.kind,
      status: 'draft',
      version: 1,
      uses: usesOf(made),
      created_at: now,
      updated_at: now,
      removed_at: null,
    };
    await this.options.flows.create(row, made.definition, keyId);
    return presentCallflow({ ...row, bound_numbers: [] }, made.definition);
  }

  /**
   * Creates a new version. If the flow is active, new calls use it at once; live calls continue with their version.
   * @throws HatifError NOT_FOUND, CALLFLOW_VERSION_CONFLICT, VALIDATION_ERROR, for an active flow also for the faults of the activation check
   */
  async replace(author: CallflowAuthor, id: string, version: number, made: NewCallflow): Promise<CallflowObject> {
    const { flows, clock } = this.options;
    assertStorable(made);
    const row = await this.#ownRow(author, id);
    assertVersion(version, row.version);
    if (made.kind !== row.kind) {
      throw invalidField('kind', { en: 'cannot be changed', ar: 'لا يمكن تغييره' });
    }
    if (row.status === 'active') await this.#check(row, made);
    const { name, definition } = made;
    const change = { name, definition, uses: usesOf(made), created_at: clock.now(), created_by_key: author.keyId };
    if (!(await flows.replace(row.id, version, change))) {
      assertVersion(version, (await this.#row(author, id)).version);
    }
    await this.options.announce();
    return this.get(author, id);
  }

  /** @throws HatifError NOT_FOUND, VALIDATION_ERROR with every fault, CALLFLOW_TENANT_NOT_FOUND if no engine can run flows */
  async activate(author: CallflowAuthor, id: string): Promise<CallflowObject> {
    const row = await this.#ownRow(author, id);
    const { definition } = await this.#version(row);
    await this.#check(row, storedDefinition(row.kind, definition));
    if (!(await this.options.hasEngine(row.sandbox))) throw new HatifError('CALLFLOW_TENANT_NOT_FOUND');
    return this.#setStatus(author, row, 'active');
  }

  /** Live calls continue. Calls to numbers that are bound to the flow no longer reach it. @throws HatifError NOT_FOUND */
  async deactivate(author: CallflowAuthor, id: string): Promise<CallflowObject> {
    const row = await this.#ownRow(author, id);
    return row.status === 'active' ? this.#setStatus(author, row, 'inactive') : this.#present(row);
  }

  /** Live calls continue. @throws HatifError NOT_FOUND, VALIDATION_ERROR while a number or an active flow refers to it */
  async remove(author: CallflowAuthor, id: string): Promise<void> {
    const { flows, clock, announce } = this.options;
    const row = await this.#ownRow(author, id);
    if (row.bound_numbers.length > 0) {
      const numbers = row.bound_numbers.join(', ');
      throw invalidField('bound_numbers', {
        en: `the flow is bound to ${numbers}; bind them to something else first`,
        ar: arabic`مسار المكالمات مرتبط بالأرقام التالية: ${row.bound_numbers}؛ اربطها بوجهة أخرى أولًا`,
      });
    }
    const callers = (await flows.list(row.project_id)).filter(
      (flow) => flow.id !== row.id && flow.status === 'active' && flow.uses.callflow.includes(row.id),
    );
    if (callers.length > 0) {
      const names = callers.map(({ name }) => name).join(', ');
      throw invalidField('id', {
        en: `the active call flows ${names} lead to it; change them first`,
        ar: arabic`تؤدي إليه مسارات المكالمات المفعّلة ${callers.map(({ name }) => name)}؛ عدّلها أولًا`,
      });
    }
    await flows.remove(row.id, clock.now());
    await announce();
  }

  /** @throws HatifError NOT_FOUND, also for an unknown version */
  async simulate(
    scope: CallflowScope,
    id: string,
    version: number | null,
    script: FlowScript,
  ): Promise<SimulationResult> {
    const row = await this.#row(scope, id);
    const of = { projectId: row.project_id, sandbox: row.sandbox };
    const flow = await this.options.load(of, row.id, version ?? row.version);
    if (!flow) throw notFound(`${id}, version ${version ?? row.version}`);
    const load = (callflowId: string, wanted: number | null): Promise<LoadedFlow | null> =>
      this.options.load(of, callflowId, wanted);
    return this.options.simulate(flow, script, load, this.options.clock.now());
  }

  async #setStatus(author: CallflowAuthor, row: CallflowRow, status: CallflowRow['status']): Promise<CallflowObject> {
    const { flows, clock } = this.options;
    if (!(await flows.setStatus(row.id, row.version, status, clock.now()))) {
      // Another version was created during the check.
      assertVersion(row.version, (await this.#row(author, row.id)).version);
    }
    await this.options.announce();
    return this.get(author, row.id);
  }

  /** @throws HatifError VALIDATION_ERROR with every fault */
  async #check(row: CallflowRow, made: FlowDefinition): Promise<void> {
    const { flows, owned, prepare } = this.options;
    const others = await flows.list(row.project_id);
    const around: FlowSurroundings = {
      known: await owned({ projectId: row.project_id, sandbox: row.sandbox }, usesOf(made)),
      callflows: new Map(
        others
          // A live flow must not depend on a flow that a sandbox key can change, nor a sandbox key run a live flow.
          .filter(({ sandbox }) => row.sandbox === sandbox)
          .map(({ id, status, uses }) => [id, { isActive: status === 'active', calls: uses.calls }]),
      ),
    };
    const [first, ...more] = checkFlow(row.id, graphOf(made), around).map((fault) => faultDetail(made, fault));
    if (first) throw validationError([first, ...more]);
    prepare(fixedTexts(made));
  }

  async #row(scope: CallflowScope, id: string): Promise<BoundCallflow> {
    const row = await this.options.flows.get(scope, id);
    if (!row) throw notFound(id);
    return row;
  }

  /** The flow, if it has the kind of the key: only keys of this kind change it. */
  async #ownRow(author: CallflowAuthor, id: string): Promise<BoundCallflow> {
    const row = await this.#row(author, id);
    if (row.sandbox !== author.sandboxOnly) throw notFound(id);
    return row;
  }

  async #version({ id, version }: CallflowRow): Promise<CallflowVersionRow> {
    const row = await this.options.flows.version(id, version);
    if (!row) throw notFound(id);
    return row;
  }

  async #present(row: BoundCallflow): Promise<CallflowObject> {
    return presentCallflow(row, (await this.#version(row)).definition);
  }
}

function assertVersion(sent: number, current: number): void {
  if (sent !== current)
    throw new HatifError('CALLFLOW_VERSION_CONFLICT', { sent_version: sent, current_version: current });
}

function notFound(id: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the call flow ${id}`, ar: arabic`مسار المكالمات ${id}` } });
}
