import { Q850 } from '../../../model/call/hangup-cause.js';
import { DatabaseUnavailable, unlessUnavailable } from '../../../data/errors.js';
import type { Calls } from '../../../data/repositories/calls/calls.js';
import type { AgentRow, NumberRow, WebSessionRow } from '../../../data/rows.js';
import { isId } from '../../../model/ids.js';
import { isWebAor } from '../../../model/web-calling.js';
import type { CallerBlock, Refusal, RefusalReason } from '../../../model/call/refusal.js';
import {
  FEATURE_CODES,
  readFeatureCode,
  type DialledFeature,
  type FeatureCodes,
} from '../../../model/feature-codes.js';
import { entriesAgainst, STATUS_OF_ANSWER } from '../../../model/number/blocked-caller.js';
import { EMERGENCY_NUMBERS, parseNumber, WITHHELD_NUMBER, type ParsedNumber } from '../../../model/phone-numbers.js';
import { isTransferTarget, type TransferTarget } from '../../../model/call/transfer.js';
import type { LegEvent } from '../../../ports/engine-events.js';
import type { Logger } from '../../../ports/logger.js';
import { instructionsOf, VIRTUAL_NUMBER } from '../../virtual-numbers/program.js';
import { boundProgram } from '../../call-state/bound-program.js';
import type { NewCallFacts } from '../../call-state/new-call-row.js';
import type { InsideRoute, ProgramSpec } from '../../call-state/program.js';
import { guestOf, mayReach, namedTarget, type NamedTarget } from './browser-rights.js';
import { callerIdOf } from './caller-id.js';
import type { IncomingDirectory } from './incoming-directory.js';
import { factsOfHeaders } from './phone-headers.js';

type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

/** The leg that a call inside comes from. */
export interface InsideOrigin {
  readonly billable: boolean;
  /** How often its call continued at another number. */
  readonly hops: number;
}

/** A call to start, or why it is refused. */
export type IncomingDecision =
  | {
      readonly call: Omit<NewCallFacts, 'id' | 'engine_id'>;
      readonly leg: { readonly endpoint: object; readonly number: string | null; readonly billable: boolean };
      /** The role of the caller's leg: a softphone that calls out is the agent's. */
      readonly role: 'customer' | 'agent';
      /** The caller is blocked: the call tells that, and is counted as refused. Absent for any other call. */
      readonly turnedAway?: Refusal;
    }
  | Refusal;

/** What a dialled number leads to. */
interface Called {
  readonly projectId: string;
  readonly organizationId: string;
  readonly lineNumber: string | null;
  readonly spec: ProgramSpec;
}

/** How many bindings of numbers to other numbers are followed. */
const MAX_FORWARDS = 3;

const NOT_ALLOWED = Q850.CALL_REJECTED;
/** An emergency centre calls back within this time, possibly without a number. */
const CALLBACK_MS = 30 * 60_000;

/** Routes incoming calls of one engine. */
export type IncomingRoutes = Pick<IncomingRouter, 'isEmergency' | 'route' | 'transferTarget' | 'insideRoute'>;

/** Decides the project, the row and the program of an incoming call from its caller and the dialled number. */
export class IncomingRouter {
  constructor(
    private readonly directory: IncomingDirectory,
    private readonly log: Logger,
    /** Numbers that bypass every limit. */
    private readonly emergency: ReadonlySet<string> = new Set(EMERGENCY_NUMBERS),
    private readonly codes: FeatureCodes = FEATURE_CODES,
    /** Absent if nobody calls emergency numbers. */
    private readonly calls?: Pick<Calls, 'hasCalled'>,
  ) {}

  /** Whether a softphone dialled an emergency number. */
  isEmergency({ source, dialled }: IncomingEvent): boolean {
    return source.type === 'softphone' && this.#parse(dialled)?.kind === 'emergency';
  }

