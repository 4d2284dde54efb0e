/** One line of Asterisk's channel event log as `config/asterisk/cel_custom.conf` has it written. */
export interface CelLine {
  readonly event: string;
  readonly at: Date;
  readonly channelId: string;
  readonly channel: string;
  /** Of a HANGUP: the Q.850 cause (0 for none), and the channel that asked for it; empty for this side. */
  readonly hangup: { readonly cause: number; readonly source: string } | null;
}

const FIELD = /"((?:[^"]|"")*)"(?:,|$)/y;
const FIELDS = 6;
const TIME = /^\d+\.\d{1,6}$/;

/** @returns null for what is no such line, or a part of one. */
export function parseCelLine(line: string): CelLine | null {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  for (let found = FIELD.exec(line); found !== null; found = FIELD.exec(line)) {
    fields.push((found[1] ?? '').replaceAll('""', '"'));
    if (FIELD.lastIndex === line.length) break;
  }
  const [event = '', time = '', channelId = '', , channel = '', extra = ''] = fields;
  if (fields.length !== FIELDS || FIELD.lastIndex !== line.length || !TIME.test(time)) return null;
  const hangup = event === 'HANGUP' ? hangupOf(extra) : null;
  // The engine's events have milliseconds, cut off.
  return { event, at: new Date(Math.floor(Number(time) * 1000)), channelId, channel, hangup };
}

function hangupOf(extra: string): CelLine['hangup'] {
  try {
    const { hangupcause, hangupsource } = JSON.parse(extra) as Record<string, unknown>;
    return {
      cause: typeof hangupcause === 'number' ? hangupcause : 0,
      source: typeof hangupsource === 'string' ? hangupsource : '',
    };
  } catch {
    return { cause: 0, source: '' };
  }
}
