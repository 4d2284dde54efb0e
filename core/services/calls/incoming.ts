import type { AgentRow, CallRow, NumberRow } from '../../data/rows.js';
import { maskNumber } from '../../model/masking.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { LegEvent } from '../../ports/engine.js';
import type { Logger } from '../../ports/logger.js';
import type { ProgramSpec, SavedProgram } from './program.js';

type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

export interface IncomingDirectory {
  numberByE164(e164: string): Promise<NumberRow | null>;
  agentByAor(aor: string): Promise<AgentRow | null>;
  agentByExtension(projectId: string, agent: string): Promise<AgentRow | null>;
  /** The number that rings this agent, if there is one. */
  numberOfAgent(projectId: string, agent: string): Promise<NumberRow | null>;
}

/** A call to be begun, or the Q.850 cause with which it is refused. */
export type IncomingDecision =
  | {
      readonly call: Omit<CallRow, 'id' | 'engine_id'>;
      readonly leg: { readonly endpoint: object; readonly number: string | null; readonly billable: boolean };
    }
  | { readonly refuse: number };

const UNALLOCATED = 1;
const NOT_ALLOWED = 21;
/** The longest that an incoming call may last; the engine ends it by itself. */
const MAX_DURATION_SECONDS = 14_400;

/** Who is calling and what was called: decides the project, the record and the program of an incoming call. */
export class IncomingRouter {
  constructor(
    private readonly directory: IncomingDirectory,
    private readonly log: Logger,
  ) {}

  async route(event: IncomingEvent): Promise<IncomingDecision> {
    const caller = await this.#callerOf(event);
    if (!caller) return { refuse: NOT_ALLOWED };
    const called = await this.#called(event.dialled, caller.agent);
    if (!called) {
      this.log.info(
        { dialled: maskNumber(event.dialled), source: event.source },
        'nothing answers the number that was called',
      );
      return { refuse: UNALLOCATED };
    }
    const program: SavedProgram = { spec: called.spec, state: null };
    return {
      leg: {
        endpoint: event.source,
        number: caller.agent ? null : caller.number,
        // A call that came by a trunk costs; one between our own phones does not.
        billable: event.source.type === 'trunk',
      },
      call: {
        organization_id: called.organizationId,
        project_id: called.projectId,
        epoch: 0,
        sandbox: false,
        kind: 'inbound',
        direction: 'inbound',
        status: 'initiated',
        customer_number: caller.number,
        line_number: called.lineNumber,
        caller_id_number: caller.number,
        caller_id_name: caller.name,
        queue_id: null,
        served_queue_id: null,
        agent: null,
        callflow_id: null,
        conference_id: null,
        on_hold: false,
        muted: false,
        recording: false,
        recording_available: false,
        disposition: null,
        hangup_q850: null,
        hangup_sip_code: null,
        hangup_text: null,
        queued_seconds: null,
        metadata: {},
        webhook_url: null,
        program,
        options: {
          ring_timeout_seconds: 45,
          max_duration_seconds: MAX_DURATION_SECONDS,
          record: false,
          send_digits: null,
        },
        last_sequence: 0,
        created_by_key: null,
        request_id: null,
        created_at: event.at,
        originating_at: null,
        ringing_at: null,
        answered_at: null,
        ended_at: null,
      },
    };
  }

  /** A softphone is who it registered as, whatever it writes into its From header. */
  async #callerOf(
    event: IncomingEvent,
  ): Promise<{ number: string; name: string | null; agent: AgentRow | null } | null> {
    if (event.source.type === 'trunk') {
      const { number, name } = event.callerId;
      const parsed = number === null ? null : parseNumber(number, { allowForeign: true });
      return { number: parsed?.e164 ?? number ?? 'anonymous', name, agent: null };
    }
    const agent = await this.directory.agentByAor(event.source.aor);
    if (!agent) return null;
    const own = await this.directory.numberOfAgent(agent.project_id, agent.agent);
    return { number: own?.e164 ?? agent.agent, name: agent.display_name, agent };
  }

  async #called(
    dialled: string,
    caller: AgentRow | null,
  ): Promise<{ projectId: string; organizationId: string; lineNumber: string | null; spec: ProgramSpec } | null> {
    const parsed = parseNumber(dialled, { allowForeign: true });
    const number = parsed && (await this.directory.numberByE164(parsed.e164));
    if (number) {
      const spec = programOf(number.binding);
      return (
        spec && { projectId: number.project_id, organizationId: number.organization_id, lineNumber: number.e164, spec }
      );
    }
    const colleague = caller && (await this.directory.agentByExtension(caller.project_id, dialled));
    if (!colleague) return null;
    return {
      projectId: colleague.project_id,
      organizationId: colleague.organization_id,
      lineNumber: null,
      spec: { type: 'connect', to: { type: 'agent', target: colleague.agent } },
    };
  }
}

/** What a call that is bound to this destination does; null where nothing answers. */
export function programOf(binding: NumberRow['binding']): ProgramSpec | null {
  if (binding === null) return null;
  if (binding.type === 'echo') return { type: 'echo' };
  if ((binding.type === 'agent' || binding.type === 'number' || binding.type === 'sip') && binding.target !== null) {
    return { type: 'connect', to: { type: binding.type, target: binding.target } };
  }
  return null;
}
