/** One line of Asterisk's channel event log, in the format of `config/asterisk/cel_custom.conf`. */
export interface CelLine {
  readonly event: string;
  readonly at: Date;
  readonly channelId: string;
  readonly channel: string;
  /** For HANGUP: the Q.850 cause (0 for none) and the channel that requested it; empty for this side. */
  readonly hangup: { readonly cause: number; readonly source: string } | null;
}

const FIELD = /"((?:[^"]|"")*)"(?:,|$)/y;
const FIELDS = 6;
const TIME = /^\d+\.\d{1,6}$/;

/** @returns null for anything but a complete line */
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
  // Truncated to milliseconds, like the engine's events.
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
