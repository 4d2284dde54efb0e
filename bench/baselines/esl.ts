/** The least that an application of FreeSWITCH needs: one event socket. Nothing is kept or written. */
import { openEsl, type EslEvent, type EslSocket } from '../../engine/freeswitch/esl-connection.js';

/** Connects, and hands on each event of these. */
export async function connect(names: readonly string[], onEvent: (event: EslEvent) => void): Promise<EslSocket> {
  const { ESL_PORT = '', ESL_PASSWORD: password = '' } = process.env;
  const socket = await openEsl(
    { host: '127.0.0.1', port: Number(ESL_PORT), password, timeoutMs: 10_000 },
    { onEvent, onClosed: (reason) => console.error(reason) },
  );
  await socket.command(`event json ${names.join(' ')}`);
  return socket;
}

export function channelOf(event: EslEvent): string {
  return event['Unique-ID'] ?? '';
}

/** A fault of one call is told and does not end the measurement; the other side may have hung up a moment before. */
export function told(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!String(error).includes('No such channel')) console.error(error instanceof Error ? error.message : error);
  });
}
