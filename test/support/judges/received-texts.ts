/** A SIP MESSAGE in the log of a phone. */
export interface LoggedText {
  /** The whole field. */
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly body: string;
}

/** The texts in the log of a phone that traces SIP, each request by its Call-ID once. */
export function textsIn(log: string): readonly LoggedText[] {
  const byCallId = new Map<string, LoggedText>();
  for (const message of log.split(/^(?=MESSAGE sip)/m).slice(1)) {
    const { head, body } = partsOf(message);
    const field = (name: string): string => new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(head)?.[1] ?? '';
    const length = Number(field('Content-Length'));
    byCallId.set(`${field('Call-ID')} ${field('CSeq')}`, {
      ...{ from: field('From'), to: field('To'), type: field('Content-Type') },
      body: Buffer.from(body).subarray(0, length).toString(),
    });
  }
  return [...byCallId.values()];
}

function partsOf(message: string): { readonly head: string; readonly body: string } {
  const end = /\r?\n\r?\n/.exec(message);
  if (!end) return { head: message, body: '' };
  return { head: message.slice(0, end.index), body: message.slice(end.index + end[0].length) };
}
