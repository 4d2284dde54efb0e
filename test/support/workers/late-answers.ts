import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const [ALLOWED, ANSWERED] = [0, 1];
const LIMIT_MS = 10_000;

/**
 * Receives a datagram in a thread of its own, and answers it when this thread says so. `@` in the answer stands for the
 * Call-ID of the datagram.
 */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { flags, answer } = workerData;
  const server = require('node:dgram').createSocket('udp4');
  server.on('message', (message, { port }) => {
    const [, callId = ''] = /^Call-ID: (.*)$/m.exec(message.toString()) ?? [];
    parentPort.postMessage('asked');
    Atomics.wait(flags, ${ALLOWED}, 0, ${LIMIT_MS});
    server.send(answer.replace('@', callId), port, '127.0.0.1', () => {
      Atomics.store(flags, ${ANSWERED}, 1);
      Atomics.notify(flags, ${ANSWERED});
    });
  });
  server.bind(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** A server whose answer arrives while this thread is busy. */
export class LateAnswers {
  private constructor(
    readonly port: number,
    private readonly worker: Worker,
    private readonly flags: Int32Array,
  ) {}

  static async start(answer: string): Promise<LateAnswers> {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(PROGRAM, { eval: true, workerData: { flags, answer } });
    const [port] = (await once(worker, 'message')) as [number];
    return new LateAnswers(port, worker, flags);
  }

  /** Resolves when the server has received a datagram. */
  async asked(): Promise<void> {
    await once(this.worker, 'message');
  }

  /** Blocks this thread until the answer is in its socket, and until this much time has passed. */
  answerDuring(busyMs: number): void {
    const startedMs = performance.now();
    Atomics.store(this.flags, ALLOWED, 1);
    Atomics.notify(this.flags, ALLOWED);
    Atomics.wait(this.flags, ANSWERED, 0, LIMIT_MS);
    while (performance.now() < startedMs + busyMs);
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
