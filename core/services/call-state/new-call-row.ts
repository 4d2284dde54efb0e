import type { CallOptions, CallRow } from '../../data/rows.js';
import type { ProgramSpec, SavedProgram } from './program.js';

/** The facts of a new call. Members that not every call has are optional. */
export type NewCallFacts = Pick<
  CallRow,
  | 'id'
  | 'organization_id'
  | 'project_id'
  | 'engine_id'
  | 'kind'
  | 'direction'
  | 'customer_number'
  | 'line_number'
  | 'caller_id_number'
  | 'caller_id_name'
  | 'created_at'
> & {
  readonly program: ProgramSpec;
  /** As of the call's {@link SavedProgram}. */
  readonly hops?: number;
  /** As of the call's {@link SavedProgram}. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly options?: Partial<CallOptions>;
} & Partial<
    Pick<
      CallRow,
      'agent' | 'queue_id' | 'sandbox' | 'system' | 'metadata' | 'webhook_url' | 'created_by_key' | 'request_id'
    >
  >;

/** An unanswered party is given up after `ring_timeout_seconds`; a forgotten call ends after `max_duration_seconds`. */
const DEFAULTS: CallOptions = {
  ring_timeout_seconds: 45,
  max_duration_seconds: 14_400,
  record: false,
  send_digits: null,
};

/** Returns the row of a new call. */
export function newCallRow({ program: spec, hops, variables, options, ...facts }: NewCallFacts): CallRow {
  const given = variables && Object.keys(variables).length > 0 ? { variables } : {};
  const program: SavedProgram = { spec, state: null, ...(hops === undefined ? {} : { hops }), ...given };
  return {
    agent: null,
    queue_id: null,
    sandbox: false,
    system: false,
    metadata: {},
    webhook_url: null,
    created_by_key: null,
    request_id: null,
    ...facts,
    program,
    options: { ...DEFAULTS, ...options },
    epoch: 0,
    status: 'initiated',
    served_queue_id: null,
    callflow_id: spec.type === 'callflow' ? spec.callflowId : null,
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
    last_sequence: 0,
    originating_at: null,
    ringing_at: null,
    answered_at: null,
    ended_at: null,
  };
}