  #parse(dialled: string): ParsedNumber | null {
    return parseNumber(dialled, { allowForeign: true, emergency: this.emergency });
  }

  /**
   * If the database is unavailable, refuses the call immediately.
   * @param origin of a call inside; null for any other call
   */
  async route(event: IncomingEvent, origin: InsideOrigin | null = null): Promise<IncomingDecision> {
    try {
      return await this.#decide(event, origin);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.log.warn({ err: error }, 'the database is unavailable: refusing a call');
      return { refuse: Q850.TEMPORARY_FAILURE, reason: 'unavailable' };
    }
  }

  /**
   * Returns the party to which the agent's softphone may transfer a call of this project: any that the agent may call,
   * except services and emergency numbers; null for an agent of another project, whose rights do not count in this one.
   */
  async transferTarget(aor: string, dialled: string, projectId: string): Promise<TransferTarget | null> {
    const caller = await this.#phoneOf(aor);
    if (caller?.agent.project_id !== projectId) return null;
    const { agent, browser } = caller;
    const called = await this.#called(dialled, caller);
    if (called) {
      const { spec, lineNumber } = called;
      if (browser && !mayReach(browser, lineNumber, spec)) return null;
      if (spec.type === 'queue') return { type: 'queue', target: spec.queueId };
      if (spec.type === 'callflow') return { type: 'callflow', target: spec.callflowId };
      if (spec.type === 'connect' && isTransferTarget(spec.to)) return spec.to;
      return lineNumber === null ? null : { type: 'number', target: lineNumber };
    }
    const number = this.#parse(dialled);
    if (!agent.may_call_out || !number || number.kind === 'emergency') return null;
    if (browser && !mayReach(browser, number.e164, null)) return null;
    return { type: 'number', target: number.e164 };
  }

  /**
   * Returns what a call of the project that is sent on to this number continues as. Null if the number is rung instead:
   * it leads to an agent, outside, or to another project.
   */
  async insideRoute(projectId: string, e164: string, hopsLeft = MAX_FORWARDS): Promise<InsideRoute> {
    const number = await this.directory.numberByE164(e164);
    if (number?.project_id !== projectId || number.state !== 'assigned') return null;
    const { binding } = number;
    if (binding?.type === 'agent') return null;
    if (binding?.type === 'number' && binding.target !== null) {
      return hopsLeft === 0 ? null : this.insideRoute(projectId, binding.target, hopsLeft - 1);
    }
    const program = await this.#programOf(number);
    return program ? { program } : { refused: Q850.UNALLOCATED_NUMBER };
  }

  async #decide(event: IncomingEvent, origin: InsideOrigin | null): Promise<IncomingDecision> {
    const caller = await this.#callerOf(event);
    if (!caller) return { refuse: NOT_ALLOWED, reason: 'unknown_caller' };
    const called = await this.#called(event.dialled, caller.phone);
    const outside = called || !caller.phone ? null : await this.#outside(event, caller.phone);
    if (outside) return outside;
    if (!called) return { refuse: Q850.UNALLOCATED_NUMBER, reason: await this.#whyNot(event.dialled) };
    const { number, phone } = caller;
    const browser = phone?.browser ?? null;
    if (browser && !mayReach(browser, called.lineNumber, called.spec)) {
      return { refuse: NOT_ALLOWED, reason: 'not_allowed' };
    }
    // The project's own phones and calls reach its numbers whatever its list says.
    const isOwn = phone !== null || origin?.billable === false;
    const block = isOwn ? null : await this.#blockOf(number, called, event.at);
    const turnedAway = block && (await this.#refusalOf(block, called.projectId));
    if (turnedAway?.sipStatus !== undefined) return turnedAway;
    return {
      role: 'customer',
      ...(turnedAway && { turnedAway }),
      leg: {
        endpoint: event.source,
        number: phone ? null : number,
        // A call from a trunk or another project is charged; one between the project's own phones and numbers is not.
        billable: event.source.type === 'trunk' || origin?.billable === true,
      },
      call: {
        organization_id: called.organizationId,
        project_id: called.projectId,
        kind: browser ? 'web' : 'inbound',
        direction: 'inbound',
        customer_number: number,
        line_number: called.lineNumber,
        caller_id_number: number,
        caller_id_name: caller.name,
        program: turnedAway ? { type: 'turn_away', isWithheld: number === WITHHELD_NUMBER } : called.spec,
        ...(origin && { hops: origin.hops + 1 }),
        ...(phone && factsOf(phone, event)),
        options: { record: phone?.agent.record_calls === true },
        created_at: event.at,
      },
    };
  }

  /** The entry that blocks the caller; null if none does, or an emergency centre may be calling back without a number. */
  async #blockOf(number: string, { projectId, spec }: Called, at: Date): Promise<CallerBlock | null> {
    const agent = spec.type === 'connect' && spec.to.type === 'agent' ? spec.to.target : null;
    const block = await this.directory.blockOf(projectId, agent, entriesAgainst(number, this.emergency));
    if (!block || number !== WITHHELD_NUMBER || !this.calls) return block;
    const since = new Date(at.getTime() - CALLBACK_MS);
    const called = this.calls.hasCalled(projectId, agent, [...this.emergency], since);
    return (await unlessUnavailable(called, () => false)) ? null : block;
  }

  /** The refusal of a blocked caller; without a SIP status if an announcement comes first. */
  async #refusalOf(block: CallerBlock, projectId: string): Promise<Refusal> {
    const answer = await this.directory.blockedCallerAnswer(projectId);
    const refusal = { refuse: Q850.CALL_REJECTED, reason: 'caller_blocked', block } as const;
    return answer === 'announcement' ? refusal : { ...refusal, sipStatus: STATUS_OF_ANSWER[answer] };
  }

  /** Why a dialled number leads nowhere. */
  async #whyNot(dialled: string): Promise<RefusalReason> {
    const parsed = this.#parse(dialled);
    const number = parsed && (await this.directory.numberByE164(parsed.e164));
    return number ? 'unbound_number' : 'unknown_number';
  }

  /**
   * A softphone or browser dialled a number that is not its project's, if it may call out. Emergency calls always may,
   * except those of strangers.
   */
  async #outside(event: IncomingEvent, phone: Phone): Promise<IncomingDecision | null> {
    const { agent, browser } = phone;
    const number = this.#parse(event.dialled);
    if (!number) return null;
    const isAllowed = agent.may_call_out && (!browser || mayReach(browser, number.e164, null));
    const isEmergency = number.kind === 'emergency' && browser?.rights.only === undefined;
    if (!isAllowed && !isEmergency) return { refuse: NOT_ALLOWED, reason: 'not_allowed' };
    const callerId = (browser && (await this.#numberOf(browser))) ?? (await callerIdOf(this.directory, agent));
    return {
      role: 'agent',
      leg: { endpoint: event.source, number: null, billable: false },
      call: {
        organization_id: agent.organization_id,
        project_id: agent.project_id,
        kind: browser ? 'web' : 'outbound',
        direction: 'outbound',
        customer_number: number.e164,
        line_number: callerId,
        caller_id_number: callerId,
        caller_id_name: browser?.display_name ?? agent.display_name,
        agent: browser ? browser.agent : agent.agent,
        program: { type: 'dial_out', to: { type: 'number', target: number.e164 } },
        ...factsOf(phone, event),
        options: { record: agent.record_calls },
        created_at: event.at,
      },
    };
  }

  /** A softphone is identified by its registration, not by its From header. */
  async #callerOf(event: IncomingEvent): Promise<{ number: string; name: string | null; phone: Phone | null } | null> {
    if (event.source.type !== 'softphone') {
      const { number, name } = event.callerId;
      const parsed = number === null ? null : parseNumber(number, { allowForeign: true });
      return { number: parsed?.e164 ?? number ?? WITHHELD_NUMBER, name, phone: null };
    }
    const phone = await this.#phoneOf(event.source.aor);
    if (!phone) return null;
    const { agent, browser } = phone;
    const shown = browser && ((await this.#numberOf(browser)) ?? (browser.agent === null ? browser.identity : null));
    const own = shown === null ? await this.directory.numberOfAgent(agent.project_id, agent.agent) : null;
    const name = browser?.display_name ?? agent.display_name;
    return { number: shown ?? own?.e164 ?? agent.agent, name, phone };
  }

  async #phoneOf(aor: string): Promise<Phone | null> {
    if (!isWebAor(aor)) {
      const agent = await this.directory.agentByAor(aor);
      return agent && { agent, browser: null };
    }
    const browser = await this.directory.browser(aor);
    if (!browser) return null;
    if (browser.agent === null) return { agent: guestOf(browser), browser };
    const agent = await this.directory.agentByExtension(browser.project_id, browser.agent);
    return agent && { agent, browser };
  }

  /** The number that the calls of the session show, if it is still the organization's. */
  async #numberOf({ organization_id, rights }: WebSessionRow): Promise<string | null> {
    const { caller_id_number: e164 } = rights;
    const number = e164 === null ? null : await this.directory.numberByE164(e164);
    return number?.organization_id === organization_id && number.state === 'assigned' ? number.e164 : null;
  }

  async #programOf({ id, project_id, binding }: NumberRow): Promise<ProgramSpec | null> {
    if (binding?.type === 'voicemail') {
      const box = binding.target === null ? null : await this.directory.numberByE164(binding.target);
      if (binding.target !== null && box?.project_id !== project_id) return null;
      return { type: 'voicemail', numberId: box?.id ?? id };
    }
    if (binding?.type === VIRTUAL_NUMBER && binding.target !== null) {
      const virtual = await this.directory.virtualNumber(binding.target);
      return virtual?.project_id === project_id ? instructionsOf(virtual) : null;
    }
    const spec = await boundProgram(binding, this.directory);
    // If the agent does not answer, the caller leaves a message in the number's box, if it is on by then.
    return spec?.type === 'connect' && spec.to.type === 'agent' ? { ...spec, unansweredTo: id } : spec;
  }

  /** Returns the program that the softphone reaches by a code. */
  async #service(dialled: string, caller: AgentRow): Promise<ProgramSpec | null> {
    const feature = readFeatureCode(dialled, this.codes);
    if (feature) return caller.agent === '' ? null : programOfFeature(feature, caller);
    if (!/^\d{1,8}$/.test(dialled)) return null;
    const queue = await this.directory.queueByDialCode(caller.project_id, dialled);
    return queue && { type: 'queue', queueId: queue.id };
  }

  async #called(dialled: string, phone: Phone | null): Promise<Called | null> {
    const caller = phone?.agent ?? null;
    const named = phone?.browser ? namedTarget(dialled) : null;
    if (named && caller) return this.#named(named, caller);
    const parsed = this.#parse(dialled);
    const number = parsed && parsed.kind !== 'emergency' ? await this.directory.numberByE164(parsed.e164) : null;
    if (number && (!caller || number.project_id === caller.project_id)) {
      const spec = await this.#programOf(number);
      return (
        spec && { projectId: number.project_id, organizationId: number.organization_id, lineNumber: number.e164, spec }
      );
    }
    const service = caller && (await this.#service(dialled, caller));
    if (service) {
      return {
        projectId: caller.project_id,
        organizationId: caller.organization_id,
        lineNumber: null,
        spec: service,
      };
    }
    return caller && this.#named({ type: 'agent', name: dialled }, caller);
  }

  /** An agent, queue or active call flow of the caller's project. */
  async #named({ type, name }: NamedTarget, { project_id, organization_id }: AgentRow): Promise<Called | null> {
    const spec = await this.#programNamed(type, name, project_id);
    return spec && { projectId: project_id, organizationId: organization_id, lineNumber: null, spec };
  }

  async #programNamed(type: NamedTarget['type'], name: string, projectId: string): Promise<ProgramSpec | null> {
    switch (type) {
      case 'agent': {
        const colleague = await this.directory.agentByExtension(projectId, name);
        return colleague && { type: 'connect', to: { type: 'agent', target: colleague.agent } };
      }
      case 'queue': {
        const queue = await this.directory.queueNamed(projectId, name);
        return queue && { type: 'queue', queueId: queue.id };
      }
      case 'callflow': {
        const flow = isId(name) ? await this.directory.activeFlow(name) : null;
        return flow?.project_id === projectId ? { type: 'callflow', callflowId: name, version: flow.version } : null;
      }
    }
  }
}

/** A registered phone: whose it is, and the session of a browser. */
interface Phone {
  readonly agent: AgentRow;
  readonly browser: WebSessionRow | null;
}

/** What a phone adds to its calls, with the session of a browser. */
function factsOf({ browser }: Phone, { headers = {} }: IncomingEvent): Partial<NewCallFacts> {
  return factsOfHeaders(headers, browser?.metadata ?? {});
}

function programOfFeature(feature: DialledFeature, { agent }: AgentRow): ProgramSpec {
  switch (feature.does) {
    case 'echo':
      return { type: 'echo' };
    case 'voicemail':
      return { type: 'voicemail_access', agent };
    default:
      return { type: 'agent_code', agent, feature };
  }
}
