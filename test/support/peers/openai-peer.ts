import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toneWav } from '../judges/audio.js';

export interface PeerAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly location?: string;
}

/** The file and the fields of a transcription request. */
export interface AskedText {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: Uint8Array;
  readonly fileName: string;
}

/** A server of OpenAI's audio API, as strict as its reference. Voices are tones; a test sets the texts. */
export class OpenAiPeer {
  /** The number of requests, whatever their outcome. */
  requests = 0;
  readonly spoken: Record<string, unknown>[] = [];
  readonly asked: AskedText[] = [];
  /** Hz of each voice. */
  voices: Readonly<Record<string, number>> = {};
  /** The transcription of a file. */
  hears: (asked: AskedText) => object = () => ({ text: '' });
  /** The reason why a request is refused; null: it is accepted. */
  refuses: (asked: AskedText) => string | null = () => null;
  /** Replaces the normal answer; `hang` never answers, `break` ends the connection within the body. */
  answer: PeerAnswer | 'hang' | 'break' | null = null;

  private constructor(
    private readonly server: Server,
    private readonly apiKey: string,
  ) {}

  static async start(apiKey: string): Promise<OpenAiPeer> {
    const server = createServer((request, response) => {
      peer.#serve(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
    const peer = new OpenAiPeer(server, apiKey);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return peer;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { answer } = this;
    if (answer === 'hang') return;
    if (answer === 'break') {
      response.writeHead(200, { 'content-length': '1000' }).write('RIFF', () => response.destroy());
      return;
    }
    const { status, body, location } = answer ?? this.#answerTo(request, Buffer.concat(chunks));
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  }

  #answerTo(request: IncomingMessage, body: Buffer): PeerAnswer {
    if (request.headers.authorization !== `Bearer ${this.apiKey}`) return fault(401, 'Incorrect API key provided');
    if (request.method !== 'POST') return fault(405, 'Not allowed');
    if (request.url === '/v1/audio/speech') return this.#speak(request, body);
    if (request.url === '/v1/audio/transcriptions') return this.#transcribe(request, body);
    return fault(404, 'Unknown request URL');
  }

  #speak(request: IncomingMessage, body: Buffer): PeerAnswer {
    if (request.headers['content-type'] !== 'application/json') return fault(400, 'Content-Type');
    const asked = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    this.spoken.push(asked);
    const { model, input, voice, response_format } = asked;
    if (typeof model !== 'string' || typeof input !== 'string' || typeof voice !== 'string')
      return fault(400, 'missing');
    if (input === '' || input.length > 4096) return fault(400, 'input');
    const hz = this.voices[voice];
    if (hz === undefined || response_format !== 'wav') return fault(400, 'voice or response_format');
    return { status: 200, body: toneWav({ hz, seconds: 0.5, sampleRate: 24000 }) };
  }

  #transcribe(request: IncomingMessage, body: Buffer): PeerAnswer {
    const asked = readForm(request.headers['content-type'] ?? '', body);
    if (asked === null) return fault(400, 'Could not parse multipart form');
    if (asked.file.length === 0 || asked.fields.model === undefined) return fault(400, 'missing');
    this.asked.push(asked);
    const refusal = this.refuses(asked);
    if (refusal !== null) return fault(400, refusal);
    return { status: 200, body: Buffer.from(JSON.stringify(this.hears(asked))) };
  }
}

/** RFC 7578: the fields of a form and its one file. */
function readForm(contentType: string, body: Buffer): AskedText | null {
  const [, boundary] = /^multipart\/form-data; boundary="?([^";]+)"?$/.exec(contentType) ?? [];
  const text = body.toString('latin1');
  if (boundary === undefined || !text.endsWith(`--${boundary}--\r\n`)) return null;
  const fields: Record<string, string> = {};
  let file: { fileName: string; file: Uint8Array } | null = null;
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n');
    const content = Buffer.from(part.slice(end + 4, -2), 'latin1');
    const [, name, fileName] = /; name="([^"]+)"(?:; filename="([^"]+)")?/.exec(part.slice(0, end)) ?? [];
    if (end < 0 || name === undefined) return null;
    if (fileName === undefined) fields[name] = content.toString('utf8');
    else if (name === 'file') file = { fileName, file: content };
  }
  return file && { fields, ...file };
}

function fault(status: number, message: string): PeerAnswer {
  return { status, body: Buffer.from(JSON.stringify({ error: { message, type: 'invalid_request_error' } })) };
}
