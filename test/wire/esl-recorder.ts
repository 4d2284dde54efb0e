import { connect, createServer, type Server } from 'node:net';
import { Framer, textOf, type EslSaid } from './esl-lines.js';
import { couple, listenLocally } from './local-server.js';
import type { Recorder } from './wire-suite.js';
import type { Asked } from './transcript.js';

/** The variables to keep of the hundreds in an event: those that an adapter may read. */
const KEPT_VARIABLES =
  /^variable_(sip_(auth_username|acl_authed_by|network_ip|network_port|term_status)|proto_specific_hangup_cause|hangup_cause_q850|playback_terminators|hatif_wait)$/;
/** Headers about the recording machine. */
const MACHINE = /^(FreeSWITCH-|Event-Calling-|Event-Date-(Local|GMT)|FreeSWITCH-IPv)/;
/** Global variables that name folders of the recording machine. */
const PATH = /^\w+=\/.*\n/gm;

/** A proxy between an adapter and a real FreeSWITCH that records their messages. */
export class EslRecorder implements Recorder {
  readonly lines: (Asked | EslSaid)[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      const fromEngine = new Framer((text) => {
        this.lines.push({ from: 'engine', text: textOf(text) });
      });
      const fromFreeswitch = new Framer((head, body) => {
        this.lines.push({ from: 'freeswitch', head, body: slim(head, body) });
      });
      client.on('data', (chunk) => {
        fromEngine.push(chunk);
        upstream.write(chunk);
      });
      upstream.on('data', (chunk) => {
        fromFreeswitch.push(chunk);
        client.write(chunk);
      });
      couple(client, upstream);
    });
  }

  static async start(port: number): Promise<EslRecorder> {
    const recorder = new EslRecorder(port);
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

function slim(head: string, body: string): string {
  if (body.startsWith('hostname=')) return body.replace(PATH, '');
  if (!/^Content-Type: (text\/event-json|api\/response)$/m.test(head) || !body.startsWith('{')) return body;
  const event = JSON.parse(body) as Record<string, unknown>;
  const kept = Object.entries(event).filter(([name]) =>
    name.startsWith('variable_') ? KEPT_VARIABLES.test(name) : !MACHINE.test(name),
  );
  return JSON.stringify(Object.fromEntries(kept));
}
