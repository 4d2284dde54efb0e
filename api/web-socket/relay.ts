import { WebSocket, type RawData } from 'ws';

/** What a browser may send: SIP messages with SDP are a few kilobytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** More than a call with many candidates needs. */
const MAX_MESSAGES_PER_SECOND = 50;
const HIGH_WATER_BYTES = 256 * 1024;
const SECOND_MS = 1_000;

/** Close codes (RFC 6455 §7.4.1 and the IANA registry); `pageLeft` is this platform's own. */
export const CLOSE = { normal: 1000, goingAway: 1001, policy: 1008, restart: 1012, pageLeft: 4001 } as const;

/**
 * Passes messages in both directions until either side is closed or fails, then closes the other. Reads no faster than the
 * other side takes: a side that stands still fills no memory.
 * @param onClosed called once, when both are over
 */
export function relay(browser: WebSocket, engine: WebSocket, onClosed: () => void): void {
  let open = 2;
  const closed = (): void => {
    open -= 1;
    if (open === 0) onClosed();
  };
  let [second, count] = [0, 0];
  const isTooMany = (): boolean => {
    const now = Math.floor(performance.now() / SECOND_MS);
    if (now !== second) [second, count] = [now, 0];
    count += 1;
    return count > MAX_MESSAGES_PER_SECOND;
  };
  browser.on('message', (data: RawData, isBinary: boolean) => {
    if (isTooMany()) browser.close(CLOSE.policy, 'too many messages');
    else pass(browser, engine, data, isBinary);
  });
  engine.on('message', (data: RawData, isBinary: boolean) => pass(engine, browser, data, isBinary));
  browser.on('close', () => {
    end(engine, CLOSE.normal, '');
    closed();
  });
  // The browser comes back by itself, perhaps to another engine.
  engine.on('close', () => {
    end(browser, CLOSE.restart, 'the engine closed the connection');
    closed();
  });
  // `close` follows.
  for (const side of [browser, engine]) side.on('error', () => undefined);
}

function pass(from: WebSocket, to: WebSocket, data: RawData, isBinary: boolean): void {
  if (to.readyState !== WebSocket.OPEN) return;
  to.send(data, { binary: isBinary }, () => {
    if (from.isPaused && to.bufferedAmount < HIGH_WATER_BYTES / 2) from.resume();
  });
  if (to.bufferedAmount > HIGH_WATER_BYTES) from.pause();
}

function end(side: WebSocket, code: number, reason: string): void {
  if (side.isPaused) side.resume();
  if (side.readyState === WebSocket.OPEN) side.close(code, reason);
  else if (side.readyState === WebSocket.CONNECTING) side.terminate();
}

/**
 * Pings at the interval, and gives the connection up if nothing answers until the next.
 * @returns stops it
 */
export function keepAlive(socket: WebSocket, everyMs: number): () => void {
  let isAlive = true;
  socket.on('pong', () => (isAlive = true));
  socket.on('message', () => (isAlive = true));
  const timer = setInterval(() => {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
  return () => clearInterval(timer);
}
