import { connect, createServer, type Server } from 'node:net';
import { Framer, type DrachtioSaid } from './drachtio-lines.js';
import { couple, listenLocally } from './local-server.js';
import type { Asked } from './transcript.js';

/** A proxy between an application and a real drachtio-server that records their messages. */
export class DrachtioRecorder {
  readonly lines: (Asked | DrachtioSaid)[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      const fromApplication = new Framer((text) => this.lines.push({ from: 'engine', text }));
      const fromDrachtio = new Framer((text) => this.lines.push({ from: 'drachtio', text }));
      client.on('data', (chunk) => {
        fromApplication.push(chunk);
        upstream.write(chunk);
      });
      upstream.on('data', (chunk) => {
        fromDrachtio.push(chunk);
        client.write(chunk);
      });
      couple(client, upstream);
    });
  }

  /** @param port where drachtio-server accepts applications */
  static async start(port: number): Promise<DrachtioRecorder> {
    const recorder = new DrachtioRecorder(port);
    recorder.#port = await listenLocally(recorder.#server);
    return recorder;
  }

  get port(): number {
    return this.#port;
  }

  close(): void {
    this.#server.close();
  }
}
