import type { LegDetail } from '../../core/ports/call-detail.js';
import { endOf } from './cause.js';
import type { EslEvent } from './esl/esl-connection.js';
import { legIdOf } from './leg-id.js';

export type EndedLeg = readonly [legId: string, detail: LegDetail];

interface Cdr {
  readonly variables?: Readonly<Record<string, string>>;
}

const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

/** The fields of a line, in the order of the template in `config/freeswitch/freeswitch.xml`. */
const FIELDS = [
  ...['uuid', 'start_uepoch', 'answer_uepoch', 'end_uepoch', 'direction', 'hangup_cause', 'hangup_cause_q850'],
  ...['proto_specific_hangup_cause', 'sip_term_status'],
];

/** Parses a line about an ended leg (mod_cdr_csv). @returns null for anything but a complete line */
export function parseEndedLine(line: string): EndedLeg | null {
  const values = line.split(',');
  if (values.length !== FIELDS.length) return null;
  // A variable that the channel did not have is empty.
  const pairs = FIELDS.map((name, index) => [name, values[index] ?? ''] as const);
  return endedLegOf(Object.fromEntries(pairs.filter(([, value]) => value !== '')));
}

/** Parses FreeSWITCH's CDR (mod_json_cdr) of an ended leg. @returns null for anything but a complete CDR */
export function parseEndedLeg(json: string): EndedLeg | null {
  return endedLegOf(parse(json)?.variables);
}

function endedLegOf(variables: Cdr['variables']): EndedLeg | null {
  const { uuid, start_uepoch: started, end_uepoch: ended } = variables ?? {};
  if (!variables || uuid === undefined || started === undefined || ended === undefined) return null;
  const answeredAt = timeOf(variables.answer_uepoch);
  const event: EslEvent = {
    'Hangup-Cause': variables.hangup_cause ?? '',
    ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [`variable_${name}`, value])),
  };
  const leg = { answered: answeredAt !== null, inbound: variables.direction === 'inbound' };
  const cause = endOf({ ...leg, endedHere: false, requestedQ850: null }, event);
  const startedSeconds = Math.floor(Number(started) / US_PER_SECOND);
  return [legIdOf(uuid, startedSeconds), { answeredAt, end: { at: timeOf(ended) ?? new Date(), cause } }];
}

function parse(json: string): Cdr | null {
  try {
    return JSON.parse(json) as Cdr | null;
  } catch {
    return null;
  }
}

/** Converts microseconds; zero means that the event did not occur. */
function timeOf(microseconds: string | undefined): Date | null {
  const ms = Number(microseconds ?? 0) / US_PER_MS;
  return ms > 0 ? new Date(ms) : null;
}
