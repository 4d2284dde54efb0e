/** The least that an application of FreeSWITCH needs: one event socket. Nothing is kept or written. */
import { EslRefusal, openEsl, type EslEvent, type EslSocket } from '../../engine/freeswitch/esl/esl-connection.js';

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

/** A fault of the connection is told; a refusal is not: the other side has hung up a moment before, and counts that itself. */
export function told(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof EslRefusal)) console.error(error);
  });
}
